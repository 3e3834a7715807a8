package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// TestSearchLabels: titles given by rename, notes and tags were not searched.
func TestSearchLabels(t *testing.T) {
	s := newStore(t)
	for i, id := range []string{"a", "b", "c", "d"} {
		sess := &session.Session{ID: id, StartedAt: time.Unix(int64(1000+i), 0).UTC(), Cols: 80, Rows: 24,
			Title: map[string]string{"d": "Its own title"}[id]}
		if err := s.CreateSession(t.Context(), sess); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Rename(t.Context(), "a", "The Café bug"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetNote(t.Context(), "b", "the fix is in the second half\n缓存数据"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tag(t.Context(), "b", []string{"cache", "work"}, nil); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"cafe": "a", "CAF*": "a", "cache": "b", "work fix": "b", `"second half"`: "b", "缓存": "b", "bug OR cache": "ba",
		"the NOT bug": "b", "(the": "ba",
		"title": "d", "nothing": "", "AND": "", `") OR (`: "",
	} {
		hits, err := s.SearchLabels(t.Context(), store.Query{Text: query})
		got := ""
		for _, h := range hits {
			got += h.Session.ID
		}
		if err != nil || got != want {
			t.Errorf("%s: found %q, want %q, error %v", query, got, want, err)
		}
	}
	hits, err := s.SearchLabels(t.Context(), store.Query{Text: "half", Filter: store.Filter{Tag: "work"}})
	if err != nil || len(hits) != 1 || !strings.Contains(hits[0].Snippet.Text, "second half") ||
		len(hits[0].Snippet.Marks) != 1 {
		t.Errorf("hits %+v, error %v", hits, err)
	}
	if hits, err := s.SearchLabels(t.Context(),
		store.Query{Text: "half", Filter: store.Filter{Tag: "other"}}); err != nil || len(hits) != 0 {
		t.Errorf("filtered: %+v, error %v", hits, err)
	}
}

// TestSearchAllKeepsItsLimit: 20 labels and 20 messages came for a limit of 20.
func TestSearchAllKeepsItsLimit(t *testing.T) {
	s := newStore(t)
	for i := range 6 {
		id := fmt.Sprintf("s%d", i)
		create(t, s, id)
		if _, err := s.Tag(t.Context(), id, []string{"cache"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		e := &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage, Role: session.RoleUser,
			Text: "the cache", Status: session.StatusComplete}
		if err := s.SaveEntries(t.Context(), "s0", []*session.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	for limit, want := range map[int][2]int{1: {1, 0}, 2: {1, 1}, 6: {3, 3}, 9: {5, 4}, 20: {6, 4}} {
		labels, hits, err := s.SearchAll(t.Context(), store.Query{Text: "cache", Filter: store.Filter{Limit: limit}})
		if got := [2]int{len(labels), len(hits)}; err != nil || got != want {
			t.Errorf("limit %d: %v labels and messages, want %v, error %v", limit, got, want, err)
		}
	}
	for name, q := range map[string]store.Query{
		"role":    {Text: "cache", Roles: []string{session.RoleUser}},
		"session": {Text: "cache", Filter: store.Filter{ID: "s0"}},
	} {
		if labels, hits, err := s.SearchAll(t.Context(), q); err != nil || len(labels) != 0 || len(hits) != 4 {
			t.Errorf("%s: %d labels, %d messages, error %v", name, len(labels), len(hits), err)
		}
	}
}

// TestSearchPrefixIsNewestFirst: a beginning took ten times as long as a word, because ranking
// reads all that begins so a second time. It is not ranked: the newest come first.
func TestSearchPrefixIsNewestFirst(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	if err := s.SaveEntries(t.Context(), "a", []*session.Entry{
		message("1", 1, session.RoleUser, "cache cache cache"),
		message("2", 2, session.RoleAssistant, "of the caches, one is old, and there are many more words here"),
		message("3", 3, session.RoleUser, "nothing"),
	}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"cach*": "21", "cache": "1", "cach* NOT nothing": "21"} {
		for _, roles := range [][]string{nil, {session.RoleUser, session.RoleAssistant}} {
			hits, err := s.Search(t.Context(), store.Query{Text: query, Roles: roles})
			got := ""
			for _, h := range hits {
				got += h.Entry.ID
			}
			if err != nil || got != want {
				t.Errorf("%s, %v: %q, want %q, error %v", query, roles, got, want, err)
			}
		}
	}
}

// TestSearchNewestIsSearch: what is found in the newest messages is what the index on disk has, for
// any query with a beginning; a beginning that most messages hold took seconds.
func TestSearchNewestIsSearch(t *testing.T) {
	s := newStore(t)
	words := []string{"cache", "caches", "Café", "缓存数据", "make", "foo_bar", "cached"}
	for k, id := range []string{"a", "b"} {
		create(t, s, id)
		var entries []*session.Entry
		for i := range 60 {
			e := message(fmt.Sprint(i), i+1, []string{session.RoleUser, session.RoleAssistant, session.RoleTool}[i%3],
				words[i%7]+" "+words[(i/3+k)%7])
			if i%3 == 2 {
				e.Tool = &session.Tool{Name: "Bash", Input: words[i%5], Output: "output " + words[(i+2)%7]}
			}
			entries = append(entries, e)
		}
		if err := s.SaveEntries(t.Context(), id, entries); err != nil {
			t.Fatal(err)
		}
	}
	find := func(q store.Query) (found []string) {
		hits, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			found = append(found, h.Session.ID+"/"+h.Entry.ID+" "+h.Session.Status)
		}
		return found
	}
	var queries []store.Query
	for _, text := range []string{"cach*", "caf* make", "缓*", "out* NOT cach*", `"foo_bar cach"*`, "cach* OR ) (", "ba*",
		"none*"} {
		queries = append(queries, store.Query{Text: text, Filter: store.Filter{Limit: 5}},
			store.Query{Text: text, Roles: []string{session.RoleTool}, Filter: store.Filter{Limit: 3}},
			store.Query{Text: text, Filter: store.Filter{Limit: 2, Live: true}},
			store.Query{Text: text, Filter: store.Filter{Agent: "claude", Limit: 4}},
			store.Query{Text: text, Filter: store.Filter{ID: "a", Limit: 30}}, store.Query{Text: text,
				Filter: store.Filter{Command: "none"}})
	}
	var newest [][]string
	for _, q := range queries {
		newest = append(newest, find(q))
	}
	for _, n := range []int{1, 7} {
		sqlite.SearchInBatches(t, n)
		for i, q := range queries {
			if diff := cmp.Diff(newest[i], find(q)); diff != "" {
				t.Errorf("%+v, batches of %d (-of all +in batches):\n%s", q, n, diff)
			}
		}
	}
	sqlite.SearchOnDisk(t)
	for i, q := range queries {
		if diff := cmp.Diff(find(q), newest[i]); diff != "" {
			t.Errorf("%+v (-on disk +newest):\n%s", q, diff)
		}
	}
}
