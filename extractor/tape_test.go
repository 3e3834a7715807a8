package extractor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/extractor/row/rowtest"
	"github.com/ptyrec/ptyrec/vterm"
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

// TestStitchScrolls shows a text that grows in a window that follows its end, a few rows a frame,
// the last row growing, with looks back in between.
func TestStitchScrolls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		height := rapid.IntRange(10, 24).Draw(t, "height")
		var doc []string
		var tp tape
		show := func(end int) {
			top := max(0, end-height)
			body := append([]string{}, doc[top:end]...)
			for len(body) < height {
				body = append(body, "")
			}
			tp.stitch(row.Trim(rowtest.Plain(60, body...)))
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
		if diff := cmp.Diff(doc, texts(tp.lines)); diff != "" {
			t.Fatalf("tape (-want +got):\n%s", diff)
		}
	})
}

func TestStitchInsertsAbove(t *testing.T) {
	var tp tape
	tp.stitch(rowtest.Plain(60, "first line here", "second line here", "third line here", "fourth line here", "fifth line here"))
	// the window follows the end: a result of three rows comes in below the second line
	tp.stitch(rowtest.Plain(60, "first result row", "second result row", "third result row", "third line here", "fourth line here", "fifth line here")[0:])
	tp.stitch(rowtest.Plain(60, "first result row", "second result row", "third line here", "fourth line here", "fifth line here"))
	want := []string{"first line here", "second line here", "first result row", "second result row", "third line here", "fourth line here", "fifth line here"}
	if diff := cmp.Diff(want, texts(tp.lines)); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

// TestStitchRedrawsAndScrolls shows a list whose items are set apart with blank lines when it is
// whole, and in the same frame the window moves on (Codex 0.169).
func TestStitchRedrawsAndScrolls(t *testing.T) {
	var tp tape
	tp.stitch(rowtest.Plain(60, "• first of all items", "• second of all items and", "  its end.", "• third of all items", "", "  def retry(fn):", "      return fn()"))
	tp.stitch(rowtest.Plain(60, "  its end.", "", "• third of all items", "", "  def retry(fn):", "      return fn()", "", "  The end."))
	want := []string{"• first of all items", "• second of all items and", "  its end.", "", "• third of all items", "", "  def retry(fn):", "      return fn()", "", "  The end."}
	if diff := cmp.Diff(want, texts(tp.lines)); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

func TestStitchAfterResize(t *testing.T) {
	var tp tape
	tp.stitch(rowtest.Plain(30, "an old line that stays above", "The parser drops the header", "when the disk is slow and it", "rebuilds the index at midnight."))
	tp.stitch(rowtest.Plain(20, "the header when the", "disk is slow and it", "rebuilds the index", "at midnight. More."))
	want := []string{"an old line that stays above", "The parser drops the header when the", "disk is slow and it", "rebuilds the index", "at midnight. More."}
	if diff := cmp.Diff(want, texts(tp.lines)); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

// Rows that a resize brings back from a gap belong below it: the line above the gap stays whole.
func TestStitchAfterResizeBelowGap(t *testing.T) {
	var tp tape
	tp.stitch(rowtest.Plain(40, "A retry loop validates its own output on", "every call. The build step batches the"))
	tp.stitch(rowtest.Plain(40, "and then exits early. A retry loop drops", "the timeout after a reconnect, and then", "the header is locked at midnight."))
	tp.stitch(rowtest.Plain(36, "buffer and then exits early. A retry", "loop drops the timeout after a", "reconnect, and then the header is", "locked at midnight."))
	want := []string{"A retry loop validates its own output on", "every call. The build step batches the",
		"buffer and then exits early. A retry", "loop drops the timeout after a", "reconnect, and then the header is", "locked at midnight."}
	if diff := cmp.Diff(want, texts(tp.lines)); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
	if !tp.lines[2].Lost {
		t.Error("the gap is not marked any more")
	}
	lk := markdown.Style{}
	if text, _ := markdown.Render(tp.lines, &lk); !strings.Contains(text, "batches the\nbuffer") {
		t.Errorf("the lines around the gap were joined: %q", text)
	}
}

// What is twice in a text is no window that was redrawn if its first row is another one.
func TestRepainted(t *testing.T) {
	block := []string{"func retry(fn func() error) error {", "	for range attempts {", "		if err := fn(); err == nil {", "			return nil", "}"}
	tests := []struct {
		name string
		body []string
		at   int
		ok   bool
	}{
		{"redrawn from a row that had left", append([]string{"two"}, block...), 1, true},
		{"the same block below another row", append([]string{"five"}, block...), 0, false},
		{"as it stood", []string{"four", "a long row that stays where it is", "five"}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tp := tape{lines: rowtest.Plain(60, append(append([]string{"one", "two"}, block...), "four", "a long row that stays where it is")...), base: 7}
			if at, ok := tp.repainted(nil, rowtest.Plain(60, tt.body...)); at != tt.at || ok != tt.ok {
				t.Errorf("got %d, %v; want %d, %v", at, ok, tt.at, tt.ok)
			}
		})
	}
}

// A window that scrolls back to rows drawn at another width shows the same text, not more of it.
func TestStitchOtherWidthAbove(t *testing.T) {
	var tp tape
	tp.stitch(rowtest.Plain(50, "The parser drops the header when the disk is slow", "and then exits early.", "", "Next the index is built."))
	tp.stitch(rowtest.Plain(30, "Next the index is built.", "", "More of the reply is here."))
	tp.stitch(rowtest.Plain(30, "The parser drops the header", "when the disk is slow and then", "exits early.", "", "Next the index is built.", "", "More of the reply is here."))
	want := []string{"The parser drops the header", "when the disk is slow and then", "exits early.", "", "Next the index is built.", "", "More of the reply is here."}
	if diff := cmp.Diff(want, texts(tp.lines)); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

// TestStitchBlinks shows a bullet that blinks in a row above one that stays (SITUATIONS 17): the
// row is redrawn, not a second one.
func TestStitchBlinks(t *testing.T) {
	var tp tape
	tp.stitch(rowtest.Plain(40, "", "  Reading main.go", "  ⎿  main.go"))
	tp.stitch(rowtest.Plain(40, "", "● Reading main.go", "  ⎿  main.go"))
	if diff := cmp.Diff([]string{"", "● Reading main.go", "  ⎿  main.go"}, texts(tp.lines)); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

// TestStitchBlankTail shows a window that went down for a moment, with nothing in its lower half,
// and comes back up with a row that has grown: it shows the text's end, and is no look back.
func TestStitchBlankTail(t *testing.T) {
	var doc []string
	for i := range 11 {
		doc = append(doc, fmt.Sprintf("line %d of a reply that is long", i))
	}
	var tp tape
	tp.stitch(rowtest.Plain(60, append(append([]string{}, doc...), "and its last")...))
	tp.stitch(rowtest.Plain(60, append(append([]string{}, doc[6:]...), "and its last", "", "", "", "", "", "")...))
	doc = append(doc, "and its last row")
	tp.stitch(rowtest.Plain(60, doc...))
	if diff := cmp.Diff(doc, texts(row.Trim(tp.lines))); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

// TestStitchSaidAgain shows a small window with a row that was said before, among rows that were
// not: it goes on below, and what came since stays.
func TestStitchSaidAgain(t *testing.T) {
	var tp tape
	tp.stitch(rowtest.Plain(40, "● Reading 1 file…", "  ⎿  README.md", ""))
	tp.stitch(rowtest.Plain(40, "● The reply to the first question is short", "", "❯ The second question of the user"))
	tp.stitch(rowtest.Plain(40, "● Reading 1 file…", "  ⎿  main.go", ""))
	want := []string{"● Reading 1 file…", "  ⎿  README.md", "", "● The reply to the first question is short", "",
		"❯ The second question of the user", "● Reading 1 file…", "  ⎿  main.go"}
	if diff := cmp.Diff(want, texts(row.Trim(tp.lines))); diff != "" {
		t.Errorf("tape (-want +got):\n%s", diff)
	}
}

// TestCutRowsStorm resizes twice before an agent redraws (SITUATIONS 10): what the first resize cut
// off is not read, nor a frame that is drawn for a width that is over.
func TestCutRowsStorm(t *testing.T) {
	drawn := func(cols int, below string) []*vterm.Row {
		var out []*vterm.Row
		for _, l := range rowtest.Plain(cols, strings.Repeat("reply", 12)[:cols], below) {
			out = append(out, l.Row)
		}
		return out
	}
	for _, below := range []string{"", "─"} {
		var c cutRows
		if c.remain(drawn(60, strings.Repeat(below, 60)), 60, true) {
			t.Fatalf("%q: a frame before the resize was left out", below)
		}
		cut := drawn(40, strings.Repeat(below, 40))
		c.note(cut, 40)
		c.note(cut, 50)
		if !c.remain(cut, 50, true) {
			t.Errorf("%q: rows that the first resize cut off were read after the second", below)
		}
		if below != "" && !c.remain(drawn(60, strings.Repeat(below, 60)), 50, false) {
			t.Errorf("%q: a frame that is drawn for another width was read", below)
		}
		if c.remain(drawn(50, strings.Repeat(below, 50)), 50, false) {
			t.Errorf("%q: the redrawn frame was left out", below)
		}
	}
}
