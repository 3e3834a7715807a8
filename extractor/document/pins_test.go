package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestEqual compares rows: all of a row counts, and the mark of lost rows.
func TestEqual(t *testing.T) {
	a := rowtest.Plain(20, "a row")[0]
	a.Marks = []vterm.Mark{{Kind: vterm.MarkPrompt}}
	for name, change := range map[string]func(*row.Line){
		"wrapped": func(l *row.Line) { l.Wrapped = true },
		"blanks":  func(l *row.Line) { l.Blanks = 1 },
		"runs":    func(l *row.Line) { l.Runs = []vterm.Run{{Text: "a row", Width: 5, Style: vterm.Style{Bold: true}}} },
		"marks":   func(l *row.Line) { l.Marks = nil },
		"lost":    func(l *row.Line) { l.Lost = true },
	} {
		r := *a.Row
		b := row.Line{Row: &r, Cols: 20}
		if !equal(a, b) {
			t.Errorf("a copy differs")
		}
		if change(&b); equal(a, b) {
			t.Errorf("%s: no difference", name)
		}
	}
}

// TestLate marks the first row with words where the recording began late, and no row below it.
func TestLate(t *testing.T) {
	var d Document
	d.Late()
	d.Advance(rowtest.Plain(20, "", "first", "second"))
	d.Late() // says it of the rows that are there, too
	d.Left = rowtest.Plain(20, "", "first")
	d.Advance(rowtest.Plain(20, "second", "third"))
	d.Advance(rowtest.Plain(20, "second again", "third"))
	if diff := cmp.Diff([]int{1}, lost(d.Lines)); diff != "" || !d.Lines[1].Late {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	d.Forget(2)
	d.replace(0, rowtest.Plain(20, "other"))
	if len(lost(d.Lines)) > 0 {
		t.Errorf("a row is lost whose rows above were only forgotten")
	}
}

// TestRepairedRow shows the rest of a line again: its row, not another that says the same, stays
// repaired.
func TestRepairedRow(t *testing.T) {
	d := Document{Lines: rowtest.Plain(30, "The parser drops the header", "below"), Base: 0}
	body := rowtest.Plain(20, "the header", "below", "the header")
	d.repair(spot{0, len("Theparserdrops"), d.Lines[0], true}, body)
	for range 2 {
		d.Advance(rowtest.Plain(20, "the header", "below", "the header"))
		if diff := cmp.Diff([]string{"The parser drops the header", "below", "the header"}, texts(d.Lines)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	d.Advance(rowtest.Plain(20, "another"))
	if d.Lines[0].Text != "another" {
		t.Errorf("another row is %q", d.Lines[0].Text)
	}
}

// TestLongTextEnds reads texts that are cut by bytes, set, and wrapped.
func TestLongTextEnds(t *testing.T) {
	rows := rowtest.Plain(80, strings.Repeat("y", 1<<20))
	var long LongText
	for range 6 {
		long.Add(rows)
		rows[0].Wrapped = true
	}
	if !strings.Contains(long.String(), "\n[… 2097152 bytes left out …]\ny") {
		t.Error("the text does not say how many bytes are left out")
	}
	var set LongText
	set.Set("text", session.Gap{Lines: 5, Bytes: 50})
	var whole LongText
	if whole.Add(rowtest.Plain(80, strings.Split(strings.Repeat("x\n", headLines+5)+"x",
		"\n")...)); strings.Contains(whole.String(), "left out") {
		t.Error("a text of which nothing is left out says that there is")
	}
	if set.Omitted().Lines != 5 || set.String() != "text" {
		t.Errorf("%d lines left out of %q", set.Omitted().Lines, set.String())
	}
	var wrapped LongText
	lines := rowtest.Plain(5, "", "one", "", "two", "three")
	lines[1].Blanks, lines[2].Wrapped, lines[2].Blanks, lines[3].Wrapped = 2, true, 1, true
	if wrapped.Add(lines); wrapped.String() != "one two\nthree" {
		t.Errorf("wrapped rows became %q", wrapped.String())
	}
	// a text whose tail begins within a line goes on to be cut by whole lines
	var both LongText
	both.Add(rowtest.Plain(80, strings.Split(strings.Repeat("x\n", headLines-1)+"x", "\n")...))
	tail := rowtest.Plain(80, "first", "goes on", "second")
	tail[1].Wrapped = true
	both.Add(tail)
	both.Add(rowtest.Plain(80, strings.Split(strings.Repeat("x\n", tailLines-2)+"x", "\n")...))
	if g := both.Omitted(); g.Lines != 1 || g.Bytes != len("\nfirstgoes on") {
		t.Errorf("left out: %+v", g)
	}
}

// TestLagQuiet waits no longer than three quiet frames for an agent that does not draw again, and
// not at all if most of what is shown is new.
func TestLagQuiet(t *testing.T) {
	var g Lag
	old := rowtest.Plain(10, "0123456789", "01234", "")
	old[0].Stale = true
	g.Resized()
	for i, want := range []bool{true, true, true, false, false} {
		if got := g.Behind(old, 10, i > 0); got != want {
			t.Errorf("frame %d: %v, want %v", i, got, want)
		}
	}
	g.Resized()
	if old[1].Stale, old[0].Stale = true, false; g.Behind(old, 10, false) {
		t.Error("a frame of which little is old was left out")
	}
}

// TestReturn looks for a window that was drawn again from a row above it: only in the agent's part,
// and only if it is not where it was.
func TestReturn(t *testing.T) {
	lines := rowtest.Plain(40, "the first line of the text", "the second line of the text", "the third line",
		"the fourth line", "the fifth line")
	for _, tt := range []struct {
		name        string
		left, body  []row.Line
		start, base int
		ok          bool
	}{
		{"above", nil, lines[1:4], 0, 1, true},
		{"in another part", nil, lines[1:4], 1, 3, false},
		{"with a row that left", lines[3:4], lines[1:4], 0, 1, true},
		{"with a row of a pager that left", rowtest.Plain(40, "  8"), lines[4:], 0, 3, false},
		{"of which a row left", lines[3:5], lines[4:], 0, 3, false},
		{"as it was", nil, lines[3:], 0, 3, false},
		{"blank", nil, rowtest.Plain(40, "", ""), 0, 3, false},
		{"mostly new", nil, append(lines[1:2:2],
			rowtest.Plain(40, "a row that is new, and long at that", "a second row that is new, and long")...), 0, 3, false},
	} {
		d := Document{Lines: lines, Base: 3, Left: tt.left}
		if ok := d.returned(tt.body, tt.start); ok != tt.ok || d.Base != tt.base {
			t.Errorf("%s: base %d, %v; want %d, %v", tt.name, d.Base, ok, tt.base, tt.ok)
		}
	}
	d := Document{Lines: lines, Base: 3}
	if d.Draw(lines[1:4], 0, true); d.Base != 3 {
		t.Errorf("base %d, though rows have scrolled out", d.Base)
	}
}

// TestRewrapWithin wraps the window's rows in the middle of a line above it, which keeps what is
// above.
func TestRewrapWithin(t *testing.T) {
	for _, tt := range []struct {
		first  string
		blanks int
	}{{"header when the disk", 1}, {" header when the dis", 0}} {
		d := Document{Lines: rowtest.Plain(60, "$ cat notes", "The parser drops the header when the disk is slow",
			"and it rebuilds the index"), Base: 1}
		d.Lines[1].Marks = []vterm.Mark{{Kind: vterm.MarkOutput}, {Kind: vterm.MarkDone, Col: 30}}
		screen := rowtest.Plain(20, tt.first, strings.TrimPrefix(" header when the disk is slow", tt.first),
			"and it rebuilds the index")
		screen[1].Text = strings.TrimPrefix("header when the disk is slow", strings.TrimLeft(tt.first, " "))
		screen[0].Wrapped, screen[1].Wrapped = true, true
		if start := d.Rewrap(screen, 1); start != 1 || d.Base != 2 {
			t.Errorf("start %d, base %d; want 1 and 2", start, d.Base)
		}
		if l := d.Lines[1]; l.Text != "The parser drops the" || l.Blanks != tt.blanks || len(l.Marks) != 1 {
			t.Errorf("the line above is %q with %d blanks and %d marks, want %d blanks", l.Text, l.Blanks, len(l.Marks),
				tt.blanks)
		}
	}
}

// TestStorm resizes twice: the window is found on the document as it was before, once all of it is
// drawn again, and a resize after a while begins with the document at hand.
func TestStorm(t *testing.T) {
	said := []string{"> What does the parser do when it is slow?", "The parser drops the header when the disk is slow,",
		"and it rebuilds the index."}
	drawn := []string{"> What does the parser do", "when it is slow?", "The parser drops the header",
		"when the disk is slow, and it", "rebuilds the index."}
	d := Document{Lines: rowtest.Plain(60, said...)}
	restorable := func(start int) bool {
		_, ok := d.restorable(start, rowtest.Plain(30, drawn...))
		return ok
	}
	d.Resized(3)
	if restorable(0) {
		t.Error("one resize is a storm")
	}
	d.Resized(3)
	d.Lines, d.Base = append(rowtest.Plain(60, "torn"), rowtest.Plain(30, drawn...)...), 1 // the window is where it was
	if d.Torn(0, rowtest.Plain(30, drawn...)) || !d.Torn(1, rowtest.Plain(30, drawn...)) {
		t.Error("the window was not found, or above its part")
	}
	if d.Draw(rowtest.Plain(30, drawn[1:]...), 0, false); d.Lines[0].Text != said[0] {
		t.Errorf("the window is %q", texts(d.Lines))
	}
	if d.Torn(0, rowtest.Plain(30, "torn")) {
		t.Error("the document is torn, though the window was found again")
	}
	for range 4 {
		d.Waited()
	}
	d.Lines = rowtest.Plain(60, "torn")
	if restorable(0) {
		t.Error("the storm is not over after three frames")
	}
	d.Lines = rowtest.Plain(60, "another text, long enough to be known")
	d.Resized(3)
	d.Resized(3)
	if restorable(0) {
		t.Error("a resize long after kept the document of before")
	}
	d.Lines = rowtest.Plain(60, said...)
	d.Resized(1)
	d.Waited()
	d.Lines = rowtest.Plain(60, "another text, long enough to be known")
	d.Resized(3)
	d.Resized(3)
	if restorable(0) {
		t.Error("a resize that the agent did not draw for kept the document of before")
	}
}

// TestStormBegins resizes twice in a document that begins between.
func TestStormBegins(t *testing.T) {
	body := rowtest.Plain(30, "a text that is long enough to", "be known again")
	shell := Document{Lines: rowtest.Plain(60, "a text that is long enough to be known again")}
	fresh := shell
	for range 2 {
		fresh.Settle()
		fresh.Resized(3)
	}
	var empty Document
	empty.Resized(3)
	empty.Lines = shell.Lines
	empty.Resized(3)
	torn := rowtest.Plain(30, "torn")
	if empty.Torn(0, body) {
		t.Error("the window was not found on what was drawn between two resizes")
	}
	if !fresh.Torn(0, torn) || fresh.Torn(0, body) {
		t.Errorf("torn: %v in a new document", fresh.Torn(0, torn))
	}
	body[1].Stale = true
	if !fresh.Torn(0, body) {
		t.Error("a window was found that is not yet drawn again")
	}
}

// TestPlaceOnce finds a window above where it was, by its letters, and not if it is still there, or
// would be in another part.
func TestPlaceOnce(t *testing.T) {
	said := []string{"$ agent", "The parser drops the header when the disk is slow,", "and it rebuilds the index.",
		"It is a text of some length."}
	drawn := rowtest.Plain(30, "The parser drops the header", "when the disk is slow, and it", "rebuilds the index.",
		"It is a text of some length.")
	for _, tt := range []struct {
		body        []row.Line
		start, base int
		ok          bool
	}{{drawn, 0, 2, true}, {drawn, 1, 2, false}, {rowtest.Plain(60, "and it rebuilds the index now.", said[3]), 0, 2,
		false}, {rowtest.Plain(60, said[1:]...), 0, 1, false}, {rowtest.Plain(15, "and it rebuilds", "the index. It",
		"is a text of", "some length."), 0, 2, false}, {rowtest.Plain(30, "nothing that was said before"), 0, 2, false}} {
		d := Document{Lines: rowtest.Plain(60, said...), Base: tt.base, resize: resize{wait: 1}}
		if ok := d.redrawn(tt.start, tt.body); ok != tt.ok || ok && d.Base != 1 {
			t.Errorf("%q from %d on: base %d, %v", tt.body[0].Text, tt.start, d.Base, ok)
		}
	}
}

// TestNowhere looks for rows that the document has not got, or has more of.
func TestNowhere(t *testing.T) {
	d := Document{Lines: rowtest.Plain(60, "the first row of a text", "the second row of a text")}
	if at := d.rewrapped(rowtest.Plain(30, "another text, long enough to be known")); at >= 0 {
		t.Errorf("another text is at line %d", at)
	}
	if d.has(d.Lines[:1], 12, 0, 2) {
		t.Error("a short row is enough")
	}
	if d.grown(d.Lines[:1]) {
		t.Error("a window that is shorter has grown")
	}
}

// TestMoved shows a prompt of few letters again, a row below where it was.
func TestMoved(t *testing.T) {
	d := Document{Lines: rowtest.Plain(30, "what was above", "", "┃  no", "", ""), Base: 2}
	d.align(rowtest.Plain(30, "", "┃  no", ""), false)
	if diff := cmp.Diff([]string{"what was above", "", "", "┃  no", ""}, texts(d.Lines)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	d.align(rowtest.Plain(30, "", "┃  on", ""), false)
	if len(d.Lines) != 8 {
		t.Errorf("another prompt is in its place: %q", texts(d.Lines))
	}
	for n := 11; n <= 14; n += 3 { // blank rows say nothing of their place, below blank ones neither
		d.align(rowtest.Plain(30, "", "", ""), false)
		if len(d.Lines) != n {
			t.Errorf("a blank window is in its place: %q", texts(d.Lines))
		}
	}
}

// TestStormAfterCalm resizes long after a first resize: the document as it was before the second
// time counts.
func TestStormAfterCalm(t *testing.T) {
	d := Document{Lines: rowtest.Plain(60, "what was said at first")}
	d.Resized(1)
	d.Waited()
	d.Lines = rowtest.Plain(60, "a text that is long enough to be known again")
	for range 2 {
		d.Resized(3)
	}
	if d.Torn(0, rowtest.Plain(30, "a text that is long enough to", "be known again")) {
		t.Error("the window was not found on the document as it was before the storm")
	}
}
