package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// frozen is the newest version that has a frozen database in testdata.
const frozen = 9

// TestFrozen opens a database of each version that was ever released. One is made by
// PTYREC_FREEZE=1 go test ./store -run Frozen, which never writes over one that is there.
func TestFrozen(t *testing.T) {
	for version := 1; version <= frozen; version++ {
		name := fmt.Sprintf("testdata/v%d.db", version)
		if version == frozen && os.Getenv("PTYREC_FREEZE") != "" {
			freeze(t, name)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "ptyrec.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		checkFrozen(t, s, version)
		if info := find(t, s, "a"); version >= 3 && info.Unread {
			t.Errorf("%s: its session is unread", name)
		}
		if info := find(t, s, "a"); version >= 2 && (info.Title != "frozen" || len(info.Tags) != 1) {
			t.Errorf("%s: title %q, tags %q", name, info.Title, info.Tags)
		}
		if info := find(t, s, "a"); (info.Git != nil) != (version >= 5) ||
			info.Git != nil && info.Git.Start.Branch != "main" {
			t.Errorf("%s: git %+v", name, info.Git)
		}
		if got := queryInt(t, path, "PRAGMA user_version"); got != frozen {
			t.Errorf("%s: version after opening = %d, want %d", name, got, frozen)
		}
	}
}

// frozenEvents has each kind of event, times of each unit, and bytes that are no UTF-8.
func frozenEvents(version int) []session.Event {
	events := []session.Event{
		output(0, "hello \xff\xfe\x1b[1m"), {At: time.Millisecond, Kind: session.Input, Data: []byte("y")},
		{At: 2 * time.Microsecond * 1001, Kind: session.Resize, Cols: 120, Rows: 40},
		{At: 3*time.Second + 1, Kind: session.Marker, Data: []byte("here")},
		{At: 4 * time.Second, Kind: session.Exit, Status: 130},
	}
	if version >= 4 {
		events = slices.Insert(events, 4, session.Event{At: 3*time.Second + 2, Kind: session.Pipe, Stream: session.Stderr,
			Text: 7, Data: []byte("piped \xff")})
		events[5].Data = []byte("timeout")
	}
	return events
}

func freeze(t *testing.T, name string) {
	t.Helper()
	if _, err := os.Stat(name); err == nil {
		t.Fatalf("%s is there already", name)
	}
	s, err := sqlite.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	create(t, s, "a")
	rawLog(t, s, "a", frozenEvents(frozen))
	if err := s.SaveEntries(t.Context(), "a", allKinds()); err != nil {
		t.Fatal(err)
	}
	if err := s.Rename(t.Context(), "a", "frozen"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tag(t.Context(), "a", []string{"ice"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.SetGit(t.Context(), "a", session.Git{Start: &session.GitState{Branch: "main"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.MarkRead(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishSession(t.Context(), "a", start.Add(time.Minute), 130, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(name + "-live")
}

func checkFrozen(t *testing.T, s *sqlite.Store, version int) {
	t.Helper()
	info := find(t, s, "last")
	if info.ID != "a" || info.Status != store.Ended || *info.ExitCode != 130 || info.Turns != 1 {
		t.Errorf("session = %+v", info)
	}
	events, damages := readLog(t, s, "a", store.From{})
	if diff := cmp.Diff(frozenEvents(version), events); diff != "" || len(damages) > 0 {
		t.Errorf("damages %v, events (-want +got):\n%s", damages, diff)
	}
	entries := allKinds()
	for _, e := range entries {
		if version < 4 {
			e.Details = session.Details{} // entries had none when these databases were made
		}
	}
	checkEntries(t, s, entries)
	if hits, err := s.Search(t.Context(), store.Query{Text: "unusual"}); err != nil || len(hits) != 1 {
		t.Errorf("search: %d hits, error %v, want 1", len(hits), err)
	}
	if err := s.SaveEntries(t.Context(), "a", []*session.Entry{message("9", 9, session.RoleUser, "new")}); err != nil {
		t.Error(err)
	}
}
