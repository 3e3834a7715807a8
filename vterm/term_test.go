package vterm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ptyrec/ptyrec/vterm"
)

// term makes a terminal that has read text.
func term(o vterm.Options, text string) *vterm.Term {
	t := vterm.New(o)
	_, _ = t.Write([]byte(text))
	return t
}

func size(cols, rows int) vterm.Options { return vterm.Options{Cols: cols, Rows: rows} }

func TestSnapshotSharesUnchangedRows(t *testing.T) {
	v := term(size(20, 4), "one\r\ntwo\r\nthree")
	before := v.Snapshot()
	_, _ = v.Write([]byte("\x1b[2;1Hzwei\x1b[1;1H"))
	after := v.Snapshot()
	for y, want := range []bool{true, false, true, true} {
		if got := before.Lines[y] == after.Lines[y]; got != want {
			t.Errorf("row %d is the same pointer: %v, want %v", y, got, want)
		}
	}
	if got := after.Lines[1].Text; got != "zwei" {
		t.Errorf("row 1 is %q, want %q", got, "zwei")
	}
}

func TestSnapshotSharesScrolledRows(t *testing.T) {
	v := term(size(20, 3), "one\r\ntwo\r\nthree")
	before := v.Snapshot()
	_, _ = v.Write([]byte("\r\nfour"))
	after := v.Snapshot()
	if before.Lines[1] != after.Lines[0] || before.Lines[2] != after.Lines[1] {
		t.Error("rows that moved up are not the same pointers")
	}
	if v.Scrollback()[0] != before.Lines[0] || v.TakeHistory()[0].Row != before.Lines[0] {
		t.Error("the row that scrolled off is not the same pointer")
	}
}

func TestSnapshotStyles(t *testing.T) {
	v := term(size(40, 1), "plain \x1b[1;38;2;1;2;3mbold\x1b[0;48;5;9m x \x1b[m \x1b]8;;http://a\x07link\x1b]8;;\x07 "+
		"\x1b[4:3;58;5;7mwavy")
	want := []vterm.Run{
		{Text: "plain ", Width: 6},
		{Text: "bold", Col: 6, Width: 4, Style: vterm.Style{Bold: true,
			Fg: vterm.Color{Kind: vterm.ColorRGB, R: 1, G: 2, B: 3}}},
		{Text: " x ", Col: 10, Width: 3, Style: vterm.Style{Bg: vterm.Color{Kind: vterm.ColorPalette, Palette: 9}}},
		{Text: " ", Col: 13, Width: 1},
		{Text: "link", Col: 14, Width: 4, Style: vterm.Style{Link: "http://a"}},
		{Text: " ", Col: 18, Width: 1},
		{Text: "wavy", Col: 19, Width: 4, Style: vterm.Style{Underline: vterm.UnderlineCurly,
			UnderlineColor: vterm.Color{Kind: vterm.ColorPalette, Palette: 7}}},
	}
	if diff := cmp.Diff(want, v.Snapshot().Lines[0].Runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestRowBlanks(t *testing.T) {
	for _, tt := range []struct {
		in           string
		text         string
		blanks, runs int
	}{
		{"ab  ", "ab", 2, 1},
		{"ab\x1b[8G", "ab", 0, 1},
		{"  ", "", 2, 0},
		{"", "", 0, 0},
		{"ab\x1b[41m  \x1b[m  ", "ab", 4, 2},
		{"ab \x1b[7m  ", "ab", 3, 2},
		{"\x1b[41m\x1b[K", "", 0, 1},
	} {
		row := term(size(8, 1), tt.in).Snapshot().Lines[0]
		if row.Text != tt.text || row.Blanks != tt.blanks || len(row.Runs) != tt.runs {
			t.Errorf("%q: text %q, %d blanks, %d runs, want %q, %d, %d",
				tt.in, row.Text, row.Blanks, len(row.Runs), tt.text, tt.blanks, tt.runs)
		}
		if diff := cmp.Diff(row, term(size(8, 2), "x\r\n"+tt.in).Snapshot().Lines[1]); diff != "" {
			t.Errorf("%q on its own, and below another row (-first +second):\n%s", tt.in, diff)
		}
	}
}

func TestGraphemeWidths(t *testing.T) {
	for _, tt := range []struct {
		text string
		x    int // where the cursor is behind it
	}{
		{"a", 1}, {"é", 1}, {"e\u0301", 1}, {"漢", 2}, {"⚠️", 2}, {"⚠", 1}, {"👨‍👩‍👧", 2}, {"🇩🇪", 2},
		{"👍🏽", 2}, {"1️⃣", 2}, {"한국", 4}, {"각", 2}, {"क्षि", 2}, {"❤️‍🔥", 2}, {"─●│", 3}, {"✳", 1}, {"🤖🤖", 4},
	} {
		// A cut in the middle of a cluster does not matter.
		for cut := range len(tt.text) {
			v := vterm.New(size(20, 1))
			_, _ = v.Write([]byte(tt.text[:cut]))
			_, _ = v.Write([]byte(tt.text[cut:]))
			s := v.Snapshot()
			if s.CursorX != tt.x || s.Lines[0].Text != tt.text {
				t.Fatalf("%q cut at %d: cursor at %d, text %q, want %d", tt.text, cut, s.CursorX, s.Lines[0].Text, tt.x)
			}
		}
	}
}

func TestWideningClusterWraps(t *testing.T) {
	v := term(size(4, 2), "abc⚠\ufe0f!")
	s := v.Snapshot()
	if got := texts(s.Lines); !cmp.Equal(got, []string{"abc", "⚠️!"}) || !s.Lines[1].Wrapped {
		t.Errorf("screen %q, wrapped %v, want the cluster on the second row", got, s.Lines[1].Wrapped)
	}
}

// A program that takes a cluster to be as narrow as without its variation selector writes a blank
// into what is the second column here.
func TestNarrowedCluster(t *testing.T) {
	for in, want := range map[string]string{
		"⚠\ufe0f\x1b[1;2H x": "⚠\ufe0f x",
		"缓\x1b[1;2H x":       "  x",
	} {
		if got := term(size(8, 1), in).Snapshot().Lines[0].Text; got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestRuneWidths counts as the C library's wcwidth, and cuts a text where the terminal does.
func TestRuneWidths(t *testing.T) {
	for _, tt := range []struct {
		text string
		x    int // where the cursor is behind it
	}{
		{"a", 1}, {"e\u0301", 1}, {"漢", 2}, {"⚠️", 1}, {"👨‍👩‍👧", 6}, {"🇩🇪", 2}, {"👍🏽", 4}, {"1️⃣", 1}, {"🫠", 2}, {"각", 2},
		{"क्षि", 3}, {"தமிழில்", 6},
	} {
		o := size(20, 1)
		o.Widths = vterm.Runes
		s := term(o, tt.text).Snapshot()
		if s.CursorX != tt.x || s.Lines[0].Text != tt.text || vterm.TextWidth(tt.text, vterm.Runes) != tt.x {
			t.Errorf("%q: cursor at %d, text %q, width %d, want %d",
				tt.text, s.CursorX, s.Lines[0].Text, vterm.TextWidth(tt.text, vterm.Runes), tt.x)
		}
	}
}

// TestRightEdge shows what line editors write where a row is full: readline moves to the start of
// the next row before it writes what joins the last character, and pads a row on which a wide
// character does not fit.
func TestRightEdge(t *testing.T) {
	for _, tt := range []struct {
		in     string
		rows   []string
		blanks int // behind the first row's text
	}{
		{"abcde \r\u0301f", []string{"abcde\u0301", "f"}, 0},
		{"abc漢 \r\u0301f", []string{"abc漢\u0301", "f"}, 0},
		{"abcde\r\n\u0301f", []string{"abcde", "f"}, 0},
		{"\u0301f", []string{"f", ""}, 0},
		{"ab漢 \x1b[K漢", []string{"ab漢", "漢"}, 0},
		{"abc  \x1b[K漢", []string{"abc", "漢"}, 1},
		{"ab漢 漢", []string{"ab漢", "漢"}, 1},
		{"ab漢 \x1b[Kc", []string{"ab漢", "c"}, 1},
		{"ab漢x\x1b[K漢", []string{"ab漢x", "漢"}, 0},
		{"abc漢\x1b[K漢", []string{"abc漢", "漢"}, 0},
	} {
		for _, by := range []vterm.Widths{vterm.Runes, vterm.Graphemes} {
			o := size(5, 2)
			o.Widths = by
			lines := term(o, tt.in).Snapshot().Lines
			if got := texts(lines); !cmp.Equal(got, tt.rows) || lines[0].Blanks != tt.blanks {
				t.Errorf("%q: got %q and %d blanks, want %q and %d", tt.in, got, lines[0].Blanks, tt.rows, tt.blanks)
			}
		}
	}
}

func TestBoundedTables(t *testing.T) {
	v := vterm.New(vterm.Options{Cols: 10, Rows: 4, Scrollback: 5})
	var b strings.Builder
	for i := range 1 << 16 {
		fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm\x1b]8;;http://x/%d\x07x%c%c\r\n", i>>16, i>>8&255, i&255, i,
			rune(0x300+i%100), rune(0x300+i/100%100))
		if b.Len() > 1<<16 {
			_, _ = v.Write([]byte(b.String()))
			b.Reset()
			v.TakeHistory()
		}
	}
	rows, styles, clusters, links := v.Held()
	if rows > 2000 || styles > 1<<16 || clusters > 1<<16 || links > 1<<16 {
		t.Errorf("%d rows, %d styles, %d clusters, %d links are held", rows, styles, clusters, links)
	}
	_, _ = v.Write([]byte("\x1b[H\x1b[2J\x1b]8;;\x07\x1b[0;1mb\u0301old"))
	row := v.Snapshot().Lines[0]
	if row.Text != "b\u0301old" || len(row.Runs) != 1 || row.Runs[0].Style != (vterm.Style{Bold: true}) {
		t.Errorf("row %+v after the tables were swept", row)
	}
}

func TestLongStringsAreDropped(t *testing.T) {
	long := strings.Repeat("t", 2<<20)
	v := term(size(10, 1), "\x1b]0;ok\x07\x1b]0;"+long+"\x07\x1b]8;;http://"+long[:5000]+"\x07x")
	s := v.Snapshot()
	if s.Title != "ok" || s.Lines[0].Runs[0].Style.Link != "" {
		t.Errorf("title of %d bytes, link of %d", len(s.Title), len(s.Lines[0].Runs[0].Style.Link))
	}
}

func TestSizesAreClamped(t *testing.T) {
	v := vterm.New(size(-5, 1<<30))
	v.Resize(1<<30, -1)
	if s := v.Snapshot(); s.Cols < 2 || s.Rows != 1 || len(s.Lines) != 1 {
		t.Errorf("%dx%d with %d lines", s.Cols, s.Rows, len(s.Lines))
	}
}

func TestReplies(t *testing.T) {
	const queries = "\x1b[c\x1b[>c\x1b[5n\x1b[3;" +
		"4H\x1b[6n\x1b[?6n\x1b[>q\x1b[?u\x1b[?2026$p\x1b[?9999$p\x1bP$qm\x1b\\\x1bP$qx\x1b\\"
	const want = "\x1b[?1;2c\x1b[>0;276;0c\x1b[0n\x1b[3;4R\x1b[?3;4R\x1bP>|ptyrec\x1b\\\x1b[?0u" +
		"\x1b[?2026;2$y\x1b[?9999;0$y\x1bP1$r0m\x1b\\\x1bP0$r\x1b\\"
	o := size(20, 5)
	if got := term(o, queries).TakeReplies(); len(got) > 0 {
		t.Errorf("%q is answered though a terminal is there to do so", got)
	}
	o.Replies = true
	v := term(o, queries)
	if got := string(v.TakeReplies()); got != want {
		t.Errorf("replies\n got %q\nwant %q", got, want)
	}
	if got := v.TakeReplies(); len(got) > 0 {
		t.Errorf("%q is answered twice", got)
	}
}

// TestWriteDoesNotAllocate: once the scrollback is full, text and styles cost no memory.
func TestWriteDoesNotAllocate(t *testing.T) {
	v := vterm.New(vterm.Options{Cols: 40, Rows: 10, Scrollback: 100})
	text := []byte(strings.Repeat("\x1b[1;31mred\x1b[m and \x1b[38;2;1;2;3m漢字 e\u0301 👨‍👩‍👧\x1b[K plain text\r\n"+
		"\x1b[2A\x1b[G", 100) +
		strings.Repeat("line\r\n", 10500))
	_, _ = v.Write(text)
	if got := testing.AllocsPerRun(5, func() { _, _ = v.Write(text) }); got > 0 {
		t.Errorf("%v allocations a write of %d bytes, want none", got, len(text))
	}
}
