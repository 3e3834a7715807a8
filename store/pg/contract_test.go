package pg_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/ptyrec/ptyrec/internal/pgtest"
	"github.com/ptyrec/ptyrec/internal/storetest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/pg"
)

// open returns an empty database, and a context in which all may be done with it.
func open(t testing.TB) (context.Context, *pg.Store) {
	t.Helper()
	s, err := pg.Open(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return pg.As(t.Context(), pg.Viewer{All: true}), s
}

// put sends a session.
func put(ctx context.Context, s *pg.Store, sess *session.Session, events []session.Event, entries []*session.Entry) error {
	if _, err := s.Begin(ctx, pg.Push{Session: *sess, Machine: "m", Version: 1}); err != nil {
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
	return errors.Join(s.SaveEntries(ctx, sess.ID, 1, entries, nil), s.End(ctx, sess.ID, *sess.EndedAt))
}

// E19: PostgreSQL keeps the contract of a database of sessions, as SQLite does (store).
func TestE19Contract(t *testing.T) {
	version := int64(1)
	storetest.Run(t, storetest.Backend{
		Open: func(t *testing.T) (context.Context, storetest.DB) { return open(t) },
		Put: func(ctx context.Context, db storetest.DB, s *session.Session, events []session.Event, entries []*session.Entry) error {
			return put(ctx, db.(*pg.Store), s, events, entries)
		},
		Save: func(ctx context.Context, db storetest.DB, id string, entries []*session.Entry, gone ...string) error {
			version++
			return db.(*pg.Store).SaveEntries(ctx, id, version, entries, gone)
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
