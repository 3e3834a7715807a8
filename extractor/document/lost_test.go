package document

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestLostBelowBlanks shows a window that has nothing in common with the document and begins with
// blank rows: the first row with words keeps the mark, also when the window comes again.
func TestLostBelowBlanks(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(60, "what was said first, at some length", "and its end"), false)
	for range 2 {
		d.align(rowtest.Plain(60, "", "", "something else altogether is here", "and goes on"), false)
		if len(d.Lines) != 6 || d.Lines[2].Lost || !d.Lines[4].Lost || d.Lines[5].Lost {
			t.Fatalf("rows %q, lost %v", texts(d.Lines), lost(d.Lines))
		}
	}
}

func lost(lines []row.Line) (at []int) {
	for i, l := range lines {
		if l.Lost {
			at = append(at, i)
		}
	}
	return at
}

// TestGrowsInPlace shows a window in which every row has gone on, and blank rows were filled: it
// has not moved.
func TestGrowsInPlace(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(60, "", "", "A retry loop invalidates a", "", "Build - Mock Coder"), false)
	d.align(rowtest.Plain(60, "", "A small shop", "A retry loop invalidates a nil pointer.", "",
		"Build - Mock Coder - 3.2s"), false)
	if d.Base != 0 || len(d.Lines) != 5 || d.Lines[2].Lost {
		t.Errorf("base %d, rows %q", d.Base, texts(d.Lines))
	}
	d.align(rowtest.Plain(60, "", "B", "The retry loop is another one", "", "Build - Mock Coder - 3.2s and so on"), false)
	if d.Base == 0 {
		t.Errorf("another text was taken for the same window: %q", texts(d.Lines))
	}
}

// TestMovedUnderLoad shows windows of an agent that draws late. Next to nothing of what was there
// is there still, and yet no row is missing.
func TestMovedUnderLoad(t *testing.T) {
	const text, more, status = "That index drops every header if the file is empty.",
		"A retry loop locks its own output if the file is empty.", "▣"
	for _, tt := range []struct {
		name      string
		old, body []string
		base      int
	}{
		{"a short prompt moves, and more follows", []string{"┃", "┃ ok?", "┃"}, []string{"", "┃", "┃ ok?", "┃", "", status},
			0},
		{"the last row goes on at the top", []string{text, "", "Level 2", "", status},
			[]string{"", "Level 2 heading", "", more, "Each worker shadows the log.", status}, 1},
		{"the status goes on, too", []string{text, "", "Level 2", "", status},
			[]string{"", "Level 2 heading", "", more, "Each worker shadows the log.", status + " 3s"}, 1},
		{"the last row goes on further down", []string{text, "", "Level 2", "", status},
			[]string{more, "", "Level 2 heading", "Each worker shadows the log.", status}, 2},
		{"a row at the end goes on", []string{text, "", "Level 2"}, []string{more, "", "New", "Newer", "Level 2 heading"}, 3},
		{"rows come in below one", []string{text, "", "Level 2", "", more},
			[]string{"Level 2 heading", "", "New", "", more}, 2},
		{"rows come in below another one", []string{text, "", "Level 2", "", more},
			[]string{"Level 3", "", "New", "", more}, 4},
		{"rows come in below a sign", []string{text, "", "•", "", more}, []string{"• A row", "", "New", "", more}, 4},
		{"the last row goes on at the top, without blank rows", []string{text, "", "Level 2", "", status},
			[]string{"Level 2 heading", more, "Each worker shadows the log.", status}, 2},
		{"another row at the top", []string{text, "", "Level 2", "", status},
			[]string{"Level 3", "", more, "Each worker shadows the log.", status}, 5},
		{"blank rows only", []string{text, "", "Level 2"}, []string{"", ""}, 3},
		{"rows come in above the last ones", []string{text, "Level 2", "",
			status + " with a model of which the name is long", ""},
			[]string{more, "Each worker shadows the log.", "That index validates its own output.",
				status + " with a model of which the name is long, 3s"}, 3},
		{"rows come in above all", []string{text, "", status + " Build"},
			[]string{more, "The lock file shadows the log.", "A stale token flushes the cache.", "The parser exits.", text,
				status + " Build"}, 0},
		{"rows come in above a sign", []string{text, "", status}, []string{more, "Each worker shadows the log.", status}, 3},
		{"the last rows are further up", []string{text, "The lock file shadows the timeout.",
			"Our cache batches the user record.", status + " with a model"},
			[]string{more, "Each worker shadows the log.", status + " with a model", "That index validates its own output."}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d Document
			d.align(rowtest.Plain(60, tt.old...), false)
			d.align(rowtest.Plain(60, tt.body...), false)
			if d.Base != tt.base {
				t.Errorf("base %d, want %d: %q", d.Base, tt.base, texts(d.Lines))
			}
		})
	}
}

// TestGoesOnAbove shows windows with a row that goes on with one above the window already.
func TestGoesOnAbove(t *testing.T) {
	d := Document{Lines: rowtest.Plain(60, "Level 2", "", "▣"), Base: 2}
	if at := d.head(rowtest.Plain(60, "Level 2 heading", "▣")); at >= 0 {
		t.Errorf("line %d", at)
	}
	if end := d.end(rowtest.Plain(60, "New", "Level 2 heading", "▣")); end != 3 {
		t.Errorf("the document ends at line %d", end)
	}
}

// TestRewrappedOtherwise shows a window drawn at another width, whose first row does not go on as
// the document does there: the document's line stays whole, and a gap is marked below it.
func TestRewrappedOtherwise(t *testing.T) {
	var d Document
	d.align(rowtest.Plain(60, "> Find out how a stale token batches three tables", "",
		"* The config loader skips the timeout", "",
		"The scheduler races with the write-ahead log under heavy load and more"), false)
	d.align(rowtest.Plain(90, "shared buffer even with caching off", "",
		"The scheduler races with the write-ahead log under", "heavy load and more"), false)
	for _, l := range d.Lines {
		if i := len(l.Text); i > 0 && l.Text[0] == '>' && l.Text != "> Find out how a stale token batches three tables" {
			t.Errorf("the prompt became %q", l.Text)
		}
	}
	if len(lost(d.Lines)) != 1 {
		t.Errorf("rows %q, lost %v", texts(d.Lines), lost(d.Lines))
	}
}

// TestFill shows a window that skips rows, and then a look back at them, when the user scrolls or
// when the agent draws all again: the gap is filled. It stays where the user sees only one end of
// it.
func TestFill(t *testing.T) {
	var text []string
	for i := range 24 {
		text = append(text, fmt.Sprintf("row %d of a long reply that scrolls fast", i))
	}
	for _, scrolled := range []bool{false, true} {
		var d Document
		d.align(rowtest.Plain(60, text[:8]...), false)
		d.align(rowtest.Plain(60, text[12:20]...), false)
		if whole := rowtest.Plain(60, text[5:15]...); scrolled {
			for _, part := range [][]string{text[3:11:11], text[9:17:17], {}} {
				if d.Extend(rowtest.Plain(60, append(part, "")...)); len(d.Lines) != 16 || len(lost(d.Lines)) != 1 {
					t.Errorf("rows %q, lost %v", texts(d.Lines), lost(d.Lines))
				}
			}
			d.Extend(whole)
		} else {
			d.align(whole, false)
		}
		if diff := cmp.Diff(text[:20], texts(d.Lines)); diff != "" || lost(d.Lines) != nil || d.Placed != PlacedLookBack ||
			d.Base != 12 {
			t.Errorf("lost %v, placed %q, rows (-want +got):\n%s", lost(d.Lines), d.Placed, diff)
		}
		d.align(rowtest.Plain(60, text[16:]...), false)
		if diff := cmp.Diff(text, texts(d.Lines)); diff != "" {
			t.Errorf("below it, rows (-want +got):\n%s", diff)
		}
	}
}

// TestFillBelow fills a gap below the window, which the user has scrolled back: the window stays
// where it is.
func TestFillBelow(t *testing.T) {
	var text []string
	for i := range 16 {
		text = append(text, fmt.Sprintf("row %d of a long reply that scrolls fast", i))
	}
	d := Document{Lines: rowtest.Plain(60, append(text[:6:6], text[9:]...)...), Base: 2}
	d.Lines[6].Lost = true
	d.Extend(rowtest.Plain(60, text[2:14]...))
	if len(d.Lines) != 16 || d.Base != 2 {
		t.Errorf("base %d, rows %q", d.Base, texts(d.Lines))
	}
}

// TestCodeComesLate shows a window with code blocks that were empty before, as their grammar had
// not coloured them yet: it is where all its rows are, though more rows are alike above.
func TestCodeComesLate(t *testing.T) {
	code := []string{"package main", "func main() {", "    fmt.Println(i)", "}"}
	above := slices.Concat([]string{"Running it prints this:", "main.go:5: a loop", "The loop can be rewritten as:"}, code)
	was := []string{"main.go:5:", "The loop can be rewritten as:", "Its installation", "Build"}
	now := slices.Concat([]string{"main.go:5: a loop", "The loop can be rewritten as:"}, code,
		[]string{"Its installation", "Build · 3s"})
	plain := func(texts ...string) []row.Line { return rowtest.Plain(60, texts...) }
	var d Document
	d.Align(plain(above...))
	d.Lines = append(d.Lines, plain(was...)...)
	d.Base = len(above)
	d.Align(plain(now...))
	if diff := cmp.Diff(slices.Concat(above, now), texts(d.Lines)); diff != "" {
		t.Error(diff)
	}
}
