package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// Of many programs that start at the same time on an empty database, one makes the tables, and all
// of them work.
func TestManyProgramsMigrateAtOnce(t *testing.T) {
	dsn := pgtest.New(t)
	var wg sync.WaitGroup
	ann := postgres.Viewer{User: 1, Kind: postgres.KindUser}
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			s, err := postgres.Open(t.Context(), dsn)
			if err != nil {
				errs[i] = err
				return
			}
			defer func() { _ = s.Close() }()
			ctx := postgres.As(t.Context(), ann)
			id := fmt.Sprintf("019aa000-0000-7000-8000-%012x", i)
			_, errs[i] = s.Begin(ctx, postgres.Push{Session: session.Session{ID: id, StartedAt: time.Unix(1, 0)}, Machine: "m"})
			errs[i] = errors.Join(errs[i], s.SaveEntries(ctx, id,
				postgres.Batch{Version: 1, Entries: sent([]*session.Entry{{ID: "e", Seq: 1, Type: session.TypeMessage,
					Text: "x"}})}))
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("program %d: %v", i, err)
		}
	}
	s, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if hits, err := s.Search(postgres.As(t.Context(), ann), store.Query{Text: "x"}); err != nil || len(hits) != len(errs) {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

// A database of each version that there was is brought to the newest one, and keeps what it holds.
func TestFrozenVersionsMigrate(t *testing.T) {
	files, err := filepath.Glob("testdata/v*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dumps: %v", err)
	}
	none := func(postgres.Record) error { return nil }
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dump, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dsn := pgtest.New(t)
			conn, err := pgx.Connect(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			_, err = conn.Exec(t.Context(), string(dump))
			if err := errors.Join(err, conn.Close(t.Context())); err != nil {
				t.Fatal(err)
			}
			s, err := postgres.Open(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			ctx := user(t, s, "auditor", postgres.RoleAuditor)
			if err := s.Audit(ctx, time.Unix(0, 0), none); err != nil {
				t.Error(err)
			}
			if users, err := s.Users(operator(t)); err != nil || filepath.Base(file) != "v1.sql" && len(users) != 3 {
				t.Errorf("%v, %v", users, err)
			}
			hits, err := s.Search(ctx, store.Query{Text: `"frozen needle"`})
			if err != nil || len(hits) != 1 || hits[0].Session.Title != "frozen" {
				t.Fatalf("%v, %v", hits, err)
			}
			if used, err := s.UsageOf(ctx, []string{hits[0].Session.ID}); err != nil ||
				len(used) != 1 && file > "testdata/v2.sql" {
				t.Errorf("%v, %v", used, err)
			}
			if got := all(t, s.EventsFrom(ctx, hits[0].Session.ID, store.From{})); len(got) != 1 ||
				string(got[0].Data) != "raw" {
				t.Errorf("%v", got)
			}
		})
	}
}

// Without a Viewer, nothing is there.
func TestWithoutAViewerNothingIsRead(t *testing.T) {
	ctx, s := open(t)
	ended := time.Unix(5, 0)
	sess := &session.Session{ID: store.NewID(), Title: "secret title", EndedAt: &ended}
	entry := &session.Entry{ID: "e", Seq: 1, Type: session.TypeMessage, Text: "secret"}
	if err := put(ctx, s, sess, []session.Event{{Kind: session.Output, Data: []byte("x")}},
		[]*session.Entry{entry}); err != nil {
		t.Fatal(err)
	}
	nobody := t.Context()
	if _, err := s.Find(nobody, sess.ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("found: %v", err)
	}
	infos, err := s.Sessions(nobody, store.Filter{})
	labels, hits, searchErr := s.SearchAll(nobody, store.Query{Text: "secret"})
	n, countErr := s.Count(nobody, store.Filter{})
	if err := errors.Join(err, searchErr, countErr); err != nil || len(infos)+len(labels)+len(hits)+n != 0 {
		t.Errorf("%v, %v, %v, %d, %v", infos, labels, hits, n, err)
	}
	if err := s.DeleteSession(nobody, sess.ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if _, err := s.Begin(nobody, postgres.Push{Session: *sess}); !errors.Is(err, session.ErrForbidden) {
		t.Errorf("sent: %v", err)
	}
}

// What is sent twice changes nothing; what does not continue the raw log is refused.
func TestAppendSegment(t *testing.T) {
	ctx, s := open(t)
	sess := session.Session{ID: store.NewID()}
	first, second, other := store.NewRecording(80, 24), store.NewRecording(80, 24), store.NewRecording(80, 24)
	first.Write(session.Event{Kind: session.Output, Data: []byte("one")})
	other.Write(session.Event{Kind: session.Output, Data: []byte("two")})
	second.Write(session.Event{Kind: session.Output, Data: []byte("one")})
	second.Write(session.Event{Kind: session.Output, Data: []byte("two")})
	push := postgres.Push{Session: sess, Machine: "m", Version: 1}
	if state, err := s.Begin(ctx, push); err != nil || state.ID != sess.ID || state.Events != 0 || len(state.SHA256) != 0 {
		t.Fatalf("%+v, %v", state, err)
	}
	for range 2 {
		if state, err := s.AppendSegment(ctx, sess.ID, first.Segments()[0]); err != nil || state.Events != 1 ||
			len(state.SHA256) != 32 {
			t.Fatalf("%+v, %v", state, err)
		}
	}
	for name, rec := range map[string]*store.Recording{"another first event": other, "an overlap": second} {
		if state, err := s.AppendSegment(ctx, sess.ID, rec.Segments()[0]); !errors.Is(err, postgres.ErrConflict) ||
			state.Events != 1 {
			t.Errorf("%s: %+v, %v", name, state, err)
		}
	}
	if state, err := s.Begin(ctx, push); err != nil || state.Events != 1 {
		t.Errorf("%+v, %v", state, err)
	}
	push.Machine = "another"
	forked, err := s.Begin(ctx, push)
	again, againErr := s.Begin(ctx, push)
	if err != nil || againErr != nil || forked.ID == sess.ID || again.ID != forked.ID || forked.Events != 0 {
		t.Errorf("%+v, %v, %+v, %v", forked, err, again, againErr)
	}
	if err := s.DeleteSession(ctx, sess.ID); err != nil {
		t.Fatal(err)
	}
	push.Machine = "m"
	if state, err := s.Begin(ctx, push); err != nil || !state.Deleted {
		t.Errorf("deleted: %+v, %v", state, err)
	}
	if _, err := s.AppendSegment(ctx, sess.ID, first.Segments()[0]); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("to a deleted session: %v", err)
	}
}
