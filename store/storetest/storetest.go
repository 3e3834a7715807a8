// Package storetest tests that a database of sessions meets the contract: its tests run on each
// backend and cover each method that the server uses.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// DB is a database of sessions.
type DB interface {
	store.Reader
	store.Writer
	store.Counter
	store.Searcher
	Usage(ctx context.Context, f store.Filter) ([]store.Used, error)
	UsageOf(ctx context.Context, ids []string) ([]store.Used, error)
}

// Backend is a kind of database.
type Backend struct {
	// Open returns an empty database and the context to pass to its methods.
	Open func(t *testing.T) (context.Context, DB)
	// Put stores a session that has ended, with its raw log and entries.
	Put func(ctx context.Context, db DB, s *session.Session, events []session.Event, entries []*session.Entry) error
	// Save adds entries to a stored session and deletes those with the ids gone, as SaveEntries
	// does.
	Save func(ctx context.Context, db DB, id string, entries []*session.Entry, gone ...string) error
	// Use adds a stored session's usage.
	Use func(ctx context.Context, db DB, s *session.Session, used []session.Usage) error
}

// Run runs the tests of the contract.
func Run(t *testing.T, b Backend) {
	for name, test := range map[string]func(*testing.T, *world){
		"Find": testFind, "Sessions": testSessions, "Filters": testFilters, "Matches": testMatches,
		"Positions": testPositions, "Facets": testFacets, "Labels": testLabels,
		"Delete": testDelete, "Entries": testEntries, "Pages": testPages, "Save": testSave, "RawLog": testRawLog,
		"Search":        testSearch,
		"SearchFilters": testSearchFilters, "SearchAll": testSearchAll, "OddTexts": testOddTexts, "NotThere": testNotThere,
		"Described": testDescribed, "Continued": testContinued, "Usage": testUsage,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, db := b.Open(t)
			test(t, &world{DB: db, b: b, ctx: ctx})
		})
	}
}

// world is a database under test.
type world struct {
	DB
	b   Backend
	ctx context.Context
}

var start = time.Date(2026, 11, 2, 9, 30, 0, 123456789, time.UTC)

// put stores the nth session.
func (w *world) put(t *testing.T, n int, change func(*session.Session), entries ...*session.Entry) *session.Session {
	t.Helper()
	begun := start.Add(time.Duration(n) * time.Hour)
	ended, code := begun.Add(3*time.Second), n
	s := &session.Session{
		ID: fmt.Sprintf("019aa000-0000-7000-8000-%012x", n), Command: []string{"claude", "--resume"}, Cwd: "/home/dev/work",
		Title:     fmt.Sprint("title ", n),
		StartedAt: begun, EndedAt: &ended, ExitCode: &code, Cols: 80, Rows: 24,
		Agents: []session.Agent{{Name: "claude", Version: "2.1.0", Model: "Opus"}},
	}
	if change != nil {
		change(s)
	}
	events := []session.Event{
		{At: 0, Kind: session.Resize, Cols: 80, Rows: 24},
		{At: time.Second, Kind: session.Output, Data: []byte("hello ")},
		{At: 2 * time.Second, Kind: session.Input, Data: []byte("x")},
		{At: 2500 * time.Millisecond, Kind: session.Output, Data: []byte("world")},
		{At: 3 * time.Second, Kind: session.Exit, Status: n},
	}
	if err := w.b.Put(w.ctx, w.DB, s, events, entries); err != nil {
		t.Fatal(err)
	}
	return s
}

// said returns the nth entry, a message of a role.
func said(n int, role, text string) *session.Entry {
	at := start.Add(time.Duration(n) * time.Second)
	return &session.Entry{ID: fmt.Sprint("e", n), Seq: n, Type: session.TypeMessage, Role: role, Agent: "claude",
		Conversation: 1, Text: text, Markdown: text,
		At: at, Offset: int64(n), Status: session.StatusComplete}
}

func ids(infos []*store.Info) (out []string) {
	for _, i := range infos {
		out = append(out, i.ID)
	}
	return out
}

func testFind(t *testing.T, w *world) {
	want := w.put(t, 1, func(s *session.Session) {
		s.Git = &session.Git{Start: &session.GitState{Branch: "main", Commit: "abc123"}}
	}, said(1, session.RoleUser, "do it"), said(2, session.RoleAssistant, "done"))
	w.put(t, 2, nil)
	for _, ref := range []string{want.ID, strings.ToUpper(want.ID), want.ID[28:]} {
		info, err := w.Find(w.ctx, ref)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*want, info.Session); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
		got := []any{info.Status, info.Prompt, info.Messages, info.Turns, info.RawBytes, info.Duration, info.Name,
			info.Note, info.Unread, info.Beside, info.StoredBytes > 0}
		if diff := cmp.Diff([]any{store.Ended, "do it", 2, 1, int64(11), 3 * time.Second, "", "", false, false, true},
			got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
	}
	if info, err := w.Find(w.ctx, "last"); err != nil || info.ID == want.ID {
		t.Errorf("last: %v, %v", info, err)
	}
	for ref, want := range map[string]error{"": session.ErrNotFound, "019aa0": session.ErrAmbiguous,
		"zz": session.ErrNotFound, "019aa000\x00": session.ErrNotFound, "\xff": session.ErrNotFound,
		"%": session.ErrNotFound} {
		if _, err := w.Find(w.ctx, ref); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", ref, err, want)
		}
	}
}

func testSessions(t *testing.T, w *world) {
	if infos, err := w.Sessions(w.ctx, store.Filter{}); err != nil || len(infos) != 0 {
		t.Fatalf("empty: %v, %v", infos, err)
	}
	var want []string
	for n := range 5 {
		want = append([]string{w.put(t, n, nil).ID}, want...)
	}
	infos, err := w.Sessions(w.ctx, store.Filter{})
	if err != nil || !slices.Equal(ids(infos), want) {
		t.Errorf("%v, %v", ids(infos), err)
	}
	infos, err = w.Sessions(w.ctx, store.Filter{Limit: 2})
	if err != nil || !slices.Equal(ids(infos), want[:2]) {
		t.Errorf("%v, %v", ids(infos), err)
	}
}

func testFilters(t *testing.T, w *world) {
	w.put(t, 1, func(s *session.Session) {
		s.Cwd, s.Agents = "/srv/app", []session.Agent{{Name: "codex"}, {Name: "claude"}}
	})
	w.put(t, 2, func(s *session.Session) { s.Cwd, s.Command, s.Agents = "/srv/app2", []string{"make", "test 100%"}, nil })
	w.put(t, 3, func(s *session.Session) {
		s.Cwd = "/srv/app/x_y"
		s.Git = &session.Git{Start: &session.GitState{Branch: "main", Commit: "abc123"},
			End: &session.GitState{Branch: "fix", Commit: "def456"}, Commits: []string{"def456", "9999aa"}}
	})
	w.put(t, 4, func(s *session.Session) {
		s.Sandbox, s.Process, s.Cwd = "box", "p1", "/"
		s.Asked = &session.Asked{PTY: true}
	})
	id := func(n int) string { return fmt.Sprintf("019aa000-0000-7000-8000-%012x", n) }
	if _, err := w.Tag(w.ctx, id(2), []string{"slow", "重要"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    store.Filter
		want []int
	}{
		{store.Filter{Agent: "codex"}, []int{1}},
		{store.Filter{Agent: "claude"}, []int{4, 3, 1}},
		{store.Filter{Agent: "none"}, nil},
		{store.Filter{Cwd: "/srv/app"}, []int{3, 1}},
		{store.Filter{Cwd: "/srv/app/"}, []int{3}},
		{store.Filter{Cwd: "/srv/app/x%"}, nil},
		{store.Filter{Cwd: "/"}, []int{4, 3, 2, 1}},
		{store.Filter{Command: "test 1"}, []int{2}},
		{store.Filter{Command: "100%"}, []int{2}},
		{store.Filter{Command: "_"}, nil},
		{store.Filter{Tag: "slow"}, []int{2}},
		{store.Filter{Tag: "重要"}, []int{2}},
		{store.Filter{Tag: "slo"}, nil},
		{store.Filter{Branch: "fix"}, []int{3}},
		{store.Filter{Branch: "main"}, []int{3}},
		{store.Filter{Commit: "9999"}, []int{3}},
		{store.Filter{Commit: "abc"}, []int{3}},
		{store.Filter{Commit: "bc"}, nil},
		{store.Filter{Sandbox: "box"}, []int{4}},
		{store.Filter{Outside: true}, []int{3, 2, 1}},
		{store.Filter{Processes: true}, []int{4}},
		{store.Filter{Since: start.Add(3 * time.Hour)}, []int{4, 3}},
		{store.Filter{Until: start.Add(3 * time.Hour)}, []int{2, 1}},
		{store.Filter{Since: start.Add(2 * time.Hour), Until: start.Add(3 * time.Hour)}, []int{2}},
		{store.Filter{Live: true}, nil},
		{store.Filter{Unread: true}, nil},
		{store.Filter{ID: id(3)}, []int{3}},
		{store.Filter{ID: id(9)}, nil},
		{store.Filter{Agent: "claude", Cwd: "/srv", Limit: 1}, []int{3}},
	} {
		infos, err := w.Sessions(w.ctx, c.f)
		var want []string
		for _, n := range c.want {
			want = append(want, id(n))
		}
		if err != nil || !slices.Equal(ids(infos), want) {
			t.Errorf("%+v: %v, %v", c.f, ids(infos), err)
		}
		c.f.Limit = 0
		all, err := w.Sessions(w.ctx, c.f)
		if n, countErr := w.Count(w.ctx, c.f); err != nil || countErr != nil || n != len(all) {
			t.Errorf("%+v: counted %d, %v, %v", c.f, n, err, countErr)
		}
	}
}

// A cursor survives encoding as text, and pages through all sessions, even if many started at the
// same time.
func testPositions(t *testing.T, w *world) {
	for n := range 7 {
		w.put(t, n, func(s *session.Session) { s.StartedAt = start.Add(time.Duration(n/3) * time.Hour) })
	}
	all, err := w.Sessions(w.ctx, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var after store.Position
	for range 10 {
		infos, err := w.Sessions(w.ctx, store.Filter{After: after, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		if len(infos) == 0 {
			break
		}
		got = append(got, ids(infos)...)
		text, err := infos[len(infos)-1].Position().MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		after = store.Position{}
		if err := after.UnmarshalText(text); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, ids(all)) || len(got) != 7 {
		t.Errorf("%v, want %v", got, ids(all))
	}
	if n, err := w.Count(w.ctx, store.Filter{After: after, Limit: 1}); err != nil || n != 7 {
		t.Errorf("counted %d, %v", n, err)
	}
}

func testFacets(t *testing.T, w *world) {
	if got, err := w.Facets(w.ctx, store.Filter{}); err != nil || got.Sessions != 0 || !got.First.IsZero() {
		t.Errorf("empty: %+v, %v", got, err)
	}
	for n, cwd := range []string{"/b", "/a", "/b", "/ä", ""} {
		s := w.put(t, n, func(s *session.Session) {
			s.Cwd = cwd
			if n < 2 {
				s.Agents = []session.Agent{{Name: "codex"}, {Name: "codex", Version: "2"}}
			}
		})
		if n == 3 {
			if _, err := w.Tag(w.ctx, s.ID, []string{"y", "x"}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := w.Facets(w.ctx, store.Filter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := store.Facets{Sessions: 5, First: start, Last: start.Add(4 * time.Hour),
		Agents: []store.Facet{{Value: "claude", Sessions: 3}, {Value: "codex", Sessions: 2}},
		Folders: []store.Facet{{Value: "/b", Sessions: 2}, {Value: "/a", Sessions: 1},
			{Value: "/ä", Sessions: 1}}, Tags: []store.Facet{{Value: "x", Sessions: 1}, {Value: "y", Sessions: 1}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := w.Facets(w.ctx, store.Filter{Agent: "codex"}); err != nil || got.Sessions != 2 ||
		len(got.Tags) != 0 || got.Tags == nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func testLabels(t *testing.T, w *world) {
	s := w.put(t, 1, nil)
	err := errors.Join(w.Rename(w.ctx, s.ID, "my name"), w.SetNote(w.ctx, s.ID, "a\nnote"))
	tags, tagErr := w.Tag(w.ctx, s.ID, []string{"b", "a", "b"}, []string{"c"})
	info, findErr := w.Find(w.ctx, s.ID)
	if err := errors.Join(err, tagErr, findErr); err != nil {
		t.Fatal(err)
	}
	if info.Name != "my name" || info.Title != "my name" || info.Note != "a\nnote" ||
		!slices.Equal(info.Tags, []string{"a", "b"}) || !slices.Equal(tags, info.Tags) {
		t.Errorf("%+v, %v", info, tags)
	}
	tags, tagErr = w.Tag(w.ctx, s.ID, nil, []string{"a", "b"})
	err = errors.Join(tagErr, w.Rename(w.ctx, s.ID, ""), w.SetNote(w.ctx, s.ID, ""))
	info, findErr = w.Find(w.ctx, s.ID)
	if err := errors.Join(err, findErr); err != nil {
		t.Fatal(err)
	}
	if info.Name != "" || info.Title != "title 1" || info.Note != "" || len(info.Tags)+len(tags) != 0 {
		t.Errorf("%+v, %v", info, tags)
	}
}

func testDelete(t *testing.T, w *world) {
	gone, stays := w.put(t, 1, nil, said(1, session.RoleUser, "needle")), w.put(t, 2, nil,
		said(1, session.RoleUser, "needle"))
	if err := w.DeleteSession(w.ctx, gone.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Find(w.ctx, gone.ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("found: %v", err)
	}
	if err := w.DeleteSession(w.ctx, gone.ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	infos, err := w.Sessions(w.ctx, store.Filter{})
	if err != nil || !slices.Equal(ids(infos), []string{stays.ID}) {
		t.Errorf("%v, %v", ids(infos), err)
	}
	hits, err := w.Search(w.ctx, store.Query{Text: "needle"})
	if err != nil || len(hits) != 1 || hits[0].Session.ID != stays.ID {
		t.Errorf("%v, %v", hits, err)
	}
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

func testNotThere(t *testing.T, w *world) {
	const id = "019aa000-0000-7000-8000-00000000dead"
	_, entriesErr := w.EntriesAfter(w.ctx, id, 0)
	_, pageErr := w.Page(w.ctx, id, store.Span{})
	_, tagErr := w.Tag(w.ctx, id, []string{"x"}, nil)
	var eachErr, eventsErr error
	for _, err := range w.Each(w.ctx, id) {
		eachErr = err
	}
	for _, err := range w.EventsFrom(w.ctx, id, store.From{}) {
		eventsErr = err
	}
	for i, err := range []error{entriesErr, pageErr, tagErr, eachErr, eventsErr, w.Rename(w.ctx, id, "x"),
		w.SetNote(w.ctx, id, "x"), w.DeleteSession(w.ctx, id)} {
		if !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
