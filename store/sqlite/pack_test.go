package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// startJournal begins the journal of a session, as a recorder does.
func startJournal(t testing.TB, path, id string) *journal.Writer {
	t.Helper()
	w, err := journal.Create(journal.Options{Folder: sqlite.JournalFolder(path),
		Session: session.Session{ID: id, Command: []string{"sh"}, Cwd: "/", StartedAt: start, Cols: 80, Rows: 24}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = w.Close() })
	return w
}

func put(t testing.TB, w *journal.Writer, events []session.Event) {
	t.Helper()
	for i, e := range events {
		w.Put(e)
		if i%100 == 99 {
			_ = w.Settle(t.Context())
		}
	}
	if err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lost, err := w.Lost(); lost != 0 || err != nil {
		t.Fatalf("lost %d, %v", lost, err)
	}
}

func journals(t testing.TB, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(sqlite.JournalFolder(path), "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// leaveJournal writes and closes a journal, and returns the name of the first one in the folder.
func leaveJournal(t testing.TB, path, id string, events []session.Event) string {
	t.Helper()
	w := startJournal(t, path, id)
	put(t, w, events)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return journals(t, path)[0]
}

func wantEvents(t testing.TB, s *sqlite.Store, id string, want []session.Event) {
	t.Helper()
	got, damages := readLog(t, s, id, store.From{})
	if diff := cmp.Diff(want, got); diff != "" || len(damages) > 0 {
		t.Errorf("damages %v, events (-want +got):\n%.2000s", damages, diff)
	}
}

// A session is listed and read while it is only a journal, and reads the same once it is packed.
func TestJournalIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	w := startJournal(t, path, "a")
	want := append(realEvents(t), session.Event{At: time.Hour, Kind: session.Exit, Status: 7})
	put(t, w, want[:50])
	size := int64(0)
	for _, e := range want {
		size += int64(len(e.Data))
	}
	if infos, err := s.Sessions(t.Context(), store.Filter{Live: true}); err != nil || len(infos) != 1 ||
		infos[0].Command[0] != "sh" {
		t.Fatalf("live sessions = %v, %v", infos, err)
	}
	wantEvents(t, s, "a", want[:50])
	if err := s.ImportJournals(t.Context(), nil); err != nil {
		t.Errorf("ImportJournals = %v beside a live session", err)
	}
	put(t, w, want[50:])
	wantEvents(t, s, "a", want)
	if info := find(t, s, "a"); info.Status != store.Live || info.RawBytes != size || info.Duration != time.Hour {
		t.Errorf("the session is %s, %d bytes, %s long", info.Status, info.RawBytes, info.Duration)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if info := find(t, s, "a"); info.Status != store.Ended || *info.ExitCode != 7 ||
		!info.EndedAt.Equal(start.Add(time.Hour)) || !info.Unread {
		t.Errorf("the session is %s, its status %v, ended %v", info.Status, info.ExitCode, info.EndedAt)
	}
	wantEvents(t, s, "a", want)
	half := int64(len(want) / 2)
	if got, damages := readLog(t, s, "a", store.From{Event: half}); len(damages) > 0 || !cmp.Equal(got, want[half:]) {
		t.Errorf("from event %d: %d events, damages %v", half, len(got), damages)
	}
	for range 2 { // packing twice changes nothing
		if err := s.ImportJournals(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if names := journals(t, path); len(names) > 0 {
			t.Errorf("still there: %v", names)
		}
		wantEvents(t, s, "a", want)
	}
	if info := find(t, s, "a"); info.Status != store.Ended || *info.ExitCode != 7 || info.StoredBytes > size/20 {
		t.Errorf("the session is %s, its status %v, %d bytes stored", info.Status, info.ExitCode, info.StoredBytes)
	}
}

// A packer that is stopped before the file is removed leaves events twice; they are read once, and
// packed once.
func TestPackTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	want := realEvents(t)
	name := leaveJournal(t, path, "a", want)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	for range 2 {
		wantEvents(t, s, "a", want)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, s, "a", want)
		if err := s.ImportJournals(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// A reader in mid-log misses nothing when the journal that it reads is packed.
func TestPackedWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	want := realEvents(t)
	leaveJournal(t, path, "a", want)
	var got []session.Event
	for ev, err := range s.Events(t.Context(), "a") {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, ev); len(got) == 3 {
			if err := s.ImportJournals(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%.2000s", diff)
	}
}

// A locked database costs nothing: the journal stays, and is packed once it can be.
func TestPackLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	w := startJournal(t, path, "a")
	want := realEvents(t)
	put(t, w, want)
	_ = find(t, s, "a")
	unlock := lockDatabase(t, path)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.ImportJournals(t.Context(), nil); !errors.Is(err, session.ErrBusy) {
		t.Errorf("ImportJournals = %v, want %v", err, session.ErrBusy)
	}
	wantEvents(t, s, "a", want)
	unlock()
	if err := s.ImportJournals(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if names := journals(t, path); len(names) > 0 {
		t.Errorf("still there: %v", names)
	}
	wantEvents(t, s, "a", want)
}

// Frames that are damaged are a gap that is named; the file is kept aside, and goes with its
// session.
func TestPackDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	want := realEvents(t)
	name := leaveJournal(t, path, "a", want)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(data, want[10].Data)
	data[i] ^= 1
	if err := os.WriteFile(name, append(data, "torn"...), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, damages := readLog(t, s, "a", store.From{})
		if len(got) != len(want)-1 || len(damages) != 1 || damages[0].EndEvent != damages[0].FirstEvent+1 ||
			damages[0].EndByte-damages[0].StartByte != int64(len(want[damages[0].FirstEvent].Data)) {
			t.Errorf("%d events of %d, damages %v", len(got), len(want), damages)
		}
		if err := s.ImportJournals(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if names := journals(t, path); len(names) != 1 || !strings.HasSuffix(names[0], ".damaged") {
		t.Errorf("kept aside: %v", names)
	}
	if err := s.DeleteSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if names := journals(t, path); len(names) > 0 {
		t.Errorf("still there: %v", names)
	}
}

// A journal without its header still has its events, and one that belongs to a complete session
// changes nothing.
func TestPackStrange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	want := append(realEvents(t), session.Event{At: time.Hour, Kind: session.Exit})
	name := leaveJournal(t, path, "a", want)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data[bytes.IndexByte(data, '\n')+1:], 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	wantEvents(t, s, "a", want)
	leaveJournal(t, path, "a", append(want, output(2*time.Hour, "more")))
	for _, name := range []string{"b.1.journal", "c.1.journal"} {
		if err := os.WriteFile(filepath.Join(sqlite.JournalFolder(path), name), bytes.Repeat([]byte{0, 255, 'x'}, 100_000),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.ImportJournals(t.Context(), nil); err == nil {
		t.Error("ImportJournals took all of it")
	}
	if err := s.ImportJournals(t.Context(), nil); err != nil {
		t.Errorf("ImportJournals = %v, when what is damaged is set aside", err)
	}
	wantEvents(t, s, "a", want)
	if names := journals(t, path); len(names) != 3 {
		t.Errorf("set aside: %v, want 3", names)
	}
	infos, err := s.Sessions(t.Context(), store.Filter{})
	if err != nil || len(infos) != 1 {
		t.Errorf("sessions = %v, %v; want one", infos, err)
	}
}

// Deleted means gone: a session's journal goes with it, and does not bring it back. A live one
// stays.
func TestDeleteJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	w := startJournal(t, path, "a")
	put(t, w, realEvents(t))
	_ = find(t, s, "a")
	if err := s.DeleteSession(t.Context(), "a"); !errors.Is(err, session.ErrBusy) {
		t.Errorf("DeleteSession = %v while it is recorded, want %v", err, session.ErrBusy)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if names := journals(t, path); len(names) > 0 {
		t.Errorf("still there: %v", names)
	}
	if infos, err := s.Sessions(t.Context(), store.Filter{}); err != nil || len(infos) != 0 {
		t.Errorf("sessions = %v, %v", infos, err)
	}
}

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

// Sessions whose journal a locked, missing or read-only database had not taken in were in no list
// and could not be read.
func TestJournalBesideDatabase(t *testing.T) {
	for _, name := range []string{"locked", "read-only", "unusable"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ptyrec.db")
			s := open(t, path)
			stored := &session.Session{ID: "00", Command: []string{"true"}, Cwd: "/", StartedAt: start, Cols: 80, Rows: 24}
			if err := s.CreateSession(t.Context(), stored); err != nil {
				t.Fatal(err)
			}
			ended, live := startJournal(t, path, "01"), startJournal(t, path, "02")
			events := []session.Event{{Kind: session.Output, Data: []byte("hello")},
				{At: time.Second, Kind: session.Exit, Status: 3}}
			put(t, ended, events)
			if _, err := ended.Close(); err != nil {
				t.Fatal(err)
			}
			put(t, live, events[:1])

			want := []string{"00 interrupted", "01 ended", "02 live"}
			switch name {
			case "locked":
				defer lockDatabase(t, path)()
			case "read-only":
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				var err error
				if s, err = sqlite.OpenReadOnly(t.Context(), path); err != nil {
					t.Fatal(err)
				}
				defer s.Close()
			case "unusable":
				var err error
				if s, err = sqlite.Beside(path, session.ErrBusy); err != nil {
					t.Fatal(err)
				}
				want = want[1:]
			}
			infos, err := s.Sessions(t.Context(), store.Filter{})
			var got []string
			for _, info := range infos {
				got = append(got, info.ID+" "+info.Status)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
			ids, err := s.IDs(t.Context())
			if len(ids) != len(want) || err != nil {
				t.Errorf("got ids %v, %v", ids, err)
			}
			info, err := s.Find(t.Context(), "01")
			if err != nil {
				t.Fatal(err)
			}
			if !info.Beside || !info.Unread || info.RawBytes != 5 || info.ExitCode == nil || *info.ExitCode != 3 {
				t.Errorf("got %+v", info)
			}
			wantEvents(t, s, "01", events)
			if entries, err := s.Entries(t.Context(), "01"); len(entries) != 0 || err != nil {
				t.Errorf("got %d entries, %v", len(entries), err)
			}
			for _, f := range []store.Filter{{ID: "01", Cwd: "/", Command: "s", Since: start, Until: start.Add(1),
				Unread: true}, {Live: true, Limit: 1}} {
				if infos, err := s.Sessions(t.Context(), f); len(infos) != 1 || err != nil {
					t.Errorf("%+v: got %d sessions, %v", f, len(infos), err)
				}
			}
			for _, f := range []store.Filter{{Agent: "x"}, {Tag: "x"}, {Cwd: "/x"}, {Command: "x"}, {Since: start.Add(1)},
				{Until: start}, {ID: "x"}} {
				if infos, err := s.Sessions(t.Context(), f); len(infos) != 0 && err == nil {
					t.Errorf("%+v: got %d sessions", f, len(infos))
				}
			}
			if _, err := s.Find(t.Context(), "03"); err == nil {
				t.Error("found a session that is not there")
			}
		})
	}
}
