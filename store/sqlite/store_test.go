package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func TestOpenPermissions(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o777} {
		base := t.TempDir()
		old := syscall.Umask(mask)
		s, err := sqlite.Open(t.Context(), filepath.Join(base, "share", "ptyrec", "ptyrec.db"))
		if err == nil {
			startJournal(t, s.Path(), "a")
			create(t, s, "b")
		}
		syscall.Umask(old)
		if err != nil {
			t.Fatalf("umask %o: %v", mask, err)
		}
		got := map[string]os.FileMode{}
		for _, name := range []string{"share", "share/ptyrec", "share/ptyrec/ptyrec.db", "share/ptyrec/ptyrec.db-wal",
			"share/ptyrec/ptyrec.db-journals", "share/ptyrec/ptyrec.db-journals/a.1.journal"} {
			info, err := os.Stat(filepath.Join(base, name))
			if err != nil {
				t.Fatalf("umask %o: %v", mask, err)
			}
			got[name] = info.Mode().Perm()
		}
		want := map[string]os.FileMode{"share": 0o700, "share/ptyrec": 0o700, "share/ptyrec/ptyrec.db": 0o600,
			"share/ptyrec/ptyrec.db-wal": 0o600, "share/ptyrec/ptyrec.db-journals": 0o700,
			"share/ptyrec/ptyrec.db-journals/a.1.journal": 0o600}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("umask %o (-want +got):\n%s", mask, diff)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	execSQL(t, foreign, "CREATE TABLE a (b)")
	newer := filepath.Join(dir, "newer.db")
	closed(t, newer)
	execSQL(t, newer, "PRAGMA user_version = 99")
	broken := filepath.Join(dir, "broken.db")
	closed(t, broken)
	damage(t, broken, 4096*2)
	tests := []struct {
		name, path string
		want       error
	}{
		{"text", write("text.db", "hello"), session.ErrNotDatabase},
		{"long text", write("long.db", strings.Repeat("hello ", 1000)), session.ErrNotDatabase},
		{"foreign", foreign, session.ErrNotDatabase},
		{"newer", newer, session.ErrNewer},
		{"folder", dir, session.ErrNotWritable},
		{"in a file", filepath.Join(dir, "text.db", "x.db"), session.ErrNotWritable},
		{"damaged header", write("cut.db", "SQLite format 3\x00"), session.ErrNotDatabase},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := sqlite.Open(t.Context(), tt.path)
			if err == nil {
				_ = s.Close()
			}
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.path) {
				t.Errorf("error = %v, want %v with the path", err, tt.want)
			}
		})
	}
	t.Run("damaged", func(t *testing.T) {
		s, err := sqlite.Open(t.Context(), broken)
		if err == nil {
			_, err = s.Sessions(t.Context(), store.Filter{})
			_ = s.Close()
		}
		if !errors.Is(err, session.ErrCorrupt) {
			t.Errorf("error = %v, want %v", err, session.ErrCorrupt)
		}
	})
	// A refused database stays as it was.
	if got := queryInt(t, foreign, "SELECT count(*) FROM sqlite_schema"); got != 1 {
		t.Errorf("tables in the foreign database = %d, want 1", got)
	}
}

// A database whose name has a meaning in URIs.
func TestOpenOddName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?mode=memory#%41.db")
	closed(t, path)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestCloseTwice(t *testing.T) {
	s := newStore(t)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Many programs create one database, and write and read it, at once.
func TestManyWriters(t *testing.T) {
	const writers, rounds = 8, 5
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	events := realEvents(t)[:100]
	errs := make(chan error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { errs <- record(t.Context(), path, fmt.Sprintf("s%d", i), events, rounds) })
	}
	wg.Wait()
	for range writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	s := open(t, path)
	infos, err := s.Sessions(t.Context(), store.Filter{})
	if err != nil || len(infos) != writers {
		t.Fatalf("%d sessions, error %v, want %d", len(infos), err, writers)
	}
	for _, info := range infos {
		got, damages := readLog(t, s, info.ID, store.From{})
		if len(got) != rounds*len(events) || len(damages) > 0 {
			t.Errorf("%s: %d events, damages %v, want %d", info.ID, len(got), damages, rounds*len(events))
		}
		if info.Messages != rounds || info.Status != store.Ended {
			t.Errorf("%s: %d messages, %s, want %d, ended", info.ID, info.Messages, info.Status, rounds)
		}
	}
}

// record does what one `ptyrec run` does.
func record(ctx context.Context, path, id string, events []session.Event, rounds int) error {
	s, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	err = func() error {
		if err := s.CreateSession(ctx, &session.Session{ID: id, StartedAt: start}); err != nil {
			return err
		}
		w, err := journal.Create(journal.Options{Folder: sqlite.JournalFolder(path),
			Session: session.Session{ID: id, StartedAt: start}})
		if err != nil {
			return err
		}
		defer func() { _, _ = w.Close() }()
		for round := range rounds {
			for _, ev := range events {
				w.Put(ev)
			}
			if err := w.Settle(ctx); err != nil {
				return err
			}
			if err := s.SaveEntries(ctx, id, []*session.Entry{message(fmt.Sprint(round), round+1, session.RoleUser,
				"hello "+id)}); err != nil {
				return err
			}
			if _, err := s.Search(ctx, store.Query{Text: "hello"}); err != nil {
				return err
			}
		}
		if _, err := w.Close(); err != nil {
			return err
		}
		return s.FinishSession(ctx, id, start, 0, false)
	}()
	return errors.Join(err, s.Close())
}

// closed creates an empty database.
func closed(t testing.TB, path string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func rawDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func execSQL(t testing.TB, path, query string, args ...any) {
	t.Helper()
	db := rawDB(t, path)
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func queryInt(t testing.TB, path, query string, args ...any) (n int) {
	t.Helper()
	if err := rawDB(t, path).QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// damage overwrites a file from the given byte on.
func damage(t testing.TB, path string, from int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < len(data); i++ {
		data[i] = 0xa5
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A link to a database that is not there yet leads to it: whoever comes by the link or by the file
// finds the same.
func TestDanglingLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "ptyrec.db"), filepath.Join(dir, "link.db")
	if err := errors.Join(os.Symlink("link2.db", link),
		os.Symlink("ptyrec.db", filepath.Join(dir, "link2.db"))); err != nil {
		t.Fatal(err)
	}
	if sqlite.JournalFolder(link) != sqlite.JournalFolder(file) {
		t.Errorf("the journals are in %s, want %s", sqlite.JournalFolder(link), sqlite.JournalFolder(file))
	}
	create(t, open(t, link), "a")
	find(t, open(t, file), "a")
}
