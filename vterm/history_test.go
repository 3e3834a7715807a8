package vterm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ptyrec/ptyrec/vterm"
)

// told writes a history as one word an item.
func told(items []vterm.HistoryRow) string {
	names := map[vterm.HistoryKind]string{
		vterm.Scrolled: "scrolled", vterm.Erased: "erased", vterm.Cleared: "cleared", vterm.Resized: "resized",
	}
	var out []string
	for _, it := range items {
		switch it.Kind {
		case vterm.Scrolled, vterm.Erased:
			out = append(out, names[it.Kind]+":"+it.Row.Text)
		case vterm.Resized:
			out = append(out, fmt.Sprint(names[it.Kind], ":", it.N))
		default:
			out = append(out, names[it.Kind])
		}
	}
	return strings.Join(out, " ")
}

func TestHistory(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"line feeds", "a\r\nb\r\nc\r\nd\r\ne", "scrolled:a scrolled:b"},
		{"autowrap", "aaaaaaaabbbbbbbbccccccccdddd", "scrolled:aaaaaaaa"},
		{"SU at the top", "a\r\nb\r\nc\x1b[2S", "scrolled:a scrolled:b"},
		{"SU in a region at the top", "a\r\nb\r\nc\x1b[1;2r\x1b[S", "scrolled:a"},
		{"SU in a region below", "a\r\nb\r\nc\x1b[2;3r\x1b[S", ""},
		{"a region's line feeds", "a\r\nb\r\nc\x1b[1;2r\x1b[2;1H\n\n", "scrolled:a scrolled:b"},
		{"DL forgets", "a\r\nb\x1b[H\x1b[M", ""},
		{"ED 2", "a\r\n\r\nb\x1b[2J", "erased:a erased: erased:b"},
		{"ED 0 from home", "a\r\nb\x1b[H\x1b[J", "erased:a erased:b"},
		{"ED 0 from elsewhere", "a\r\nb\x1b[2;1H\x1b[J", ""},
		{"ED 2 on an empty screen", "\x1b[2J", ""},
		{"Gemini wipes", "a\r\nb\r\nc\r\nd\x1b[2J\x1b[3J\x1b[H", "scrolled:a erased:b erased:c erased:d cleared"},
		{"RIS", "a\r\nb\x1bc", "erased:a erased:b cleared"},
		{"the alternate screen", "a\x1b[?1049hx\r\ny\r\nz\r\n\n\n\x1b[2J\x1b[3S\x1b[?1049l", ""},
	} {
		if got := told(term(size(8, 3), tt.in).TakeHistory()); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestHistoryOfResizes(t *testing.T) {
	v := term(size(8, 3), "a\r\nb\r\nc\r\nd")
	v.Resize(8, 2)
	v.Resize(8, 4)
	v.Resize(8, 4)
	if got, want := told(v.TakeHistory()), "scrolled:a resized:-1 resized:2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestHistoryKeepsRowsThatComeBack(t *testing.T) {
	v := term(size(8, 2), "a\r\nb\r\nc")
	v.Resize(8, 3)
	_, _ = v.Write([]byte("\x1b[Hchanged"))
	if got, want := told(v.TakeHistory()), "scrolled:a resized:1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestHistoryIsDrainedAndBounded(t *testing.T) {
	v := term(size(8, 2), strings.Repeat("x\r\n", 30000))
	if got := len(v.TakeHistory()); got != 10000 {
		t.Errorf("%d items, want 10000", got)
	}
	if got := v.TakeHistory(); len(got) != 0 {
		t.Errorf("%d items are told twice", len(got))
	}
	if got := len(v.Scrollback()); got != 10000 {
		t.Errorf("%d lines of scrollback, want 10000", got)
	}
}

// TestCues checks where in the stream a cue comes: what the screen shows inside it.
func TestCues(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"ED 2, before it", "ab\x1b[2Jcd", []string{"1 2 : ab"}},
		{"ED 3, before it", "ab\x1b[3J", []string{"1 3 : ab"}},
		{"ED 0 from home", "ab\x1b[H\x1b[J", []string{"1 0 : ab"}},
		{"ED 0 from elsewhere", "ab\x1b[J", nil},
		{"RIS", "ab\x1bc", []string{"1 -1 : ab"}},
		{"a frame, behind it", "\x1b[?2026hab\x1b[?2026l", []string{"0 0 : ab"}},
		{"the alternate screen, before it", "ab\x1b[?1049h\x1b[Hcd\x1b[?1049l", []string{"2 1 : ab", "2 0 : cd"}},
		{"there already", "\x1b[?1049h\x1b[?1047h", []string{"2 1 : "}},
		{"titles", "\x1b]0;one\x07\x1b]2;t;wo\x1b\\\x1b]1;icon\x07", []string{"3 0 one: ", "3 0 t;wo: "}},
		{"the shell", "$ \x1b]133;B\x07ls\x1b]133;D;1\x07", []string{"4 0 B: $", "4 0 D;1: $ ls"}},
		{"the folder", "\x1b]7;file://h/tmp\x07", []string{"5 0 file://h/tmp: "}},
	} {
		var got []string
		var v *vterm.Term
		v = vterm.New(vterm.Options{Cols: 8, Rows: 2, OnCue: func(c vterm.Cue) {
			got = append(got, fmt.Sprintf("%d %d %s: %s", c.Kind, c.N, c.Text, v.Snapshot().Lines[0].Text))
			v.TakeHistory()
		}})
		for i := range tt.in { // as slowly as it can come
			_, _ = v.Write([]byte(tt.in[i : i+1]))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestTakeAltScrolled scrolls the alternate screen.
func TestTakeAltScrolled(t *testing.T) {
	const filled = "main\x1b[?1049h\x1b[Ha\r\nb\r\nc"
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"\r\nd\r\ne", "a b"},
		{"\x1b[2S", "a b"},
		{"\x1b[1;2r\x1b[2;1H\n", "a"},
		{"\x1b[2;3r\x1b[3;1H\n\x1b[S", ""},       // the region does not begin at the top
		{"\r\nd\x1b[H\x1b[J", ""},                // erased
		{"\r\nd\x1b[H\x1bM", ""},                 // rows came in above
		{"\r\nd\x1b[?1049l", ""},                 // the main screen is back
		{"\r\nd\x1b[?1049l\x1b[?1049h\r\nx", ""}, // and the alternate one again
		{"\r\nd\x1b[2;1H\x1bM\x1b[M", "a"},
	} {
		v := term(size(8, 3), filled+tt.in)
		var got []string
		for _, r := range v.TakeAltScrolled() {
			got = append(got, r.Text)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
		if n := len(v.TakeAltScrolled()); n > 0 {
			t.Errorf("%q: %d rows are there a second time", tt.in, n)
		}
	}
	v := term(size(8, 3), filled+strings.Repeat("\r\nx", 1000))
	if n := len(v.TakeAltScrolled()); n != 256 {
		t.Errorf("%d rows wait", n)
	}
	_, _ = v.Write([]byte("\n"))
	if v.Resize(9, 3); len(v.TakeAltScrolled()) > 0 {
		t.Error("rows from before a resize")
	}
}
