package storetest

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// For each filter, the database selects the same sessions as Filter.Matches.
func testMatches(t *testing.T, w *world) {
	w.put(t, 1, func(s *session.Session) {
		s.Cwd, s.Agents = "/srv/app", []session.Agent{{Name: "codex"}, {Name: "claude"}}
	})
	tagged := w.put(t, 2, func(s *session.Session) {
		s.Cwd, s.Command, s.Agents = "/srv/app2", []string{"make", "test 100%"}, nil
	})
	w.put(t, 3, func(s *session.Session) {
		s.Cwd = "/srv/app/x_y"
		s.Git = &session.Git{
			Start:   &session.GitState{Branch: "main", Commit: "abc123"},
			End:     &session.GitState{Branch: "fix", Commit: "def456"},
			Commits: []string{"def456", "9999aa"},
		}
	})
	w.put(t, 4, func(s *session.Session) {
		s.Sandbox, s.Process, s.Cwd, s.Asked = "box", "p1", "/", &session.Asked{PTY: true}
		s.Git = &session.Git{Start: &session.GitState{Branch: "fix", Commit: "abd000"}}
	})
	if _, err := w.Tag(w.ctx, tagged.ID, []string{"slow", "red"}, nil); err != nil {
		t.Fatal(err)
	}
	all, err := w.Sessions(w.ctx, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var positions []store.Position
	times := []time.Time{start, start.Add(9 * time.Hour)}
	for _, i := range all {
		positions, times = append(positions, i.Position()), append(times, i.StartedAt, i.StartedAt.Add(1))
	}
	texts := map[string][]string{
		"agent": {"codex", "claude", "gemini"}, "command": {"make", "100%", "_", "claude"}, "tag": {"slow", "red", "blue"},
		"cwd":   {"/srv/app", "/srv/app/", "/srv", "/", "/srv/app/x", "/home/dev"},
		"owner": {all[0].Owner, "nobody"}, "space": {"none"},
		"branch": {"main", "fix", "mai"}, "commit": {"ab", "abc123", "9999", "bc"},
		"sandbox": {"box", "bo"}, "id": {tagged.ID, all[0].ID[:35]},
	}
	rapid.Check(t, func(t *rapid.T) {
		var f store.Filter
		for range rapid.IntRange(1, 3).Draw(t, "fields") {
			d := rapid.SampledFrom(store.Fields()).Draw(t, "field")
			switch v := d.In(&f).(type) {
			case *string:
				*v = rapid.SampledFrom(texts[d.Name]).Draw(t, d.Name)
			case *bool:
				*v = true
			case *time.Time:
				*v = rapid.SampledFrom(times).Draw(t, d.Name)
			case *store.Position:
				*v = rapid.SampledFrom(positions).Draw(t, d.Name)
			}
		}
		want := slices.DeleteFunc(slices.Clone(all), func(i *store.Info) bool { return !f.Matches(i) })
		got, err := w.Sessions(w.ctx, f)
		if err != nil || !slices.Equal(ids(got), ids(want)) {
			t.Errorf("%+v: %v, want %v; %v", f, ids(got), ids(want), err)
		}
	})
}
