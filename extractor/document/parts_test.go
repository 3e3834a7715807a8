package document

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestLeaveOut leaves lines out of a box: its border stays, and rows that the terminal wrapped
// count as one line, as do those that were left out before.
func TestLeaveOut(t *testing.T) {
	rows := []string{"│ first                          │", "│ second                         │",
		"│ third                          │", "│ fourth                         │"}
	d := Document{Lines: rowtest.Plain(34, rows...), Base: 3}
	d.Lines[1].Wrapped = true
	if by := d.LeaveOut(0, 1); by != 0 || d.Lines[0].Text != rows[0] {
		t.Errorf("one line was left out: %d", by)
	}
	if by := d.LeaveOut(0, 3); by != 2 || d.Base != 1 {
		t.Errorf("the document is %d lines shorter, its base %d; want 2 and 1", by, d.Base)
	}
	if by := d.LeaveOut(0, 2); by != 1 || LeftOut(d.Lines) != 3 {
		t.Errorf("the document is %d lines shorter, %d are left out; want 1 and 3", by, LeftOut(d.Lines))
	}
	if diff := cmp.Diff([]string{"│ [… 3 lines left out …]"}, texts(d.Lines)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLongText keeps the beginning and the end of a long text, by lines and by bytes.
func TestLongText(t *testing.T) {
	numbered := func(n int) []row.Line {
		return rowtest.Plain(80, strings.Split(strings.Repeat("x\n", n-1)+"end", "\n")...)
	}
	var t1 LongText
	t1.Add(rowtest.Plain(80, "", "", "begin"))
	t1.Add(numbered(headLines + tailLines + 4))
	if got, want := t1.Omitted(), (session.Gap{Lines: 5, Bytes: 10}); got != want {
		t.Errorf("left out: %+v, want %+v", got, want)
	}
	if s := t1.String(); !strings.HasPrefix(s, "begin\nx\n") || !strings.HasSuffix(s, "\nx\nend") ||
		!strings.Contains(s, "\n[… 5 lines left out …]\n") {
		t.Errorf("%d bytes: %.20q … %.20q", len(s), s, s[len(s)-20:])
	}
	var t2 LongText
	wrapped := rowtest.Plain(80, strings.Repeat("y", 1<<20))
	t2.Add(wrapped)
	wrapped[0].Wrapped = true
	for range 5 {
		t2.Add(wrapped)
	}
	if got, want := t2.Omitted(), (session.Gap{Bytes: 2 << 20}); got != want {
		t.Errorf("left out of one line: %+v, want %+v", got, want)
	}
	var t3 LongText
	t3.Copy(&t1)
	t3.Add(rowtest.Plain(80, "more"))
	if strings.HasSuffix(t1.String(), "more") || !strings.HasSuffix(t3.String(), "\nend\nmore") {
		t.Error("a copy is no text of its own")
	}
}

// TestRewrapSaidAgain finds the window among turns that say the same: the one that the document
// goes on from as the window does, up to its end.
func TestRewrapSaidAgain(t *testing.T) {
	turn := []string{"> go on, as long as it takes", "", "Done. All that was asked is there now, and the tests pass.", ""}
	last := []string{"> yes", "", "Done.", ""}
	for _, tt := range []struct {
		turns, shown int // of those that say the same
		last         []string
		below        string
	}{
		{4, 2, last, "the input"},
		{4, 3, last, "the input"},
		{4, 3, nil, "the input"},
		{4, 2, nil, "> the input"},
		{20, 8, nil, "> the input"},
	} {
		said := append(slices.Repeat(turn, tt.turns), tt.last...)
		d := Document{Lines: rowtest.Plain(70, said...)}
		at := len(turn) * (tt.turns - tt.shown)
		if d.Rewrap(rowtest.Plain(60, append(slices.Clone(said[at:]), tt.below)...), 0); d.Base != at {
			t.Errorf("%d of %d turns, %q below: base %d, want %d", tt.shown, tt.turns, tt.last, d.Base, at)
		}
	}
}

// TestRewrap finds the window again after the terminal has wrapped its rows for another width, and
// the first line of the agent's part, which has moved.
func TestRewrap(t *testing.T) {
	d := Document{Lines: rowtest.Plain(40, "$ agent", "The parser drops the header when the",
		"disk is slow and it rebuilds the index.")}
	screen := rowtest.Plain(20, "$ agent", "The parser drops the", "header when the", "disk is slow and it",
		"rebuilds the index.")
	if start := d.Rewrap(screen, 1); start != 1 || d.Base != 0 {
		t.Errorf("start %d, base %d; want 1 and 0", start, d.Base)
	}
	if diff := cmp.Diff(texts(screen), texts(d.Lines)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if start := d.Rewrap(rowtest.Plain(20, "nothing that was there"), 1); start != 1 {
		t.Errorf("a window that is not found moved the start to %d", start)
	}
}

// TestRewrapDropped brings rows back from the scrollback above lines that the terminal has dropped:
// the document keeps those, also when the rows leave the window again.
func TestRewrapDropped(t *testing.T) {
	const first, rest, last = "The parser drops the header,", "which is slow at night,", "and it rebuilds the index."
	said, alike := []string{"$ agent", first, "The lock is held.", rest, last}, strings.Repeat("ab", 60)
	for _, tt := range []struct {
		name  string
		lines []string
		shown []string
		back  int // the rows that stay where they are on the document
	}{
		{"rows that were above it", said, []string{first, rest, last}, 1},
		{"a row that its first one seems to go on with", said, []string{"$ agent", "The parser" + rest, last}, 2},
		{"all rows that were above it", said, said[1:], 0},
		{"rows of nobody knows what", said, []string{"A status.", rest, last}, 0},
		{"more rows than the document has", said[1:], []string{"The", "parser", "drops", "the header,", rest, last}, 0},
		{"rows above a window of few letters", append(said[:3:3], "no", "ok"), []string{first, "no", "ok"}, 0},
		{"all rows, which are much alike", []string{"$ agent", "x" + alike, alike, last},
			[]string{"x" + alike, alike, last}, 0},
		{"a row above all that the document has", said[3:], []string{first, rest, last}, 0},
		{"nothing", said, []string{rest, last}, 0},
	} {
		d := Document{Lines: rowtest.Plain(30, tt.lines...), Base: len(tt.lines) - 2}
		d.Rewrap(rowtest.Plain(40, tt.shown...), 0)
		if d.back != tt.back {
			t.Errorf("%s: %d rows came back, want %d", tt.name, d.back, tt.back)
		}
		if tt.back == 0 {
			continue
		}
		for i := range 2 {
			d.Left = rowtest.Plain(40, tt.shown[:i]...)
			d.Advance(rowtest.Plain(40, append(slices.Clone(tt.shown[i:]), "More.")...))
			if diff := cmp.Diff(append(slices.Clone(tt.lines), "More."), texts(d.Lines)); diff != "" {
				t.Errorf("%s, %d left: (-want +got):\n%s", tt.name, i, diff)
			}
		}
	}
}

// TestRewrapTorn has a terminal lose the row above one that it wrapped in the middle of a word, and
// draw blanks in its place: the word stays one, also in the next frame. Other blanks are an indent.
func TestRewrapTorn(t *testing.T) {
	const above, below = "The parser drops the hea", "and it rebuilds the index."
	for indent, want := range map[int]string{len(above): "ders", 2: "  ders"} {
		d := Document{Lines: rowtest.Plain(24, "$ agent", above, "ders", below), Base: 2}
		d.Lines[2].Wrapped = true
		shown := rowtest.Plain(40, strings.Repeat(" ", indent)+"ders", below)
		d.Rewrap(shown, 0)
		d.Advance(shown)
		if diff := cmp.Diff([]string{"$ agent", above, want, below}, texts(d.Lines)); diff != "" ||
			d.Lines[2].Wrapped != (want == "ders") {
			t.Errorf("indent %d: (-want +got):\n%s", indent, diff)
		}
	}
}

// TestBridge has a window scroll by more than its height in frames that are not read: one of them
// shows how the text goes on, if the next window does not, and has text of both.
func TestBridge(t *testing.T) {
	said := []string{"The parser drops all the headers", "and it rebuilds the index.", "It is read again at night.",
		"Nothing else has changed.", "The lock is held until then."}
	wide, narrow := rowtest.Plain(35, said...), rowtest.Plain(30, said...)
	other := rowtest.Plain(20, "A status that is", "nobody's business.")
	for _, tt := range []struct {
		name    string
		lines   []row.Line
		windows [][]row.Line
		want    []string
	}{
		{"the rows between", wide[:2], [][]row.Line{nil, other, wide[1:4], narrow[2:], other}, said},
		{"only what is below", wide[1:2], [][]row.Line{narrow[2:]}, said[1:]},
		{"more than is needed", wide[2:4], [][]row.Line{wide[1:4]}, said[2:]},
		{"nothing", nil, [][]row.Line{wide[:4]}, said[2:]},
	} {
		d := Document{Lines: slices.Clone(tt.lines)}
		body := slices.Clone(narrow[2:])
		d.Bridge(tt.windows, nil, body)
		d.Align(body)
		lost := 0
		for _, l := range d.Lines {
			if l.Lost {
				lost++
			}
		}
		if diff := cmp.Diff(tt.want, texts(d.Lines)); diff != "" || (lost > 0) != (tt.name == "only what is below") {
			t.Errorf("%s: %d gaps (-want +got):\n%s", tt.name, lost, diff)
		}
	}
}

// TestAlignReflowed shows windows of the alternate screen whose first row a multiplexer has wrapped
// for a new width, in the middle of a word: the line stays one. The second is a look back.
func TestAlignReflowed(t *testing.T) {
	said := []string{"The parser drops all the headers", "and it rebuilds the index.", "It is read again at night.",
		"Nothing else has changed."}
	for _, tt := range []struct {
		base  int
		shown []string
		want  []string
		at    int // the window, then
	}{
		{1, append([]string{"ders"}, append(said[1:], "That is all.")...), append(said[1:4:4], "That is all."), 1},
		{3, []string{"ders", said[1], said[2]}, said[1:], 4},
	} {
		d := Document{Lines: rowtest.Plain(32, said...), Base: tt.base}
		body := rowtest.Plain(28, tt.shown...)
		body[0].Wrapped = true
		d.align(body, false)
		want := append([]string{"The parser drops all the hea", "ders"}, tt.want...)
		if diff := cmp.Diff(want, texts(d.Lines)); diff != "" || d.Base != tt.at || !d.Lines[1].Wrapped {
			t.Errorf("base %d, want %d; document (-want +got):\n%s", d.Base, tt.at, diff)
		}
	}
}

// TestWindowWidths knows of each row for which width it was drawn, until it is drawn again.
func TestWindowWidths(t *testing.T) {
	rows := rowtest.Plain(0, "old", "older")
	old, older := rows[0].Row, rows[1].Row
	var w Window
	w.Next(nil, 80, false, false)
	w.Next([]*vterm.Row{old, older}, 70, true, false)
	w.Next([]*vterm.Row{old, older}, 60, true, false)
	w.Lines([]*vterm.Row{old})
	fresh := rowtest.Plain(0, "new")[0].Row
	for _, tt := range []struct {
		line row.Line
		cols int
	}{{w.Line(old), 80}, {w.Line(older), 80}, {w.Line(fresh), 60}} {
		if tt.line.Cols != tt.cols {
			t.Errorf("%q was drawn for %d columns, want %d", tt.line.Text, tt.line.Cols, tt.cols)
		}
	}
	w.Next(nil, 60, false, true)
	if l := w.Lines([]*vterm.Row{old})[0]; l.Cols != 60 {
		t.Errorf("after all was redrawn a row counts as drawn for %d columns", l.Cols)
	}
	w.Next([]*vterm.Row{old}, 60, true, false) // lower, and as wide
	if l := w.Lines([]*vterm.Row{old})[0]; !l.Stale {
		t.Error("after a resize a row counts as drawn since")
	}
}

// TestOwn leaves out what a window shows of documents that were cleared.
func TestOwn(t *testing.T) {
	cols := func(n int, texts string) []row.Line { return rowtest.Plain(n, strings.Split(texts, "/")...) }
	for _, tt := range []struct {
		name, own, body, want string
	}{
		{"the end of the text before", "> ho/new", "one two/three//> ho/new", "> ho/new"},
		{"a part of a row", "> ho/new", "two/three/> ho/new", "> ho/new"},
		{"the text before that", "> ho/new", "older/> hi/one two three/> ho/new", "> ho/new"},
		{"below blank rows", "/> ho/new", "/three///> ho/new", "/> ho/new"},
		{"other text above", "> ho/new", "two/four/> ho/new", "two/four/> ho/new"},
		{"nothing above", "> hi/one two three", "> hi/one two three/> hi", "> hi/one two three/> hi"},
		{"nothing but a blank row above", "> ho/new", "/> ho/new", "/> ho/new"},
		{"no row of its own", "> ho/new", "two/three", "two/three"},
		{"nothing was said since", "", "one two/three", ""},
		{"the first that is said since", "", "one two/three//> ho", "> ho"},
		{"not the end", "", "> hi/one two", "> hi/one two"},
		{"nothing above, nothing was said", "", "/> ho", "/> ho"},
		{"the beginning of its row", "ho ho/new", "three/ho ho/new", "ho ho/new"},
		{"the middle of a row", "ho ho/new", "three ho ho/new", "three ho ho/new"},
	} {
		d := Document{Lines: cols(40, "older")}
		d.Clear()
		d.Lines = cols(40, "> hi/one two three")
		d.Clear()
		if d.Resized(AltFrames); tt.own != "" {
			d.Lines = cols(40, tt.own)
		}
		if diff := cmp.Diff(tt.want, strings.Join(texts(d.Own(cols(20, tt.body))), "/")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
	d := Document{before: ">hi"}
	if body := cols(20, "> hi"); len(d.Own(body)) == 0 {
		t.Error("what is said again is left out, although the window has its size")
	}
	d = Document{Lines: cols(40, strings.Repeat("x", maxBefore)+"y")}
	if d.Clear(); len(d.before) != maxBefore || d.before[maxBefore-1] != 'y' {
		t.Errorf("%d bytes are kept, want the last %d", len(d.before), maxBefore)
	}
}

// TestBridgeGap keeps the rows that scrolled off above a window, even if the document has nothing
// of them: the gap is above them then.
func TestBridgeGap(t *testing.T) {
	d := Document{Lines: rowtest.Plain(40, "> Why is it so?", "● The parser reads it all"), Base: 0}
	body := rowtest.Plain(40, "The lock is held until then.", "Nothing else has changed.")
	d.Bridge(nil, rowtest.Plain(40, "It rebuilds the index at night.", "So it is read again."), body)
	d.Align(body)
	want := []string{"> Why is it so?", "● The parser reads it all", "It rebuilds the index at night.",
		"So it is read again.", "The lock is held until then.", "Nothing else has changed."}
	if diff := cmp.Diff(want, texts(d.Lines)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	for i, l := range d.Lines {
		if l.Lost != (i == 2) {
			t.Errorf("line %d: lost is %v", i, l.Lost)
		}
	}
}

// TestBridgeBelowGap has a window that was not read, and that has text in common with the next one
// only: the rows above that text were on the screen then.
func TestBridgeBelowGap(t *testing.T) {
	d := Document{}
	d.Align(rowtest.Plain(40, "Why does it need so much memory at night?"))
	body := rowtest.Plain(40, "It rebuilds the index at night.", "So it is read again.")
	d.Bridge([][]row.Line{rowtest.Plain(40, "What changes tonight", "It rebuilds the index at night.",
		"So it is read again.")}, nil, body)
	d.Align(body)
	var got []string
	for _, l := range d.Lines {
		got = append(got, l.Text)
	}
	if want := []string{"Why does it need so much memory at night?", "What changes tonight",
		"It rebuilds the index at night.", "So it is read again."}; !slices.Equal(got, want) || !d.Lines[1].Lost {
		t.Errorf("%q", got)
	}
}
