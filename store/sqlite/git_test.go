package sqlite_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// TestFilterByGit chooses sessions by what is known of their repositories.
func TestFilterByGit(t *testing.T) {
	s := newStore(t)
	yes := true
	for id, g := range map[string]*session.Git{
		"none":  nil,
		"start": {Start: &session.GitState{Branch: "main", Commit: "aaaa1111"}},
		"both": {Start: &session.GitState{Branch: "main", Commit: "aaaa1111"},
			End: &session.GitState{Branch: "fix", Commit: "bbbb2222", Dirty: &yes}, Commits: []string{"bbbb2222", "cccc3333"}},
		"bare": {Start: &session.GitState{}},
	} {
		create(t, s, id)
		if g != nil {
			if err := s.SetGit(t.Context(), id, *g); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(g, find(t, s, id).Git); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	for _, tt := range []struct {
		filter store.Filter
		want   int
	}{
		{store.Filter{}, 4},
		{store.Filter{Branch: "main"}, 2},
		{store.Filter{Branch: "fix"}, 1},
		{store.Filter{Branch: "fi"}, 0},
		{store.Filter{Commit: "aaaa"}, 2},
		{store.Filter{Commit: "cccc3333"}, 1},
		{store.Filter{Commit: "cccc33334"}, 0},
		{store.Filter{Commit: "main"}, 0},
		{store.Filter{Branch: "main", Commit: "bbbb"}, 1},
	} {
		infos, err := s.Sessions(t.Context(), tt.filter)
		if err != nil || len(infos) != tt.want {
			t.Errorf("%+v: %d sessions, error %v, want %d", tt.filter, len(infos), err, tt.want)
		}
	}
}

// TestGitFromRawLog finds the state of the repository in the journal of a session whose recorder
// did not open the database.
func TestGitFromRawLog(t *testing.T) {
	path := t.TempDir() + "/test.db"
	w, err := sqlite.Record(path, session.Session{ID: "a", Command: []string{"sh"}, StartedAt: start, Cols: 80, Rows: 24,
		Agents: []session.Agent{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := session.Git{Start: &session.GitState{Branch: "a\"b"}}
	w.Put(session.Event{Kind: session.Marker, Data: session.GitMark(want)})
	w.Put(output(1, "x"))
	want.End = &session.GitState{Commit: "bbbb"}
	w.Put(session.Event{At: time.Second, Kind: session.Marker, Data: session.GitMark(want)})
	w.Put(session.Event{At: time.Second, Kind: session.Exit})
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	info := find(t, s, "a")
	if diff := cmp.Diff(&want, info.Git); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
