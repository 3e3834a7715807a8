package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestOverlap finds where rows of a window begin among those that were there, one letter a row:
// lower case is a light row, upper case a heavy one, _ a blank one.
func TestOverlap(t *testing.T) {
	rows := func(signs string) []row.Line {
		var out []string
		for _, s := range signs {
			switch {
			case s == '_':
				out = append(out, "")
			case s >= 'a':
				out = append(out, string(s))
			default:
				out = append(out, strings.Repeat(string(s), 20))
			}
		}
		return rowtest.Plain(60, out...)
	}
	for _, tt := range []struct {
		name, old, body string
		at              int
	}{
		{"nothing in common", "AB", "CD", -1},
		{"blank rows in common", "_", "_A", -1},
		{"a first row is replaced by one in its place", "xA_B", "yA_C", 1},
		{"the last row is among others", "AbC", "Axb", 0},
		{"a blank row does not decide where a row is that was said twice", "_a_ax", "_ay", 2},
		{"the last row is above, too, where more goes on alike", "CaBDexa", "aBDeyzw", 1},
		{"the heaviest of two runs", "abcDxDye", "abc_e", 0},
		{"a block that was said again, above rows that would be lost", "ABXYZCDEFGHMNO", "IJKXYZL", -1},
		{"a block above rows that may have changed", "ABXYZCDE", "IJKXYZL", 2},
		{"a run of rows that were said twice", "CaCaBbBbBb", "CaCaxBbBbBb", 0},
		{"such a run below a new row", "CaCaBbBbBb", "xCaCayBbBbBb", 0},
		{"a light row that is there once is too little", "axDbDy", "aDbD", 2},
	} {
		if at := overlap(rows(tt.old), rows(tt.body)); at != tt.at {
			t.Errorf("%s: %d; want %d", tt.name, at, tt.at)
		}
	}
}

// TestLeads finds rows on which a window begins: all of it, or up to the end of what was there.
func TestLeads(t *testing.T) {
	old := rowtest.Plain(40, "one", "two", "three", "four")
	for _, tt := range []struct {
		body []string
		ok   bool
	}{
		{[]string{"two", "three"}, true},
		{[]string{"three", "four", "five"}, true},
		{[]string{"two", "three", "five"}, false},
	} {
		if at := leads(old, 0, rowtest.Plain(40, tt.body...), 24); at >= 0 != tt.ok || tt.ok && old[at].Text != tt.body[0] {
			t.Errorf("%q: %d", tt.body, at)
		}
	}
}

// TestRedrawn compares the rows above those in common: the same ones with another marker or
// counter, or others that came in between.
func TestRedrawn(t *testing.T) {
	for _, tt := range []struct {
		name      string
		old, body []string
		want      bool
	}{
		{"a spinner turns, below blank rows", []string{"", "", "", "⠋ Reading main.go"},
			[]string{"", "", "", "⠙ Reading main.go"}, true},
		{"another row with the same first letter", []string{"● Running the tests now"}, []string{"● Read the file main.go"},
			false},
		{"the next of a numbered list", []string{"1. Use the cache"}, []string{"2. Use the cache"}, false},
		{"a row above the first", nil, []string{"● Reading main.go"}, true},
	} {
		if got := redrawn(rowtest.Plain(40, tt.old...), rowtest.Plain(40, tt.body...), len(tt.body),
			len(tt.old)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestAlignNotRewrapped shows windows that overlap the document and begin with rows that it has not
// got there: their letters are above, too, but that is not where they belong.
func TestAlignNotRewrapped(t *testing.T) {
	said := "The parser drops the header when the disk is slow and then it rebuilds the index, all of it."
	prompt := "> Find out how a stale token batches three"
	twice := []string{"● Reading main.go", "  the first of its rows is this", "and another", "● Reading main.go",
		"  the first of its rows is this"}
	wide := func(texts ...string) []row.Line { return rowtest.Plain(100, texts...) }
	narrow := func(texts ...string) []row.Line { return rowtest.Plain(50, texts...) }
	for _, tt := range []struct {
		name  string
		lines []row.Line
		base  int
		body  []row.Line
		want  []string
	}{
		{
			"a prompt that is said again, and answered in the same words", slices.Concat(
				wide(prompt, "", said, "", "and exits early.", ""), narrow(prompt, "", "⠋ Working…"),
			), 6,
			narrow(prompt, "", "The parser drops the header"),
			[]string{prompt, "", said, "", "and exits early.", "", prompt, "", "The parser drops the header"},
		},
		{
			"a counter that has grown", wide("a row above it all", "● Reading files: 9", said), 1,
			wide("● Reading files: 10", said),
			[]string{"a row above it all", "● Reading files: 10", said},
		},
		{
			"a result that came in between", wide(said, "● Reading main.go", "the last row of the text"), 1,
			wide("its first row", "its second row", "its third row", "● Reading main.go", "the last row of the text"),
			[]string{said, "its first row", "its second row", "its third row", "● Reading main.go", "the last row of the text"},
		},
		{
			"a row that is longer than what is above",
			slices.Concat(wide("row"), narrow("● Reading main.go", "the last row of the text")), 1,
			narrow("a row that is new, and longer than what is above", "● Reading main.go", "the last row of the text"),
			[]string{"row", "a row that is new, and longer than what is above", "● Reading main.go", "the last row of the text"},
		},
		{
			"the first letters of all, said again above more rows than there are",
			wide("● Reading", "main.go", "Done.", "its last row but one", "the last row of the text"), 3,
			wide("● Reading main.go", "its first row is a long one", "its second row is no shorter", "its last row but one",
				"the last row of the text"),
			[]string{"● Reading", "main.go", "Done.", "● Reading main.go", "its first row is a long one",
				"its second row is no shorter", "its last row but one", "the last row of the text"},
		},
		{
			"a row above what is said twice", slices.Concat(wide(said), narrow(twice...)), 1,
			narrow(append([]string{"new"}, twice...)...),
			append([]string{said, "new"}, twice...),
		},
	} {
		d := Document{Lines: tt.lines, Base: tt.base}
		d.align(tt.body, false)
		if diff := cmp.Diff(tt.want, texts(d.Lines)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestAlignTableResized draws a table in wider columns below new rows, just after a resize: its
// cells say where it is, though its first letters are nowhere.
func TestAlignTableResized(t *testing.T) {
	d := Document{Lines: rowtest.Plain(60, "│ name │ rows │", "│ tokens of the user │ 12 │",
		"│ sessions of the user │ 40 │")}
	d.align(rowtest.Plain(60, "Here is", "what the tables have:", "", "│ name   │ rows   │",
		"│ tokens of the user  │ 12  │", "│ sessions of the user │ 4000 │"), true)
	if len(d.Lines) != 6 || d.Placed != PlacedTable {
		t.Errorf("placed: %s, rows %q", d.Placed, texts(d.Lines))
	}
}

// TestAlignBoxed draws a call again in a box with its result, which pushes most of the window out:
// the words behind the bar say where it is.
func TestAlignBoxed(t *testing.T) {
	d := Document{Lines: rowtest.Plain(60, "The parser flushes the last page when the disk is slow,",
		"and each worker locks the session map before it is held.", "Nothing that is said here is said again in the "+
			"result,", "so that the window is about as full as the next one is.", "",
		"  → Read main.go", "  ← Edit main.go", "", "  ▣ Build")}
	d.align(rowtest.Plain(60, "  → Read main.go", "", "  ┃", "  ┃ ← Edit main.go", "  ┃", "  ┃ func main() {",
		"  ┃   fmt.Println(\"shop\", version())", "  ┃ }", "  ┃ func version() string { return \"1.5.0\" }", "  ┃", "",
		"  ▣ Build"), false)
	if d.Base != 5 || d.Placed != PlacedTable {
		t.Errorf("placed: %s, rows %q", d.Placed, texts(d.Lines))
	}
}

// TestAlignOtherCode shows other code than before, which has the same end of a function: what was
// between was never on the screen.
func TestAlignOtherCode(t *testing.T) {
	rows := func(names ...string) (out []string) {
		for _, name := range names {
			out = append(out, "def "+name+"(items):", "    items.append("+name+"_first)", "    items.append("+name+"_next)",
				"    return items", "")
		}
		return out
	}
	d := Document{Lines: rowtest.Plain(60, append(rows("sum", "mean"), "    items")...)}
	d.align(rowtest.Plain(60, append(rows("top", "last"), "    items.")...), false)
	if len(d.Lines) != 22 || d.Placed != PlacedBelow {
		t.Errorf("placed: %s, rows %q", d.Placed, texts(d.Lines))
	}
}

// TestAlignConcealed draws rows again without the marks of Markdown, which were there until the
// agent had parsed them: the words around them may wrap elsewhere then.
func TestAlignConcealed(t *testing.T) {
	was := []string{"Our list of changes in this release is here.", "- [CHANGE] `cache.NewCollector` is",
		"- [CHANGE] `cache.NewReader` is deprecated, so use the",
		"  other one that is in `list`, and goes on below this row", "- [FEATURE]"}
	for _, tt := range []struct {
		name       string
		body, want []string
	}{
		{
			"row for row",
			[]string{"- CHANGE cache.NewCollector is deprecated, use the", "  collectors of this package",
				"- CHANGE cache.NewReader is deprecated, so use the", "  other one that is in list, and goes on below this row",
				"- FEATURE A cache of rows"},
			[]string{was[0], "- CHANGE cache.NewCollector is deprecated, use the", "  collectors of this package",
				"- CHANGE cache.NewReader is deprecated, so use the", "  other one that is in list, and goes on below this row",
				"- FEATURE A cache of rows"},
		},
		{
			"from within a line on",
			[]string{"  NewReader is deprecated, so use the other one that is", "  in list, and goes on below this row",
				"- FEATURE", "- FEATURE A table of cells"},
			[]string{was[0], was[1], "- [CHANGE] `cache.NewReader is deprecated, so use the other one that is",
				"  in list, and goes on below this row", "- FEATURE", "- FEATURE A table of cells"},
		},
	} {
		d := Document{Lines: rowtest.Plain(60, was...)}
		d.align(rowtest.Plain(60, tt.body...), false)
		if diff := cmp.Diff(tt.want, texts(d.Lines)); diff != "" {
			t.Errorf("%s, placed: %s (-want +got):\n%s", tt.name, d.Placed, diff)
		}
	}
}

// TestAlignBelowBlank draws a window whose text was never there before, above the row that ends
// it: first of all, that row was there alone.
func TestAlignBelowBlank(t *testing.T) {
	const end = "  ▣ Build · Mock Coder · 12.5s"
	text := []string{"Each worker locks the session map before it is held.", "One of them has it for long,",
		"and the others wait for it.", "That is why the parser is slow,", "and why the last page is late.", ""}
	was := []string{"The parser flushes the last page when the disk is slow.",
		"Nothing that is said here is said again below.",
		"So it goes on for some rows,", "which are about as many as fit.", ""}
	d := Document{Lines: rowtest.Plain(60, append(was, "  ▣ Build · Mock Coder")...)}
	for _, body := range [][]string{append(make([]string, len(text)), end), append(text, end)} {
		d.align(rowtest.Plain(60, body...), false)
	}
	if d := cmp.Diff(slices.Concat(was, text, []string{end}), texts(d.Lines)); d != "" {
		t.Error(d)
	}
	if !d.Lines[len(was)].Lost {
		t.Error("nothing says that rows are missing")
	}
}

// TestAlignAboveEnd shows other rows than before above the row that ended both windows: they are
// above it, too.
func TestAlignAboveEnd(t *testing.T) {
	const end = "  ▣ Build · Mock Coder · 12.5s"
	was := []string{"The parser flushes the last page when the disk is slow.",
		"Nothing that is said here is said again below.",
		"So it goes on for some rows,", "which are about as many as fit.", ""}
	text := []string{"Each worker locks the session map before it is held.", "One of them has it for long,",
		"and the others wait for it.", "That is why the parser is slow,", "and why the last page is late.", ""}
	d := Document{Lines: rowtest.Plain(60, append(was, end)...)}
	d.align(rowtest.Plain(60, append(text, end)...), false)
	if d := cmp.Diff(slices.Concat(was, text, []string{end}), texts(d.Lines)); d != "" {
		t.Error(d)
	}
}

// TestAlignLastCells draws the last row of a table again, below which the table goes on: its last
// cells were not drawn before. Words that go on elsewhere, and blank rows, are no such row.
func TestAlignLastCells(t *testing.T) {
	window := func(rows ...string) []row.Line { return rowtest.Plain(60, rows...) }
	below := []string{"├───────┼─────┼──────────────┤", "│ row20 │ 32  │ two rows     │", "└───────┴─────┴──────────────┘"}
	for _, tt := range []struct {
		name string
		old  []string // the window before
		base int      // its first line
		row  string   // the first row of the next window
		at   int      // where that is
	}{
		{"a row of a table", []string{"│ row18 │ 584 │ an unbounded │", "│ row19 │ 396 │              │",
			"└───────┴─────┴──────────────┘"}, 0, "│ row19 │ 396 │ an unbounded │", 1},
		{"a row above the window", []string{"│ row19 │ 396 │              │", "", ""}, 1, "│ row19 │ 396 │ an unbounded │",
			3},
		{"words", []string{"The first", "The sta", "──────"}, 0, "The stale token", 3},
		{"nothing yet", []string{"", ""}, 0, "The stale token", 2},
	} {
		d := Document{Lines: window(tt.old...), Base: tt.base}
		d.align(window(append([]string{tt.row}, below...)...), false)
		if d.Base != tt.at {
			t.Errorf("%s: the window begins on line %d; want %d", tt.name, d.Base, tt.at)
		}
	}
}

// TestAlignTableRules shows other rows of a table, in the same columns or in wider ones: its rules
// alone do not say where they are.
func TestAlignTableRules(t *testing.T) {
	table := func(cells string, rows ...string) []row.Line {
		var out []string
		for _, r := range rows {
			out = append(out, fmt.Sprintf("│ "+cells+" │", r), "├"+strings.Repeat("─", len(fmt.Sprintf(cells, ""))+2)+"┤")
		}
		return rowtest.Plain(60, out...)
	}
	for _, cells := range []string{"%-20s", "%-24s"} {
		d := Document{Lines: table("%-20s", "one", "two", "three", "four", "five")}
		d.align(table(cells, "ten", "eleven", "twelve", "thirteen", "fourteen"), false)
		if len(d.Lines) != 20 || d.Placed != PlacedBelow {
			t.Errorf("%s: placed: %s, rows %q", cells, d.Placed, texts(d.Lines))
		}
	}
}

// TestAlignBlanks changes the blanks in the first row of a window: its letters are where they were,
// and no row is wrapped.
func TestAlignBlanks(t *testing.T) {
	rows := []string{"name of it  rows", "tokens of the user", "sessions of the user"}
	d := Document{Lines: rowtest.Plain(60, rows...)}
	rows[0] = "name of it   rows"
	d.align(rowtest.Plain(60, rows...), false)
	if diff := cmp.Diff(rows, texts(d.Lines)); diff != "" || d.Placed != PlacedOverlap {
		t.Errorf("placed: %s (-want +got):\n%s", d.Placed, diff)
	}
}

// TestAgrees finds letters that are there several times where most of those below agree, up to the
// end of one of the two if possible, and the last of equal ones.
func TestAgrees(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{{"abcdefabcd", 0}, {"abcdxabc", 5}, {"abcdexabcdx", 0}, {"abcdxabcdx", 5}, {"abxbc", -1}} {
		if got := agrees(tt.text, "abc", "abcdef"); got != tt.want {
			t.Errorf("%s: at %d, want %d", tt.text, got, tt.want)
		}
	}
}

// TestFindRewrappedPinned finds a window whose first row is the prompt, which stays in sight while
// the user scrolls: the text below it counts.
func TestFindRewrappedPinned(t *testing.T) {
	said := []string{"> Find out how a stale token batches three tables of the cache"}
	for i := range 30 {
		said = append(said, fmt.Sprintf("row %d of the text, which is as long as others are", i))
	}
	d := Document{Lines: rowtest.Plain(80, said...), Base: 20}
	if at := d.findRewrapped(rowtest.Plain(70, append(said[:1:1], said[12:]...)...)).at; at != 10 {
		t.Errorf("line %d", at)
	}
}

// TestFindRewrappedWithin finds a window whose first row has changed, within a line above:
// its letters reach into the next line, and belong to that one if it is below a gap.
func TestFindRewrappedWithin(t *testing.T) {
	d := Document{Lines: rowtest.Plain(60, "The parser drops the header", "when the disk",
		"is slow and it rebuilds the index at midnight.")}
	body := rowtest.Plain(30, "the HEADER when the disk", "is slow and it rebuilds", "the index at midnight.")
	if p := d.findRewrapped(body); p.at != 0 || p.within != len("Theparserdrops") {
		t.Errorf("line %d, behind %d letters", p.at, p.within)
	}
	d.Lines[1].Lost = true
	if p := d.findRewrapped(body); p.at != 1 || p.within != 0 {
		t.Errorf("above a gap: line %d, behind %d letters", p.at, p.within)
	}
}

// TestRewrapBounds finds the window after its rows were wrapped, where a row of it begins that did
// so before, where the agent wrapped the rows, and where its part begins above the window.
func TestRewrapBounds(t *testing.T) {
	lines := []string{"$ agent", "The parser drops the", "header when the disk is slow", "and it rebuilds the index."}
	for _, tt := range []struct {
		name         string
		from         int // the line that the window begins on
		wrapped, own bool
		first        string
	}{
		{"where a row began", 2, true, false, "header when the disk"},
		{"within a row that the agent wrapped", 2, false, true, "when the disk"},
	} {
		d := Document{Lines: rowtest.Plain(30, lines...), Base: tt.from}
		d.Lines[2].Wrapped = true
		screen := rowtest.Plain(20, tt.first, "is slow", "and it rebuilds the", "index.")
		screen[0].Wrapped = tt.wrapped
		if start := d.Rewrap(screen, 1); start != 1 {
			t.Errorf("%s: the part begins at line %d", tt.name, start)
		}
		want := append(slices.Clone(lines[:2]), "header when the disk", "is slow", "and it rebuilds the", "index.")
		if diff := cmp.Diff(want, texts(d.Lines)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestExtend appends what a user sees who goes down to the end again, window by window.
func TestExtend(t *testing.T) {
	const a, b, c, d, e, f = "The first row.", "The second row.", "The third row.", "The fourth row.",
		"The last row, which is long enough.", " It goes on."
	missing := func(l row.Line) string { return map[bool]string{true: "?"}[l.Lost] } // above the row
	for _, tt := range []struct {
		name            string
		old, body, want []string
	}{
		{"the last row goes on", []string{a, "The sec", ""}, []string{a, b, c}, []string{a, b, c}},
		{"one row in common", []string{a, b}, []string{b, c, d}, []string{a, b, c, d}},
		{"the row in common says next to nothing", []string{a, "}"}, []string{"}", c}, []string{a, "}"}},
		{"a row above the last goes on", []string{a, "The", c}, []string{"The second", c, d}, []string{a, "The", c}},
		{"the last rows were laid out otherwise", []string{a, e, e + "1", b, c}, []string{e, e + "1", "", b, "", c, d},
			[]string{a, e, e + "1", "", b, "", c, d}},
		{"blank rows are between the last ones", []string{a, b, c, e + f, e + "2 and"},
			[]string{"", e + f, "", e + "2 and on", "", d}, []string{a, b, c, e + f, "", e + "2 and on", "", d}},
		{"the last row is known", []string{a, e, e + "1", b, c}, []string{e, e + "1", "", b, "", c},
			[]string{a, e, e + "1", b, c}},
		{"a little that has nothing in common", []string{a, b}, []string{c, d}, []string{a, b}},
		{"nothing in common", []string{a, b}, []string{c, d, e, e + f}, []string{a, b, "?" + c, d, e, e + f}},
		{"nothing in common, but rows are missing", []string{a, "?" + b}, []string{c, d, e, e + f}, []string{a, "?" + b}},
		{"a row in common above the end", []string{a, b, c, d}, []string{e, b, e + f}, []string{a, b, c, d}},
		{"a row above the last differs", []string{a, "The", c}, []string{b, "The second", c, d}, []string{a, "The", c}},
		{"rows above the end that were said twice", []string{a, b, c, a}, []string{a, b}, []string{a, b, c, a}},
		{"above the end", []string{a, b, c}, []string{a, b}, []string{a, b, c}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := Document{Lines: rowtest.Plain(80, tt.old...)}
			for i, l := range doc.Lines {
				if rest, ok := strings.CutPrefix(l.Text, "?"); ok {
					doc.Lines[i] = rowtest.Plain(80, rest)[0]
					doc.Lines[i].Lost = true
				}
			}
			doc.Extend(rowtest.Plain(80, tt.body...))
			var got []string
			for _, l := range doc.Lines {
				got = append(got, missing(l)+l.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPinned notices a row that stays on top while the rows below it are those further down.
func TestPinned(t *testing.T) {
	const prompt, a, b, c = "> Why does it wait?", "The first row of a reply.", "The second row of a reply.",
		"The third row."
	doc := Document{Lines: rowtest.Plain(40, "Hi", prompt, "", a, b, c, "}"), Base: 3}
	for _, tt := range []struct {
		name string
		body []string
		want bool
	}{
		{"pinned", []string{prompt, b, c, "}"}, true},
		{"in its place", []string{prompt, "", a, b, c}, false},
		{"the rest is not known", []string{prompt, "New.", "Newer."}, false},
		{"the first rows", []string{prompt, "Hi", prompt}, false},
		{"alone", []string{prompt}, false},
	} {
		if got := doc.Pinned(rowtest.Plain(40, tt.body...)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	again := Document{Lines: rowtest.Plain(40, prompt, a, prompt, "", b, c, "}"), Base: 4}
	for _, body := range [][]string{{prompt, "", b}, {prompt, "New."}} {
		if again.Pinned(rowtest.Plain(40, body...)) {
			t.Errorf("said twice, %q", body)
		}
	}
}

// TestBlankAbove places windows that begin with blank rows and bars, which the document may have,
// too.
func TestBlankAbove(t *testing.T) {
	for _, tt := range []struct {
		old, body []string
		at        int
	}{
		{[]string{"> Why?", "", "text"}, []string{"", "text"}, 1},
		{[]string{"> Why?", "", "text"}, []string{"", "", "text"}, 1},
		{[]string{"", "text"}, []string{"", "", "text"}, 0},
		{[]string{"> Why?", "", "text"}, []string{"text"}, 2},
		{[]string{"▄▄▄▄▄▄▄▄▄▄", "text"}, []string{"▄▄▄▄▄▄▄▄", "text"}, 0},
		{[]string{"> Why?", "▄▄▄▄▄▄▄▄▄▄", "text"}, []string{"", "▄▄▄▄▄▄▄▄", "text"}, 1},
	} {
		d := Document{Lines: rowtest.Plain(40, tt.old...)}
		if at := d.blankAbove(len(tt.old)-1, rowtest.Plain(40, tt.body...)); at != tt.at {
			t.Errorf("%q in %q: line %d, want %d", tt.body, tt.old, at, tt.at)
		}
	}
}

// TestRewrappedBars places a window by its words: the bars between prompts are as long elsewhere as
// in the window, but not where it belongs.
func TestRewrappedBars(t *testing.T) {
	const said = "✦ Done. The next step is ready."
	turns := func(n int, prompts ...string) (rows []string) {
		for _, p := range prompts {
			rows = append(rows, "> "+p, strings.Repeat("▀", n), said, strings.Repeat("▄", n))
		}
		return rows
	}
	old := slices.Concat(rowtest.Plain(60, turns(60, "go on", "continue")...),
		rowtest.Plain(40, turns(40, "go on", "yes", "continue")...))
	d := Document{Lines: old, Base: len(old) - 8}
	body := rowtest.Plain(60, append(turns(60, "yes", "continue"), "> The parser")...)
	if at := d.findRedrawn(body).at; at != 12 {
		t.Errorf("line %d, want 12", at)
	}
}

// TestRewrappedTwice places a window whose rows the document has twice in part, as a torn frame
// left them: it begins with the first of them.
func TestRewrappedTwice(t *testing.T) {
	said := []string{
		"The parser drops all the headers that it has read before.", "Each worker rebuilds the index at night, and waits.",
		"That index is read again when the lock is free.", "The build step skips the log, so nothing is lost.",
		"Every request takes the lock, and then it is gone.", "The scheduler keeps what is left until the next one.",
		"Your query reads the first page, and the last one too.", "Our cache has both, and so has the store below it.",
		"The event loop waits for all of them, and says so.", "A retry loop does not wait, but tries again at once.",
		"The test suite knows nothing of that, and fails then.", "This handler logs it, which is all that it can do.",
		"The migration comes last, when nobody looks at it.", "A stale token is the reason, more often than not.",
	}
	d := Document{Lines: rowtest.Plain(60, slices.Concat(said[:4], said[2:])...)}
	d.Base = 4
	if at := d.findRewrapped(rowtest.Plain(70, said...)).at; at != 0 {
		t.Errorf("line %d, want 0", at)
	}
}

// TestLeadsThatGoOn finds a window whose first rows the document has, the last of which goes on in
// the window. What else the document has below them, a dialog, is longer.
func TestLeadsThatGoOn(t *testing.T) {
	dialog := []string{"╭ Action Required", "│ Shell touch made.txt && echo made it",
		"│ Allow execution of touch and echo?", "│ 1. Allow once", "│ 2. Allow for this session", "│ 3. No, suggest changes"}
	d := Document{Lines: rowtest.Plain(60, append([]string{"4. /help for more information.",
		"> Check whether each worker locks", "✦ The scheduler validates"}, dialog...)...), Base: 3}
	d.align(rowtest.Plain(60, "4. /help for more information.", "> Check whether each worker locks",
		"✦ The scheduler validates every header.", "", "- Shell touch made.txt"), false)
	want := []string{"4. /help for more information.", "> Check whether each worker locks",
		"✦ The scheduler validates every header.", "", "- Shell touch made.txt"}
	if diff := cmp.Diff(want, texts(d.Lines)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}
