package postgres_test

import (
	"context"
	"crypto/sha256"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/store/storetest"
)

// open returns an empty database, and the context of a user.
func open(t testing.TB) (context.Context, *postgres.Store) {
	t.Helper()
	return openAt(t, pgtest.New(t))
}

func openAt(t testing.TB, dsn string) (context.Context, *postgres.Store) {
	t.Helper()
	s, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return user(t, s, "ann", postgres.RoleMember), s
}

// user adds a user with a token, and returns the context of its requests.
func user(t testing.TB, s *postgres.Store, name, role string) context.Context {
	t.Helper()
	if err := s.AddUser(operator(t), name, role); err != nil {
		t.Fatal(err)
	}
	return entered(t, s, postgres.NewToken{User: name, Kind: postgres.KindUser})
}

// entered returns the context of the requests of a new token.
func entered(t testing.TB, s *postgres.Store, n postgres.NewToken) context.Context {
	t.Helper()
	token, err := s.AddToken(operator(t), n)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Identify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return postgres.As(t.Context(), v)
}

func operator(t testing.TB) context.Context {
	return postgres.As(t.Context(), postgres.Viewer{Operator: true})
}

// put sends a session.
func put(ctx context.Context, s *postgres.Store, sess *session.Session, events []session.Event,
	entries []*session.Entry) error {
	if _, err := s.Begin(ctx, postgres.Push{Session: *sess, Machine: "m", Version: 1}); err != nil {
		return err
	}
	rec := store.NewRecording(sess.Cols, sess.Rows)
	for _, e := range events {
		rec.Write(e)
	}
	for _, seg := range rec.Segments() {
		if _, err := s.AppendSegment(ctx, sess.ID, seg); err != nil {
			return err
		}
	}
	if err := s.SaveEntries(ctx, sess.ID, postgres.Batch{Version: 1, Entries: sent(entries)}); err != nil {
		return err
	}
	sums := map[string][sha256.Size]byte{}
	for _, e := range sent(entries) {
		sums[e.ID] = e.Digest
	}
	var sorted [][sha256.Size]byte
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		sorted = append(sorted, sums[id])
	}
	return s.End(ctx, sess.ID, postgres.Whole{EndedAt: sess.EndedAt, Events: int64(len(events)),
		Entries: int64(len(sorted)), Digest: postgres.DigestOf(sorted)})
}

// sent returns entries with digests.
func sent(entries []*session.Entry) (out []postgres.Sent) {
	for _, e := range entries {
		out = append(out, postgres.Sent{Entry: e, Digest: sha256.Sum256([]byte(e.ID + e.Text))})
	}
	return out
}

// PostgreSQL keeps the contract of a database of sessions, as SQLite does (store).
func TestContract(t *testing.T) {
	version := int64(1)
	storetest.Run(t, storetest.Backend{
		Open: func(t *testing.T) (context.Context, storetest.DB) { return open(t) },
		Put: func(ctx context.Context, db storetest.DB, s *session.Session, events []session.Event,
			entries []*session.Entry) error {
			return put(ctx, db.(*postgres.Store), s, events, entries)
		},
		Save: func(ctx context.Context, db storetest.DB, id string, entries []*session.Entry, gone ...string) error {
			version++
			return db.(*postgres.Store).SaveEntries(ctx, id,
				postgres.Batch{Version: version, Entries: sent(entries), Gone: gone})
		},
		Use: func(ctx context.Context, db storetest.DB, s *session.Session, used []session.Usage) error {
			version++
			_, err := db.(*postgres.Store).Begin(ctx, postgres.Push{Session: *s, Machine: "m", Version: version, Usage: used})
			return err
		},
	})
}

// all returns everything that seq yields.
func all[T any](t *testing.T, seq iter.Seq2[T, error]) (out []T) {
	t.Helper()
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
