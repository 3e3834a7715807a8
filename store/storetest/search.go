package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// found returns the ids of the entries that match a query, sorted.
func (w *world) found(t *testing.T, q store.Query) (out []string) {
	t.Helper()
	hits, err := w.Search(w.ctx, q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	for _, h := range hits {
		out = append(out, h.Entry.ID)
	}
	slices.Sort(out)
	return out
}

func testSearch(t *testing.T, w *world) {
	texts := []string{
		1:  "The quick brown fox",
		2:  "quick foxes, Brown!",
		3:  "数据库查询缓存",
		4:  "Größe des Cafés: naïve",
		5:  "서버를 다시 시작합니다",
		6:  "run /usr/lib/x86_64-linux-gnu now",
		7:  "NOT AND OR",
		8:  strings.Repeat("echo ", 300) + "omega",
		9:  manyWords(20000) + " finis coronat opus",
		10: "start " + strings.Repeat("z", 5000) + " end",
		11: "it's \\ a 'quoted' & strange | text:* !",
		12: "brown. Quick",
	}
	var entries []*session.Entry
	for n, text := range texts[1:] {
		entries = append(entries, said(n+1, session.RoleAssistant, text))
	}
	tool := said(13, session.RoleTool, "quick")
	tool.Tool = &session.Tool{Name: "Bash", Input: "brown", Output: "fox"}
	entries = append(entries, tool, &session.Entry{ID: "e14", Seq: 14, Type: session.TypeEvent, Event: session.EventIdle,
		Text: "quick", At: start})
	w.put(t, 1, nil, entries...)
	for query, want := range map[string]string{
		"quick":                   "e1 e12 e13 e2",
		"QUICK brown":             "e1 e12 e13 e2",
		`"quick brown"`:           "e1",
		`"brown quick"`:           "e12",
		"fox*":                    "e1 e13 e2",
		"fox":                     "e1 e13",
		`"quick brown fo"*`:       "e1",
		"quick NOT fox":           "e12 e2",
		"quick AND fox":           "e1 e13",
		"foxes OR 缓存":             "e2 e3",
		"(foxes OR 缓存) NOT quick": "e3",
		"数据":                      "e3",
		"查询":                      "e3",
		"库查":                      "e3",
		"据数":                      "",
		"cafes":                   "e4",
		"CAFÉ*":                   "e4",
		"grosse":                  "",
		"große":                   "e4",
		"naive":                   "e4",
		"서버":                      "e5",
		"시작":                      "e5",
		"x86_64":                  "e6",
		"usr/lib":                 "e6",
		"AND":                     "",
		"quick AND":               "e1 e12 e13 e2",
		"OR quick":                "e1 e12 e13 e2",
		"quick NOT":               "e1 e12 e13 e2",
		"(quick":                  "e1 e12 e13 e2",
		"quick ) fox":             "e1 e13",
		"quick () fox":            "e1 e13",
		`"not and"`:               "e7",
		`"echo omega"`:            "e8",
		`"echo echo omega"`:       "e8",
		`"omega echo"`:            "",
		"echo NOT omega":          "",
		`"finis coronat"`:         "e9",
		"word19999 word0":         "e9",
		`"word19999 finis"`:       "e9",
		`"word7 word9"`:           "",
		"coronat NOT word5":       "",
		"zzz*":                    "e10",
		"start NOT zzzzz*":        "",
		strings.Repeat("z", 5000): "e10",
		`"start end"`:             "",
		"start end":               "e10",
		"quoted":                  "e11",
		`"it's"`:                  "e11",
		"":                        "",
		"  … ":                    "",
		"*":                       "",
		"word123*":                "e9",
	} {
		if got := strings.Join(w.found(t, store.Query{Text: query}), " "); got != want {
			t.Errorf("%.60q: %s, want %s", query, got, want)
		}
	}
	hits, err := w.Search(w.ctx, store.Query{Text: "fox"})
	if err != nil || len(hits) != 2 || hits[0].Snippet.Text == "" || len(hits[0].Snippet.Marks) == 0 ||
		hits[0].Session.Title != "title 1" {
		t.Errorf("%+v, %v", hits, err)
	}
	if hits[0].Entry.ID != "e1" { // a match in what was said ranks above one in output
		t.Errorf("the best is %s", hits[0].Entry.ID)
	}
}

// manyWords returns n different words.
func manyWords(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.String()
}

func testSearchFilters(t *testing.T, w *world) {
	for n := range 4 {
		w.put(t, n, func(s *session.Session) {
			s.Cwd = fmt.Sprint("/w/", n%2)
			if n > 1 {
				s.Agents = []session.Agent{{Name: "codex"}}
			}
		}, said(n*10+1, session.RoleUser, "needle"), said(n*10+2, session.RoleTool, "needle "+manyWords(5000)))
	}
	if _, err := w.Tag(w.ctx, "019aa000-0000-7000-8000-000000000003", []string{"x"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    store.Query
		want string
	}{
		{store.Query{}, "e1 e11 e12 e2 e21 e22 e31 e32"},
		{store.Query{Roles: []string{session.RoleUser}}, "e1 e11 e21 e31"},
		{store.Query{Roles: []string{session.RoleUser, session.RoleTool}, Filter: store.Filter{Agent: "codex"}},
			"e21 e22 e31 e32"},
		{store.Query{Roles: []string{session.RoleSystem}}, ""},
		{store.Query{Filter: store.Filter{Cwd: "/w/1"}}, "e11 e12 e31 e32"},
		{store.Query{Filter: store.Filter{Tag: "x"}}, "e31 e32"},
		{store.Query{Filter: store.Filter{Since: start.Add(1)}}, "e11 e12 e21 e22 e31 e32"},
		{store.Query{Filter: store.Filter{ID: "019aa000-0000-7000-8000-000000000000"}}, "e1 e2"},
		{store.Query{Filter: store.Filter{Live: true}}, ""},
	} {
		c.q.Text = "needle"
		if got := strings.Join(w.found(t, c.q), " "); got != c.want {
			t.Errorf("%+v: %s, want %s", c.q, got, c.want)
		}
	}
	if got := w.found(t, store.Query{Text: "needle", Filter: store.Filter{Limit: 3}}); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

func testSearchAll(t *testing.T, w *world) {
	s := w.put(t, 1, nil, said(1, session.RoleUser, "cache the results"))
	w.put(t, 2, func(s *session.Session) { s.Title = "cache title" })
	w.put(t, 3, func(s *session.Session) { s.Title = "缓存 café" }, said(1, session.RoleAssistant, "none"))
	if _, err := w.Tag(w.ctx, s.ID, []string{"cache-bug"}, nil); err != nil {
		t.Fatal(err)
	}
	labels, hits, err := w.SearchAll(w.ctx, store.Query{Text: "cache"})
	if err != nil || len(labels) != 2 || len(hits) != 1 || labels[1].Session.ID != s.ID || labels[0].Snippet.Text == "" {
		t.Errorf("%v, %v, %v", labels, hits, err)
	}
	for query, n := range map[string]int{"存 CAFE": 1, "title": 2, "cache NOT bug": 1, `"cache bug"`: 1, "": 0,
		"nothing": 0} {
		if got, err := w.SearchLabels(w.ctx, store.Query{Text: query}); err != nil || len(got) != n {
			t.Errorf("%s: %d, %v", query, len(got), err)
		}
	}
	labels, hits, err = w.SearchAll(w.ctx, store.Query{Text: "cache", Roles: []string{session.RoleUser}})
	if err != nil || len(labels) != 0 || len(hits) != 1 {
		t.Errorf("%v, %v, %v", labels, hits, err)
	}
}

// Texts that a database might reject are stored, and the words around them are found.
func testOddTexts(t *testing.T, w *world) {
	for n, odd := range []string{"\x00", "\xff\xfe", "\xed\xa0\x80", "\u2028\ufeff", "\x1b[0m",
		"'; DROP TABLE sessions; --", `\`, "%s", "🙂"} {
		e := said(1, session.RoleUser, "before "+odd+" after")
		e.Output, e.Markdown = odd, odd+odd
		e.Tool = &session.Tool{Name: odd, Input: odd}
		e.Data = map[string]any{odd: odd}
		s := w.put(t, n, func(s *session.Session) {
			s.Cwd, s.Title, s.Command, s.Agents = "/w/"+odd, odd+"title", []string{"x" + odd,
				odd}, []session.Agent{{Name: "a" + odd}}
		}, e)
		if err := w.Rename(w.ctx, s.ID, "name"+odd); err != nil {
			t.Errorf("%q: %v", odd, err)
		}
		if err := w.SetNote(w.ctx, s.ID, odd); err != nil {
			t.Errorf("%q: %v", odd, err)
		}
		w.checkOdd(t, s.ID, odd)
	}
	if infos, err := w.Sessions(w.ctx, store.Filter{Agent: "a🙂"}); err != nil || len(infos) != 1 {
		t.Errorf("%v, %v", infos, err)
	}
	if facets, err := w.Facets(w.ctx, store.Filter{Cwd: "/w"}); err != nil || facets.Sessions != 9 {
		t.Errorf("%+v, %v", facets, err)
	}
}

// checkOdd checks the session id that has an odd text in all its texts.
func (w *world) checkOdd(t *testing.T, id, odd string) {
	t.Helper()
	info, err := w.Find(w.ctx, id)
	if err != nil || !strings.HasPrefix(info.Cwd, "/w/") || !strings.HasPrefix(info.Title, "name") ||
		len(info.Command) != 2 {
		t.Errorf("%q: %+v, %v", odd, info, err)
	}
	found := w.found(t, store.Query{Text: "before after", Filter: store.Filter{ID: id}})
	if !slices.Equal(found, []string{"e1"}) {
		t.Errorf("%q: found %v", odd, found)
	}
	got := all(t, w.Each(w.ctx, id))
	if len(got) != 1 || !strings.HasPrefix(got[0].Text, "before ") || !strings.HasSuffix(got[0].Text, " after") {
		t.Errorf("%q: %+v", odd, got)
	}
}
