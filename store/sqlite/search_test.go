package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func TestSearch(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	tool := message("5", 5, session.RoleTool, "Bash(make)")
	tool.Tool = &session.Tool{Name: "Bash", Input: "make", Output: "undefined: foo_bar"}
	if err := s.SaveEntries(t.Context(), "a", []*session.Entry{
		message("1", 1, session.RoleUser, "How does the cache work?"),
		message("2", 2, session.RoleAssistant, "The cache keeps pages; the Café does not."),
		message("3", 3, session.RoleUser, "我们需要清理缓存数据"),
		message("4", 4, session.RoleAssistant, "キャッシュを消去しました. done"),
		tool,
	}); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ query, want string }{
		{"cache", "12"}, {"CACHE keeps", "2"}, {"cach", ""}, {"cach*", "12"}, {`"the cache"`, "12"}, {`"cache the"`, ""},
		{"cache NOT pages", "1"}, {"pages OR 缓存", "23"}, {"cafe", "2"}, {"缓存", "3"}, {"存", "3"}, {"缓数", ""}, {"キャッシュ", "4"},
		{"foo_bar", "5"}, {"(make)", "5"}, {"work?", "1"}, {"NOT", ""}, {"cache AND", "12"}, {`"cache`, "12"},
		{"-- ***", ""}, {"", ""},
		{"(cache OR make) NOT work", "25"}, {`") OR (`, ""}, {"text:cache", ""},
	}
	for _, tt := range tests {
		hits, err := s.Search(t.Context(), store.Query{Text: tt.query})
		if err != nil {
			t.Errorf("%q: %v", tt.query, err)
		}
		got := [6]bool{}
		for _, hit := range hits {
			got[hit.Entry.Seq] = true
		}
		found := ""
		for seq, ok := range got {
			if ok {
				found += string(rune('0' + seq))
			}
		}
		if found != tt.want {
			t.Errorf("%q found %q, want %q", tt.query, found, tt.want)
		}
	}
	hits, err := s.Search(t.Context(), store.Query{Text: "cache", Roles: []string{session.RoleUser},
		Filter: store.Filter{Agent: "claude"}})
	if err != nil || len(hits) != 1 || hits[0].Session.ID != "a" || hits[0].Session.Status != store.Interrupted {
		t.Errorf("filtered: %v, error %v", hits, err)
	}
}

// TestSearchLong checks that the beginning and the end of a long output are found, and its middle
// where it has few words.
func TestSearchLong(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	var many, few strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&many, "n%d\n", i)
	}
	for i := range 50_000 {
		fmt.Fprintf(&few, "%d warnings\n", i%100)
	}
	long, plain := message("1", 1, session.RoleShell, "print"), message("2", 2, session.RoleShell, "make")
	long.Output, plain.Output = many.String(), few.String()[:300_000]+" middle "+few.String()[300_000:]
	if err := s.SaveEntries(t.Context(), "a", []*session.Entry{long, plain}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{"print": 1, "n0": 1, "n9999": 1, "n490001": 1, "n499999": 1, "middle": 1,
		"warnings": 1} {
		hits, err := s.Search(t.Context(), store.Query{Text: query})
		if err != nil || len(hits) != want {
			t.Errorf("%q: %d hits, error %v, want %d", query, len(hits), err, want)
		}
	}
}

// The index follows each change of an entry.
func TestSearchInStep(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	count := func(word string) int {
		hits, err := s.Search(t.Context(), store.Query{Text: word})
		if err != nil {
			t.Fatal(err)
		}
		return len(hits)
	}
	e := message("1", 1, session.RoleAssistant, "first words")
	for _, text := range []string{"first words", "second words", "third"} {
		e.Text = text
		if err := s.SaveEntries(t.Context(), "a", []*session.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	if got := [4]int{count("first"), count("words"), count("third"), count("second")}; got != [4]int{0, 0, 1, 0} {
		t.Errorf("hits = %v, want only the last text", got)
	}
	if err := s.ReplaceEntries(t.Context(), "a", store.List(nil)); err != nil {
		t.Fatal(err)
	}
	if got := count("third"); got != 0 {
		t.Errorf("hits after all is gone = %d", got)
	}
}

func TestSnippet(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	text := "Before it all there is a long, long and winding introduction to the\n" +
		"matter. Then the Cache comes, and the cache goes."
	if err := s.SaveEntries(t.Context(), "a", []*session.Entry{message("1", 1, session.RoleAssistant, text)}); err != nil {
		t.Fatal(err)
	}
	hits, err := s.Search(t.Context(), store.Query{Text: "cache goes"})
	if err != nil || len(hits) != 1 {
		t.Fatalf("%d hits, error %v", len(hits), err)
	}
	got := hits[0].Snippet
	want := "…ng introduction to the matter. Then the Cache comes, and the cache goes."
	var marked []string
	for _, m := range got.Marks {
		marked = append(marked, got.Text[m[0]:m[1]])
	}
	if diff := cmp.Diff(want, got.Text); diff != "" {
		t.Errorf("snippet (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Cache", "cache", "goes"}, marked); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}
