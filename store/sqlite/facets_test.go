package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Pages were told apart by the second in which a session began, so that sessions of one second were
// dropped. Each session comes once, however many began in the same nanosecond, also if others
// appear before, between and after the pages.
func TestPagesDropNoSession(t *testing.T) {
	s := newStore(t)
	add := func(id string, at time.Time) {
		t.Helper()
		if err := s.CreateSession(t.Context(), &session.Session{ID: id, StartedAt: at, EndedAt: &at, Cols: 80,
			Rows: 24}); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]int{}
	for i := range 40 {
		id := fmt.Sprintf("first-%02d", i)
		add(id, start.Add(time.Duration(i/10)*time.Nanosecond)) // ten in a nanosecond
		want[id] = 1
	}
	for _, limit := range []int{1, 3, 7, 10, 100} {
		got := map[string]int{}
		for page, f := 0, (store.Filter{Limit: limit}); ; page++ {
			infos, err := s.Sessions(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			if len(infos) == 0 {
				break
			}
			for _, info := range infos {
				got[info.ID]++
			}
			text, err := infos[len(infos)-1].Position().MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			if err := f.After.UnmarshalText(text); err != nil {
				t.Fatal(err)
			}
			for i, at := range []time.Time{start, start.Add(3), start.Add(time.Hour)} { // as those who begin now and imports do
				add(fmt.Sprintf("new-%d-%d-%d", limit, page, i), at)
			}
			if page > 400 {
				t.Fatal("the pages do not end")
			}
		}
		for id := range want {
			if got[id] != 1 {
				t.Errorf("limit %d: %s came %d times", limit, id, got[id])
			}
		}
		for id, n := range got {
			if n > 1 {
				t.Errorf("limit %d: %s came %d times", limit, id, n)
			}
		}
	}
}

func TestFacets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	if got, err := s.Facets(t.Context(), store.Filter{}); err != nil || got.Sessions != 0 || !got.First.IsZero() ||
		got.Tags == nil {
		t.Errorf("of nothing: %+v, %v", got, err)
	}
	create(t, s, "a")
	create(t, s, "b")
	startJournal(t, path, "a")
	startJournal(t, path, "b")
	ended := start.Add(time.Minute)
	other := &session.Session{ID: "c", Cwd: "/tmp", StartedAt: ended, EndedAt: &ended,
		Agents: []session.Agent{{Name: "codex"}, {Name: "codex", Version: "2"}}}
	if err := s.CreateSession(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "c"} {
		if _, err := s.Tag(t.Context(), id, []string{"work"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Facets(t.Context(), store.Filter{Limit: 1})
	want := store.Facets{Sessions: 3, First: start, Last: ended,
		Agents:  []store.Facet{{Value: "claude", Sessions: 2}, {Value: "codex", Sessions: 1}},
		Folders: []store.Facet{{Value: "/home/dev/shop", Sessions: 2}, {Value: "/tmp", Sessions: 1}},
		Tags:    []store.Facet{{Value: "work", Sessions: 2}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, facets (-want +got):\n%s", err, diff)
	}
	for _, c := range []struct {
		filter store.Filter
		want   int
	}{{store.Filter{}, 3}, {store.Filter{Live: true}, 2}, {store.Filter{Tag: "work"},
		2}, {store.Filter{Tag: "work", Live: true}, 1}, {store.Filter{Agent: "none", Live: true}, 0}} {
		n, err := s.Count(t.Context(), c.filter)
		facets, facetsErr := s.Facets(t.Context(), c.filter)
		if n != c.want || facets.Sessions != c.want || err != nil || facetsErr != nil {
			t.Errorf("%+v: count %d, facets of %d, want %d; %v, %v", c.filter, n, facets.Sessions, c.want, err, facetsErr)
		}
	}
}

func TestPageOfEntries(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	var all []*session.Entry
	for i := range 20 { // numbers have gaps: 2, 4, … 40
		all = append(all, message(fmt.Sprint(i), 2*(i+1), session.RoleUser, "words"))
	}
	if err := s.SaveEntries(t.Context(), "a", all); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		span               store.Span
		first, last, start int // numbers; 0: no entries
	}{
		{store.Span{}, 2, 40, 0},
		{store.Span{Limit: 3}, 2, 6, 0},
		{store.Span{Since: 6, Limit: 3}, 8, 12, 3},
		{store.Span{Since: 7, Limit: 3}, 8, 12, 3},
		{store.Span{Since: 38, Limit: 3}, 40, 40, 19},
		{store.Span{Since: 40, Limit: 3}, 0, 0, 20},
		{store.Span{Before: 1 << 30, Limit: 3}, 36, 40, 17},
		{store.Span{Before: 8, Limit: 2}, 4, 6, 1},
		{store.Span{Before: 6, Limit: 10}, 2, 4, 0},
		{store.Span{Before: 2, Limit: 10}, 0, 0, 0},
		{store.Span{Before: 6}, 2, 4, 0},
		{store.Span{Around: 20, Limit: 5}, 16, 24, 7},
		{store.Span{Around: 19, Limit: 5}, 16, 24, 7},
		{store.Span{Around: 1, Limit: 5}, 2, 10, 0},
		{store.Span{Around: 40, Limit: 5}, 32, 40, 15},
		{store.Span{Around: 999, Limit: 5}, 32, 40, 15},
		{store.Span{Around: 4, Limit: 100}, 2, 40, 0},
		{store.Span{Around: 4}, 2, 40, 0},
	} {
		page, err := s.Page(t.Context(), "a", c.span)
		if err != nil {
			t.Fatal(err)
		}
		first, last := 0, 0
		if n := len(page.Entries); n > 0 {
			first, last = page.Entries[0].Seq, page.Entries[n-1].Seq
		}
		if first != c.first || last != c.last || page.Start != c.start || page.Total != 20 {
			t.Errorf("%+v: entries %d to %d, start %d, total %d; want %d to %d, %d, 20", c.span, first, last, page.Start,
				page.Total, c.first, c.last, c.start)
		}
		if diff := cmp.Diff(page, store.PageOf(all, c.span)); diff != "" && len(page.Entries) > 0 {
			t.Errorf("%+v: the database and PageOf differ:\n%s", c.span, diff)
		}
	}
	if _, err := s.Page(t.Context(), "x", store.Span{}); err == nil {
		t.Error("a page of a session that is not there")
	}
}
