package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

func texts(lines []row.Line) []string {
	out := []string{}
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

func words(n int) string {
	w := strings.Fields("cache parser index lock queue worker retry token build event row page")
	return fmt.Sprintf("%s %s %d", w[n%len(w)], w[n/5%len(w)], n%7)
}

// TestAlignScrolls shows a text that grows in a window that follows its end, a few rows a frame,
// the last row growing, with looks back in between.
func TestAlignScrolls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		height := rapid.IntRange(10, 24).Draw(t, "height")
		var doc []string
		var d Document
		show := func(end int) {
			top := max(0, end-height)
			body := append([]string{}, doc[top:end]...)
			for len(body) < height {
				body = append(body, "")
			}
			d.align(row.Trim(rowtest.Plain(60, body...)), false)
		}
		for range rapid.IntRange(5, 40).Draw(t, "frames") {
			for range rapid.IntRange(1, height/3).Draw(t, "rows") {
				switch n := rapid.IntRange(0, 9).Draw(t, "row"); {
				case n < 2 && len(doc) > 0 && doc[len(doc)-1] != "":
					doc = append(doc, "")
				case n == 2 && len(doc) > height:
					doc = append(doc, doc[len(doc)-3])
				default:
					doc = append(doc, fmt.Sprint(words(n+len(doc)*11), len(doc)))
				}
			}
			doc = append(doc, fmt.Sprint("row ", len(doc)))
			show(len(doc))
			if len(doc) > 2*height && rapid.IntRange(0, 5).Draw(t, "back") == 0 {
				show(len(doc) - rapid.IntRange(1, height/2).Draw(t, "by"))
				show(len(doc))
			}
		}
		if diff := cmp.Diff(doc, texts(d.Lines)); diff != "" {
			t.Fatalf("document (-want +got):\n%s", diff)
		}
	})
}

func TestAlignInsertsAbove(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(60, "first line here", "second line here", "third line here", "fourth line here",
		"fifth line here"), false)
	// the window follows the end: a result of three rows comes in below the second line
	d.align(rowtest.Plain(60, "first result row", "second result row", "third result row", "third line here",
		"fourth line here", "fifth line here")[0:], false)
	d.align(rowtest.Plain(60, "first result row", "second result row", "third line here", "fourth line here",
		"fifth line here"), false)
	want := []string{"first line here", "second line here", "first result row", "second result row", "third line here",
		"fourth line here", "fifth line here"}
	if diff := cmp.Diff(want, texts(d.Lines)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestAlignRedrawsAndScrolls shows a list whose items are set apart with blank lines when it is
// whole, and in the same frame the window moves on (Codex 0.169).
func TestAlignRedrawsAndScrolls(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(60, "• first of all items", "• second of all items and", "  its end.", "• third of all items",
		"", "  def retry(fn):", "      return fn()"), false)
	d.align(rowtest.Plain(60, "  its end.", "", "• third of all items", "", "  def retry(fn):", "      return fn()", "",
		"  The end."), false)
	want := []string{"• first of all items", "• second of all items and", "  its end.", "", "• third of all items", "",
		"  def retry(fn):", "      return fn()", "", "  The end."}
	if diff := cmp.Diff(want, texts(d.Lines)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestAlignLooksBackLow has a window whose upper part was drawn otherwise, and whose lower part
// reaches down to where the window was before.
func TestAlignLooksBackLow(t *testing.T) {
	long := []string{"The first row of a long reply says this,", "and the second row says something else,",
		"and so does the third one, as it seems,", "as well as the fourth, but nobody minds.",
		"The fifth says what the others left out,", "and there is not much left for the sixth."}
	said := append([]string{"== agent one, version 1", "Tip: press a key.", "│ a notice in a box that is",
		"│ as wide as the window", "", "> What is it?"}, append(long, "The seventh is new.", "So is the eighth.")...)
	top := append([]string{"Tip: press another key.", "│ a notice in a box that", "│ is as wide as the window", "",
		"> What is it?"}, long...)
	for _, tt := range []struct {
		lines int // on the document
		want  []string
	}{
		{len(said), said},
		{len(said) - 2, append(said[:1:1], top...)}, // nothing is below
	} {
		var d Document
		for at := range tt.lines - 8 + 1 {
			d.Align(rowtest.Plain(42, said[at:at+8]...))
		}
		d.Align(rowtest.Plain(42, top...))
		if diff := cmp.Diff(tt.want, texts(d.Lines)); diff != "" {
			t.Errorf("of %d lines (-want +got):\n%s", tt.lines, diff)
		}
	}
}

// TestAlignLooksBack has windows at the top, after the bottom: one as it was, and one with another
// tip, which moves what is below it.
func TestAlignLooksBack(t *testing.T) {
	top := []string{"== agent one, version 1", "model: small", "Tip: press a key.", "", "> What is it?", "",
		"It is a long text that", "goes on below the window,", "which scrolls."}
	said := append(slices.Clone(top), "It has a second part,", "and a third part.", "", "> And that?", "",
		"That is another one.", "It is short, too, but it", "has some rows.", "Here is the end.")
	for _, first := range [][]string{
		top,
		append([]string{top[0], top[1], "Tip: press another key,", "or none."}, top[3:8]...),
	} {
		var d Document
		d.Align(rowtest.Plain(30, top...))
		for at := range len(said) - len(top) + 1 {
			d.Align(rowtest.Plain(30, said[at:at+len(top)]...))
		}
		d.Align(rowtest.Plain(30, first...))
		if diff := cmp.Diff(said, texts(d.Lines)); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", first[2], diff)
		}
	}
}

func TestAlignAfterResize(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(30, "an old line that stays above", "The parser drops the header",
		"when the disk is slow and it", "rebuilds the index at midnight."), false)
	d.align(rowtest.Plain(20, "the header when the", "disk is slow and it", "rebuilds the index", "at midnight. More."),
		false)
	want := []string{"an old line that stays above", "The parser drops the header when the", "disk is slow and it",
		"rebuilds the index", "at midnight. More."}
	if diff := cmp.Diff(want, texts(d.Lines)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// Rows that a resize brings back from a gap belong below it: the line above the gap stays whole.
func TestAlignAfterResizeBelowGap(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(40, "A retry loop validates its own output on", "every call. The build step batches the"), false)
	d.align(rowtest.Plain(40, "and then exits early. A retry loop drops", "the timeout after a reconnect, and then",
		"the header is locked at midnight."), false)
	d.align(rowtest.Plain(36, "buffer and then exits early. A retry", "loop drops the timeout after a",
		"reconnect, and then the header is", "locked at midnight."), false)
	want := []string{"A retry loop validates its own output on", "every call. The build step batches the",
		"buffer and then exits early. A retry", "loop drops the timeout after a", "reconnect, and then the header is",
		"locked at midnight."}
	if diff := cmp.Diff(want, texts(d.Lines)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	if !d.Lines[2].Lost {
		t.Error("the gap is not marked any more")
	}
	lk := markdown.Style{}
	if text, _ := markdown.Render(d.Lines, &lk); !strings.Contains(text, "batches the\nbuffer") {
		t.Errorf("the lines around the gap were joined: %q", text)
	}
}

// A window that a resize brings back begins above a gap and ends below it: the gap is filled.
func TestAlignAfterResizeOverGap(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(40, "A retry loop validates its own output.", "- Each call batches the"), false)
	d.align(rowtest.Plain(40, "and then exits early. A retry loop drops", "the timeout after a reconnect, and then",
		"the header is locked at midnight."), false)
	body := []string{"- Each call batches the buffer", "- One more flushes the log",
		"and then exits early. A retry loop", "drops the timeout after a", "reconnect, and then the header is",
		"locked at midnight."}
	d.align(rowtest.Plain(36, body...), false)
	want := append([]string{"A retry loop validates its own output."}, body...)
	if diff := cmp.Diff(want, texts(d.Lines)); diff != "" || lost(d.Lines) != nil {
		t.Errorf("lost %v, document (-want +got):\n%s", lost(d.Lines), diff)
	}
}

// What is twice in a text is no window that was redrawn if its first row is another one.
func TestRepainted(t *testing.T) {
	block := []string{"func retry(fn func() error) error {", "	for range attempts {", "		if err := fn(); err == nil {",
		"			return nil", "}"}
	tests := []struct {
		name string
		body []string
		at   int
	}{
		{"redrawn from a row that had left", append([]string{"two"}, block...), 1},
		{"the same block below another row", append([]string{"five"}, block...), 0},
		{"as it stood", []string{"four", "a long row that stays where it is", "five"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Document{Lines: rowtest.Plain(60,
				append(append([]string{"one", "two"}, block...), "four", "a long row that stays where it is")...), Base: 7}
			if at := d.repainted(d.Base, rowtest.Plain(60, tt.body...)); at != tt.at {
				t.Errorf("got %d, want %d", at, tt.at)
			}
		})
	}
}

// A window that scrolls back to rows drawn at another width shows the same text, not more of it.
func TestAlignOtherWidthAbove(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(50, "The parser drops the header when the disk is slow", "and then exits early.", "",
		"Next the index is built."), false)
	d.align(rowtest.Plain(30, "Next the index is built.", "", "More of the reply is here."), false)
	d.align(rowtest.Plain(30, "The parser drops the header", "when the disk is slow and then", "exits early.", "",
		"Next the index is built.", "", "More of the reply is here."), false)
	want := []string{"The parser drops the header", "when the disk is slow and then", "exits early.", "",
		"Next the index is built.", "", "More of the reply is here."}
	if diff := cmp.Diff(want, texts(d.Lines)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestAlignBlinks shows a bullet that blinks in a row above one that stays (SITUATIONS 17): the
// row is redrawn, not a second one.
func TestAlignBlinks(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(40, "", "  Reading main.go", "  ⎿  main.go"), false)
	d.align(rowtest.Plain(40, "", "● Reading main.go", "  ⎿  main.go"), false)
	if diff := cmp.Diff([]string{"", "● Reading main.go", "  ⎿  main.go"}, texts(d.Lines)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestAlignBlankTail shows a window that went down for a moment, with nothing in its lower half,
// and comes back up with a row that has grown: it shows the text's end, and is no look back.
func TestAlignBlankTail(t *testing.T) {
	var doc []string
	for i := range 11 {
		doc = append(doc, fmt.Sprintf("line %d of a reply that is long", i))
	}
	var d Document
	d.align(rowtest.Plain(60, append(append([]string{}, doc...), "and its last")...), false)
	d.align(rowtest.Plain(60, append(append([]string{}, doc[6:]...), "and its last", "", "", "", "", "", "")...), false)
	doc = append(doc, "and its last row")
	d.align(rowtest.Plain(60, doc...), false)
	if diff := cmp.Diff(doc, texts(row.Trim(d.Lines))); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestAlignSaidAgain shows a small window with a row that was said before, among rows that were
// not: it goes on below, and what came since stays.
func TestAlignSaidAgain(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(40, "● Reading 1 file…", "  ⎿  README.md", ""), false)
	d.align(rowtest.Plain(40, "● The reply to the first question is short", "", "❯ The second question of the user"),
		false)
	d.align(rowtest.Plain(40, "● Reading 1 file…", "  ⎿  main.go", ""), false)
	want := []string{"● Reading 1 file…", "  ⎿  README.md", "", "● The reply to the first question is short", "",
		"❯ The second question of the user", "● Reading 1 file…", "  ⎿  main.go"}
	if diff := cmp.Diff(want, texts(row.Trim(d.Lines))); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestLagStorm resizes twice before an agent draws (SITUATIONS 10): what the first resize cut off
// is not read, nor a frame that is drawn for a width that is over.
func TestLagStorm(t *testing.T) {
	drawn := func(cols int, below string, stale bool) []row.Line {
		lines := rowtest.Plain(cols, strings.Repeat("reply", 12)[:cols], strings.Repeat(below, cols))
		lines[0].Stale = stale
		return lines
	}
	for _, below := range []string{"", "─"} {
		var g Lag
		if g.Behind(drawn(60, below, true), 60, true) {
			t.Fatalf("%q: a frame before the resize was left out", below)
		}
		g.Resized()
		g.Resized()
		if !g.Behind(drawn(40, "", true), 50, true) {
			t.Errorf("%q: rows that the first resize cut off were read after the second", below)
		}
		if below != "" && !g.Behind(drawn(60, below, false), 50, false) {
			t.Errorf("%q: a frame that is drawn for another width was read", below)
		}
		if g.Behind(drawn(50, below, false), 50, false) {
			t.Errorf("%q: the frame that was drawn for the new size was left out", below)
		}
	}
}

// TestCut shows frames after the window was narrowed. One with the text as it was, cut off at the
// edge, is drawn for the old width; one whose rows go on below is not, nor one before a resize.
func TestCut(t *testing.T) {
	var d Document
	d.Align(rowtest.Plain(40, strings.Repeat("─", 40), "A retry loop invalidates the session map",
		"if it is empty. Each worker validates it", "as the log shows."))
	cut := rowtest.Plain(30, "A retry loop invalidates the s", "if it is empty. Each worker va", "as the log shows.")
	if d.Cut(cut) {
		t.Error("without a resize, a frame is not drawn for the width before it")
	}
	d.Resized(AltFrames)
	if !d.Cut(cut) {
		t.Error("rows that the edge cuts off were not noticed")
	}
	if !d.Cut(rowtest.Plain(30, "if it is empty. Each worker va", "as the log shows.")) {
		t.Error("a row that the edge cuts off was not noticed")
	}
	if d.Cut(rowtest.Plain(30, "A retry loop invalidates the s", "ession map if it is empty. Eac",
		"h worker validates it as the l", "og shows.")) {
		t.Error("rows that go on below were taken for rows that are cut off")
	}
	for name, other := range map[string][]row.Line{
		"wrapped twice": rowtest.Plain(30, "A retry loop invalidates the s", "ession map", "if it is empty. Each worker va",
			"lidates it", "as the log shows."),
		"rules": rowtest.Plain(30, strings.Repeat("─", 30), "A retry loop"),
		"changed": rowtest.Plain(30, "Another loop invalidates the s", "if it is empty. Every worker v",
			"as the log shows."),
	} {
		if d.Cut(other) {
			t.Errorf("%s: rows were taken for rows that are cut off", name)
		}
	}
}

// TestAlignBack shows the beginning of a table for a moment, as an agent does when it draws all
// again, below a welcome that has fewer rows now: nothing of the table is dropped.
func TestAlignBack(t *testing.T) {
	welcome := make([]string, 16)
	for i := range welcome {
		welcome[i] = fmt.Sprintf("row %d of the welcome", i)
	}
	table := []string{"● A reply to the user that has a table below", "┌──────┬──────────────────────────────────┐",
		"│ name │ what is said of it               │", "├──────┼──────────────────────────────────┤"}
	for i := range 8 {
		table = append(table, fmt.Sprintf("│ row%d │ a value that is longer than that │", i),
			"├──────┼──────────────────────────────────┤")
	}
	var d Document
	d.align(rowtest.Plain(60, slices.Concat(welcome, table[:6])...), false)
	d.align(rowtest.Plain(60, table[:18]...), false)
	d.align(rowtest.Plain(60, table[1:]...), false)
	n := len(d.Lines)
	d.align(rowtest.Plain(60, slices.Concat(welcome[:12], table[:6])...), false)
	if len(d.Lines) != n || d.Placed != PlacedLookBack {
		t.Errorf("%d of %d lines are left, placed %q", len(d.Lines), n, d.Placed)
	}
}

// TestAlignSameBelow shows a window whose first row is in the one before, and the rows below it
// were said once above: they were said again.
func TestAlignSameBelow(t *testing.T) {
	diff := []string{"┃ Edit big.txt"}
	for i := range 8 {
		diff = append(diff, fmt.Sprintf("┃ %d   line %d of the settings", i, i))
	}
	said, more := "The first reply, which is long enough", "The build step exposes the user record so nothing is lost"
	var d Document
	d.align(rowtest.Plain(60, append([]string{said, ""}, diff...)...), false)
	d.align(rowtest.Plain(60, append(slices.Clone(diff[5:]), "", "$ echo 7", "7", "", more, "", "Reading")...), false)
	end := []string{"", "Build, with some model"}
	d.align(rowtest.Plain(60, slices.Concat([]string{more, "", "Read main.go", ""}, diff, end)...), false)
	want := slices.Concat([]string{said, ""}, diff, []string{"", "$ echo 7", "7", "", more, "", "Read main.go", ""},
		diff, end)
	if diff := cmp.Diff(want, texts(row.Trim(d.Lines))); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestAlignAfterResizeSaidAgain widens a window in which the row below the first turn, and below
// the blank rows of the window, is said again at the end: the window begins at the first of them.
func TestAlignAfterResizeSaidAgain(t *testing.T) {
	first := []string{"› The first question", "", "• The first reply", "", "  Worked for <1s", "",
		"› The second question, which is as long as questions are", ""}
	narrow := []string{"• The second reply is", "  longer than a row of", "  this window", "", "  Worked for <1s"}
	wide := []string{"• The second reply is longer than a row of this window", "", "  Worked for <1s"}
	var d Document
	d.align(rowtest.Plain(30, slices.Concat(first, narrow)...), false)
	d.align(rowtest.Plain(30, slices.Concat(first[6:], narrow)...), false)
	d.align(rowtest.Plain(60, slices.Concat(first[3:], wide)...), true)
	if diff := cmp.Diff(slices.Concat(first, wide), texts(row.Trim(d.Lines))); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// TestAlignRuleAlone shows a window that has only the rule of a table in common with the document:
// rows between are lost.
func TestAlignRuleAlone(t *testing.T) {
	rows := func(text string) []row.Line { return rowtest.Plain(20, strings.Split(text, "/")...) }
	var d Document
	d.Align(rows("said before/┌────┬────┐/│ a  │ b  │/├────┼────┤"))
	d.Align(rows("├────┼────┤/│ 3  │ 4  │/└────┴────┘/said below"))
	if got, want := strings.Join(texts(d.Lines),
		"/"), "said before/┌────┬────┐/│ a  │ b  │/"+
		"├────┼────┤/├────┼────┤/│ 3  │ 4  │/└────┴────┘/said below"; got != want || !d.Lines[4].Lost {
		t.Errorf("got %q", got)
	}
	d.Align(rows("│ a  │ b  │/├────┼────┤/│ 1  │ 2  │/├────┼────┤/│ 3  │ 4  │/└────┴────┘/said below"))
	if got, want := strings.Join(texts(d.Lines),
		"/"), "said before/┌────┬────┐/│ a  │ b  │/"+
		"├────┼────┤/│ 1  │ 2  │/├────┼────┤/│ 3  │ 4  │/└────┴────┘/said below"; got != want || row.AnyLost(d.Lines) {
		t.Errorf("filled: got %q", got)
	}
}

// TestAlignBoxAgain shows a box that is nearly as one far above it, over the status that the window
// ended with: it is another box, and what was between stays,
// with the status of then.
func TestAlignBoxAgain(t *testing.T) {
	box := func(changed string) []string {
		rows := []string{"┃ Edit big.txt", "┃ 1   the first line of it is " + changed}
		for i := range 8 {
			rows = append(rows, fmt.Sprintf("┃ %d   line %d of the settings", i+2, i+2))
		}
		return rows
	}
	between := []string{"", "$ echo 4", "4", "", "The reply between, which is long enough", ""}
	end := []string{"", "▣ Build"}
	var d Document
	d.align(rowtest.Plain(60, slices.Concat(box("old"), end)...), false)
	d.align(rowtest.Plain(60, slices.Concat(box("old")[5:], between, end[1:])...), false)
	d.align(rowtest.Plain(60, slices.Concat(between, end[1:])...), false)
	d.align(rowtest.Plain(60, slices.Concat(box("new"), end)...), false)
	want := slices.Concat(box("old"), between, end[1:], box("new"), end)
	if diff := cmp.Diff(want, texts(row.Trim(d.Lines))); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}
