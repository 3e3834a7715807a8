package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

var vocabulary = []string{
	"foo", "Foo", "bar", "baz", "foobar", "été", "ETE", "straße", "İstanbul", "数据", "数据库", "库", "缓存", "ひらがな", "서버",
	"서버를", "12", "123", "1.5",
	"/usr/lib", "x86_64", "don't", "a-b", "e\u0301t\u00e9", "🙂", "NOT", "and", "OR", "*", "\"", "(", ")", "Ω", "ω", "ﬁ",
	"²", "\u00ad", "\u200b", "_", ".",
}

// large are texts that do not fit into one tsvector.
var large = []func() string{
	func() string { return strings.Repeat("foo ", 300) + "bar" },
	func() string { return strings.Repeat("foo bar ", 9000) + "baz" },
	func() string {
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, "w%d ", i)
		}
		return b.String() + "foo bar"
	},
	func() string { return "foo " + strings.Repeat("数", 20_000) + "据 bar" },
	func() string {
		return "foo " + strings.Repeat("é", 1500) + " bar " + strings.Repeat("b", 2100) + " baz"
	},
	func() string { return "bar " + strings.Repeat("lorem ipsum\n", 5<<20/12) + " foo bar" },
}

func textOf(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(vocabulary),
		rapid.SampledFrom([]string{"\n", ",", "foo", "bar"})), 0, 12).Draw(t, "text"),
		rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "between"))
}

func queryOf(t *rapid.T) string {
	part := rapid.Custom(func(t *rapid.T) string {
		word := rapid.SampledFrom(vocabulary).Draw(t, "word")
		switch rapid.IntRange(0, 12).Draw(t, "kind") {
		case 0:
			return word + "*"
		case 1:
			return `"` + word + " " + rapid.SampledFrom(vocabulary).Draw(t, "next") + `"`
		case 2:
			return `"` + word + " " + rapid.SampledFrom(vocabulary).Draw(t, "next") + `"*`
		case 3, 4, 5:
			return rapid.SampledFrom([]string{"AND", "OR", "NOT", "NOT", "(", ")", "( foo", "bar )"}).Draw(t, "operator")
		case 6:
			return rapid.SampledFrom([]string{"w1999*", "w5", `"w19998 w19999"`, `"foo foo"`, `"bar baz"`, `"数数据"`, "bbb*",
				"lorem", `"ipsum foo"`}).Draw(t, "large")
		}
		return word
	})
	return strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "query"), " ")
}

// A query finds the same messages in PostgreSQL as in SQLite.
func TestSameHitsAsSQLite(t *testing.T) {
	const texts, queries = 20, 20
	ctx, db := open(t)
	lite, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lite.Close() }()
	largeEach := 10
	if os.Getenv("PTYREC_LONG_TESTS") != "" {
		largeEach = 50
	}
	n, asked, hits := 0, 0, 0
	stored := func(t *rapid.T) string {
		var entries []*session.Entry
		for i := range texts {
			e := &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage, Role: session.RoleTool,
				Text: textOf(t), At: time.Unix(int64(n*texts+i), 0)}
			switch rapid.IntRange(0, 3).Draw(t, "output") {
			case 0:
				e.Output = textOf(t)
			case 1:
				e.Tool = &session.Tool{Name: "Bash", Input: textOf(t), Output: textOf(t)}
			}
			if n%largeEach == 0 && i < len(large) {
				e.Text += large[i]()
			}
			entries = append(entries, e)
		}
		n++
		ended := time.Unix(0, 1)
		s := &session.Session{ID: store.NewID(), Cols: 80, Rows: 24, EndedAt: &ended, ExitCode: &n}
		events := []session.Event{{At: time.Duration(n), Kind: session.Output, Data: []byte(s.ID)}}
		rec := store.NewRecording(80, 24)
		rec.Write(events[0])
		if err := put(ctx, db, s, events, entries); err != nil {
			t.Fatal(err)
		}
		if err := lite.Import(ctx, s, rec, entries); err != nil {
			t.Fatal(err)
		}
		return s.ID
	}
	rapid.Check(t, func(t *rapid.T) {
		if os.Getenv("PTYREC_LONG_TESTS") == "" && asked >= 10*queries || asked >= 10_000 {
			return // that many were asked for
		}
		q := store.Query{Filter: store.Filter{ID: stored(t), Limit: 1000}}
		for range queries {
			q.Text = queryOf(t)
			asked++
			want := idsOf(t, q.Text, func() ([]*store.Hit, error) { return lite.Search(ctx, q) })
			got := idsOf(t, q.Text, func() ([]*store.Hit, error) { return db.Search(ctx, q) })
			hits += len(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%q finds %v, in SQLite %v", q.Text, got, want)
			}
		}
	})
	if hits < asked {
		t.Errorf("%d queries found %d messages only", asked, hits)
	}
	t.Logf("%d queries, %d hits", asked, hits)
}

func idsOf(t *rapid.T, text string, search func() ([]*store.Hit, error)) (out []string) {
	found, err := search()
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, h := range found {
		out = append(out, h.Entry.ID)
	}
	slices.Sort(out)
	return out
}

// Deep queries find the same. FTS5's parser has a stack, beyond which a query finds nothing.
func TestDeepQueries(t *testing.T) {
	ctx, db := open(t)
	lite, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lite.Close() }()
	var entries []*session.Entry
	for i, text := range []string{"foo", "bar", "foo bar", "baz"} {
		entries = append(entries, &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage,
			Role: session.RoleUser, Text: text})
	}
	ended := time.Unix(0, 1)
	s := &session.Session{ID: store.NewID(), Cols: 80, Rows: 24, EndedAt: &ended}
	if err := errors.Join(put(ctx, db, s, nil, entries),
		lite.Import(ctx, s, store.NewRecording(80, 24), entries)); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for name, query := range map[string]func(n int) string{
		"parentheses": func(n int) string { return strings.Repeat("(", n) + "foo" + strings.Repeat(")", n) },
		"AND to the right": func(n int) string {
			return strings.Repeat("foo AND (", n) + "bar" + strings.Repeat(")", n)
		},
		"OR to the right": func(n int) string { return strings.Repeat("baz OR (", n) + "foo" + strings.Repeat(")", n) },
		"NOT to the right": func(n int) string {
			return strings.Repeat("foo NOT (", n) + "bar" + strings.Repeat(")", n)
		},
		"to the left":       func(n int) string { return strings.Repeat("(", n) + "foo" + strings.Repeat(" OR baz)", n) },
		"without operators": func(n int) string { return strings.Repeat("foo (", n) + "bar" + strings.Repeat(")", n) },
		"mixed": func(n int) string {
			return strings.Repeat("(foo OR bar AND (", n/2) + "baz" + strings.Repeat("))", n/2)
		},
		"chain of AND":   func(n int) string { return "foo" + strings.Repeat(" AND foo", n) },
		"chain of OR":    func(n int) string { return "foo" + strings.Repeat(" OR baz", n) },
		"chain of NOT":   func(n int) string { return "foo" + strings.Repeat(" NOT baz", n) },
		"chain of words": func(n int) string { return "foo" + strings.Repeat(" foo", n) },
		"OR of AND":      func(n int) string { return "foo" + strings.Repeat(" OR bar AND baz NOT foo", n) },
	} {
		for depth := 1; depth < 130; depth++ {
			if os.Getenv("PTYREC_LONG_TESTS") == "" &&
				!slices.Contains([]int{1, 2, 3, 31, 32, 33, 34, 48, 94, 95, 96, 97, 98, 128}, depth) {
				continue
			}
			q := store.Query{Text: query(depth), Filter: store.Filter{ID: s.ID}}
			want, err := lite.Search(ctx, q)
			got, pgErr := db.Search(ctx, q)
			if err := errors.Join(err, pgErr); err != nil {
				t.Fatalf("%s, %d deep: %v", name, depth, err)
			}
			ids := func(hits []*store.Hit) (out []string) {
				for _, h := range hits {
					out = append(out, h.Entry.ID)
				}
				slices.Sort(out)
				return out
			}
			if !slices.Equal(ids(got), ids(want)) {
				t.Errorf("%s, %d deep: %v, in SQLite %v", name, depth, ids(got), ids(want))
				break
			}
			if len(want) > 0 {
				found[name] = depth
			}
		}
	}
	t.Logf("the deepest that find something: %v", found)
}
