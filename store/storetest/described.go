package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// All fields that describe a session are stored and returned.
func testDescribed(t *testing.T, w *world) {
	dirty, code := true, 130
	full := w.put(t, 1, func(s *session.Session) {
		s.Git = &session.Git{
			Start:   &session.GitState{Branch: "main", Commit: "abc123", Dirty: &dirty},
			End:     &session.GitState{Branch: "fix", Commit: "def456"},
			Commits: []string{"def456"},
		}
		s.Source = &session.Source{Kind: session.SourceAgentLog, Agent: "claude", ID: "their-id",
			Path: "/home/dev/.claude/x.jsonl"}
		s.Sandbox, s.Process, s.ExitCode = "box", "p1", &code
		s.Asked = &session.Asked{By: "curl 127.0.0.1", Shell: "main", Apart: true, PTY: true}
		s.Continues = "019aa000-0000-7000-8000-0000000000ff" // a deleted session
	}, said(1, session.RoleUser, "needle"))
	for name, read := range map[string]func() (*store.Info, error){
		"Find": func() (*store.Info, error) { return w.Find(w.ctx, full.ID) },
		"Sessions": func() (*store.Info, error) {
			infos, err := w.Sessions(w.ctx, store.Filter{ID: full.ID})
			if err != nil || len(infos) != 1 {
				return nil, err
			}
			return infos[0], nil
		},
		"Search": func() (*store.Info, error) {
			hits, err := w.Search(w.ctx, store.Query{Text: "needle"})
			if err != nil || len(hits) != 1 {
				return nil, err
			}
			return hits[0].Session, nil
		},
	} {
		info, err := read()
		if err != nil || info == nil {
			t.Fatalf("%s: %v, %v", name, info, err)
		}
		if diff := cmp.Diff(*full, info.Session); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A session lists those that continue its conversation, oldest first.
func testContinued(t *testing.T, w *world) {
	first := w.put(t, 1, nil)
	next := func(n int, continues string) string {
		return w.put(t, n, func(s *session.Session) { s.Continues = continues }).ID
	}
	third, second := next(3, first.ID), next(2, first.ID)
	next(4, second)
	check := func(want ...string) {
		t.Helper()
		info, err := w.Find(w.ctx, first.ID)
		if err != nil || !slices.Equal(info.ContinuedBy, want) {
			t.Errorf("%+v, %v, want %v", info, err, want)
		}
	}
	check(second, third)
	if err := w.DeleteSession(w.ctx, second); err != nil {
		t.Fatal(err)
	}
	check(third)
}

// Usage is stored by quarters of an hour.
func testUsage(t *testing.T, w *world) {
	cost := 0.25
	quarter := start.Truncate(15 * time.Minute)
	used := []session.Usage{
		{Source: session.UsageScreen, Agent: "claude", Model: "opus", At: quarter, Input: 1, CacheRead: 2, CacheWrite: 3,
			Output: 4, Reasoning: 5, Total: 10, Cost: &cost},
		{Source: session.UsageScreen, Agent: "codex", At: quarter.Add(time.Hour), Total: 1 << 40},
	}
	one, two := w.put(t, 1, nil), w.put(t, 2, func(s *session.Session) { s.Cwd = "/other" })
	for _, s := range []*session.Session{one, two} {
		if err := w.b.Use(w.ctx, w.DB, s, used); err != nil {
			t.Fatal(err)
		}
	}
	w.put(t, 3, nil) // a session without usage
	want := func(sessions ...*session.Session) (out []store.Used) {
		for _, s := range sessions {
			for _, u := range used {
				out = append(out, store.Used{Session: s.ID, Cwd: s.Cwd, Usage: u})
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		want []store.Used
		read func() ([]store.Used, error)
	}{
		"all":     {want(two, one), func() ([]store.Used, error) { return w.Usage(w.ctx, store.Filter{Limit: 1}) }},
		"folder":  {want(two), func() ([]store.Used, error) { return w.Usage(w.ctx, store.Filter{Cwd: "/other"}) }},
		"ids":     {want(one), func() ([]store.Used, error) { return w.UsageOf(w.ctx, []string{one.ID, "none"}) }},
		"nothing": {nil, func() ([]store.Used, error) { return w.UsageOf(w.ctx, nil) }},
	} {
		got, err := c.read()
		for i := range got {
			got[i].Key = ""
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
