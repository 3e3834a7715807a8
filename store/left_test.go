package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// lockDatabase locks the database as a writer that does not end.
func lockDatabase(t testing.TB, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = tx.Rollback()
		_ = db.Close()
	}
}

// A recording that the locked database does not take stands beside it, and is taken in when the recorder is gone.
func TestLeft(t *testing.T) {
	for name, test := range map[string]struct{ begun, exit bool }{
		"locked from the start": {begun: false, exit: true},
		"locked later":          {begun: true, exit: true},
		"recorder killed":       {begun: true, exit: false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, path := t.Context(), filepath.Join(t.TempDir(), "a?b [1].db")
			s := openWaiting(t, path)
			sess := session.Session{ID: store.NewID(), Command: []string{"x"}, StartedAt: time.Now().UTC(), Cols: 80, Rows: 24}
			log := s.Record(sess)
			var want []byte
			write := func(text string, at time.Duration) error {
				want = append(want, text...)
				_ = log.Write(ctx, session.Event{At: at, Kind: session.Output, Data: []byte(text)})
				return log.Flush(ctx)
			}
			if test.begun {
				if err := write("before ", 0); err != nil {
					t.Fatal(err)
				}
			}
			unlock := lockDatabase(t, (&url.URL{Path: path}).String())
			if err := write("locked ", time.Second); !errors.Is(err, session.ErrKept) || !errors.Is(err, session.ErrBusy) {
				t.Errorf("Flush = %v, want %v because of %v", err, session.ErrKept, session.ErrBusy)
			}
			if err := write("still ", 2*time.Second); !errors.Is(err, session.ErrKept) {
				t.Errorf("Flush = %v, want %v", err, session.ErrKept)
			}
			if test.exit {
				_ = log.Write(ctx, session.Event{At: 3 * time.Second, Kind: session.Exit, Status: 7})
			}
			if got := len(s.Left()); got != 1 {
				t.Fatalf("%d files are left, want 1", got)
			}
			if info, err := os.Stat(s.Left()[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file: %v, %v", info.Mode(), err)
			}
			other := openWaiting(t, path)
			if got := len(other.Left()); got != 1 {
				t.Error("the file of a live recorder was taken in")
			}
			if err := log.Close(ctx); !errors.Is(err, session.ErrKept) && test.exit {
				t.Errorf("Close = %v, want %v", err, session.ErrKept)
			}
			_ = s.Close()
			unlock()
			s = openWaiting(t, path)
			if left := s.Left(); len(left) > 0 {
				t.Errorf("still there: %v", left)
			}
			wantSession(t, s, sess.ID, want, test.exit)
		})
	}
}

// What was left goes into the database as soon as that can be written, by its own recorder.
func TestLeftBrought(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a.db")
	s := openWaiting(t, path)
	sess := session.Session{ID: store.NewID(), StartedAt: time.Now().UTC(), Cols: 80, Rows: 24}
	log := s.Record(sess)
	unlock := lockDatabase(t, path)
	text := bytes.Repeat([]byte("0123456789abcdef"), 100_000)
	for i := range 10 {
		_ = log.Write(ctx, session.Event{At: time.Duration(i) * time.Second, Kind: session.Output, Data: text[i*160_000:][:160_000]})
	}
	if err := log.Flush(ctx); !errors.Is(err, session.ErrKept) {
		t.Fatal(err)
	}
	unlock()
	if err := log.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if left := s.Left(); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if err := errors.Join(log.Close(ctx), s.FinishSession(ctx, sess.ID, time.Now(), 0, false)); err != nil {
		t.Fatal(err)
	}
	wantSession(t, s, sess.ID, text, true)
}

// A database that is removed takes nothing beside it either.
func TestLeftRemoved(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a.db")
	s := openWaiting(t, path)
	log := s.Record(session.Session{ID: store.NewID(), StartedAt: time.Now().UTC()})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_ = log.Write(ctx, session.Event{Kind: session.Output, Data: []byte("x")})
	if err := log.Close(ctx); !errors.Is(err, session.ErrRemoved) {
		t.Errorf("Close = %v, want %v", err, session.ErrRemoved)
	}
	if left := s.Left(); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
}

func openWaiting(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.OpenWaiting(t.Context(), path, 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func wantSession(t testing.TB, s *store.Store, id string, want []byte, ended bool) {
	t.Helper()
	info, err := s.Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if status := map[bool]string{true: store.Ended, false: store.Interrupted}[ended]; info.Status != status {
		t.Errorf("the session is %s, want %s", info.Status, status)
	}
	var got []byte
	for e, err := range s.EventsFrom(t.Context(), id, store.From{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.Output {
			got = append(got, e.Data...)
		}
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the raw log has %d bytes, want %d", len(got), len(want))
	}
}
