package sqlite_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func TestSessionRoundTrip(t *testing.T) {
	s := newStore(t)
	want := create(t, s, "")
	if diff := cmp.Diff(*want, find(t, s, want.ID).Session); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	want.Title, want.Cwd = "Shop", "/tmp"
	want.Agents = append(want.Agents, session.Agent{Name: "codex"})
	if err := s.UpdateSession(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	end, code := start.Add(time.Hour), 3
	if err := s.FinishSession(t.Context(), want.ID, end, code, false); err != nil {
		t.Fatal(err)
	}
	want.EndedAt, want.ExitCode = &end, &code
	if diff := cmp.Diff(*want, find(t, s, want.ID).Session); diff != "" {
		t.Errorf("finished (-want +got):\n%s", diff)
	}
	if err := s.CreateSession(t.Context(), want); !errors.Is(err, session.ErrExists) {
		t.Errorf("created twice: error = %v, want %v", err, session.ErrExists)
	}
}

func TestSessionStatus(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	reader := open(t, path)
	recorder, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b"} {
		create(t, recorder, id)
	}
	w := startJournal(t, path, "b")
	if err := recorder.FinishSession(t.Context(), "a", start, 0, false); err != nil {
		t.Fatal(err)
	}
	status := func() map[string]string {
		got := map[string]string{}
		for _, s := range []*sqlite.Store{reader, recorder} {
			infos, err := s.Sessions(t.Context(), store.Filter{})
			if err != nil {
				break // recorder is closed
			}
			for _, info := range infos {
				got[info.ID] = info.Status
			}
		}
		return got
	}
	if diff := cmp.Diff(map[string]string{"a": store.Ended, "b": store.Live}, status()); diff != "" {
		t.Errorf("while b is recorded (-want +got):\n%s", diff)
	}
	live, err := reader.Sessions(t.Context(), store.Filter{Live: true})
	if err != nil || len(live) != 1 || live[0].ID != "b" {
		t.Errorf("live = %v, error %v, want b", live, err)
	}
	if _, err := w.Close(); err != nil { // without an end: as the kernel does for a process that is killed
		t.Fatal(err)
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": store.Ended, "b": store.Interrupted}, status()); diff != "" {
		t.Errorf("after its recorder (-want +got):\n%s", diff)
	}
}

func TestSessionsFilter(t *testing.T) {
	s := newStore(t)
	for i, sess := range []session.Session{
		{ID: "a", Command: []string{"claude"}, Cwd: "/home/dev/shop", Agents: []session.Agent{{Name: "claude"}}},
		{ID: "b", Command: []string{"bash", "-l"}, Cwd: "/home/dev/shop2",
			Agents: []session.Agent{{Name: "claude"}, {Name: "codex"}}},
		{ID: "c", Command: []string{"codex"}, Cwd: "/home/dev/shop/a", Agents: []session.Agent{{Name: "codex"}}},
	} {
		sess.StartedAt = start.Add(time.Duration(i) * time.Hour)
		if err := s.CreateSession(t.Context(), &sess); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		filter store.Filter
		want   string
	}{
		{"all, newest first", store.Filter{}, "cba"},
		{"limit", store.Filter{Limit: 2}, "cb"},
		{"agent", store.Filter{Agent: "claude"}, "ba"},
		{"command", store.Filter{Command: "bas"}, "b"},
		{"cwd", store.Filter{Cwd: "/home/dev/shop"}, "ca"},
		{"since", store.Filter{Since: start.Add(time.Hour)}, "cb"},
		{"until", store.Filter{Until: start.Add(time.Hour)}, "a"},
	}
	for _, tt := range tests {
		infos, err := s.Sessions(t.Context(), tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, info := range infos {
			got += info.ID
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestFind(t *testing.T) {
	s := newStore(t)
	if _, err := s.Find(t.Context(), "last"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("last of none: error = %v", err)
	}
	for _, id := range []string{"0199aa", "0199ab", "0199abcd"} {
		create(t, s, id)
	}
	for ref, want := range map[string]string{"last": "0199abcd", "0199aa": "0199aa", "0199ab": "0199ab",
		"0199ABC": "0199abcd"} {
		if got := find(t, s, ref).ID; got != want {
			t.Errorf("Find(%q) = %s, want %s", ref, got, want)
		}
	}
	for ref, want := range map[string]error{"": session.ErrNotFound, "02": session.ErrNotFound, "%": session.ErrNotFound,
		"0199": session.ErrAmbiguous} {
		if _, err := s.Find(t.Context(), ref); !errors.Is(err, want) {
			t.Errorf("Find(%q): error = %v, want %v", ref, err, want)
		}
	}
}

func TestDeleteSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	for _, id := range []string{"a", "b"} {
		create(t, s, id)
		rawLog(t, s, id, []session.Event{output(0, "x")})
		if err := s.SaveEntries(t.Context(), id, []*session.Entry{message("1", 1, session.RoleUser, "hello")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeleteSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteSession(t.Context(), "a"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("deleted twice: error = %v", err)
	}
	for _, table := range []string{"sessions", "segments", "entries", "entry_fts"} {
		if got := queryInt(t, path, "SELECT count(*) FROM "+table); got != 1 {
			t.Errorf("rows left in %s = %d, want those of b", table, got)
		}
	}
}
