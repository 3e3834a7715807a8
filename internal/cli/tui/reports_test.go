package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/vterm"
)

// anyModes draws modes that a program may set.
func anyModes(t *rapid.T) vterm.Modes {
	on := rapid.Bool()
	return vterm.Modes{
		Wraparound: true, ApplicationCursorKeys: on.Draw(t, "cursor"), ApplicationKeypad: on.Draw(t, "keypad"),
		BracketedPaste: on.Draw(t, "paste"), SendFocus: on.Draw(t, "focus"), AlternateScroll: on.Draw(t, "wheel"),
		Mouse:         rapid.SampledFrom([]int{0, 9, 1000, 1002, 1003}).Draw(t, "mouse"),
		MouseFormat:   rapid.SampledFrom([]int{0, 1005, 1006, 1015, 1016}).Draw(t, "format"),
		KeyboardFlags: rapid.IntRange(0, 31).Draw(t, "flags"), ModifyOtherKeys: rapid.IntRange(0, 2).Draw(t, "keys"),
	}
}

// The user's terminal follows the modes of the session's screen, whatever they were before. In the
// end it is in its own modes again, including keyboard flags that an outer program has set.
func TestReportsFollowTheSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		user := vterm.New(vterm.Options{Cols: 20, Rows: 4})
		_, _ = user.Write([]byte("\x1b[>3u"))
		own := user.Modes()
		var r reports
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			want := anyModes(t)
			_, _ = user.Write([]byte(r.change(reports{on: true, modes: want})))
			got := user.Modes()
			if want.KeyboardFlags == 0 {
				want.KeyboardFlags = own.KeyboardFlags
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-session's +user's):\n%s", diff)
			}
		}
		_, _ = user.Write([]byte(r.change(reports{})))
		got := user.Modes()
		got.AlternateScroll = own.AlternateScroll // vterm does not save and restore modes
		if diff := cmp.Diff(own, got); diff != "" {
			t.Fatalf("in the end (-before +after):\n%s", diff)
		}
	})
}

// With control the wheel types no arrow keys; afterwards the terminal has its own mode again.
func TestTheWheelTypesNoArrowKeys(t *testing.T) {
	var r reports
	if got := r.change(reports{}); got != "" {
		t.Errorf("without control the terminal gets %q", got)
	}
	if got, want := r.change(reports{on: true}), "\x1b[?1007s\x1b[?1007l"; got != want {
		t.Errorf("at first %q, want %q", got, want)
	}
	if got, want := r.change(reports{}), "\x1b[?1007h\x1b[?1007r"; got != want {
		t.Errorf("in the end %q, want %q", got, want)
	}
}

func TestDetachKeyInEveryEncoding(t *testing.T) {
	for _, tt := range []struct {
		keys string
		key  byte
		want int
	}{
		{"ab\x1d", 0x1d, 2}, {"ab", 0x1d, -1},
		{"a\x1b[93;5u", 0x1d, 1}, {"a\x1b[93;5:1u", 0x1d, 1}, {"a\x1b[93;5:3u", 0x1d, -1}, {"\x1b[93;197u", 0x1d, 0},
		{"\x1b[93;7u", 0x1d, -1}, {"\x1b[93;1u", 0x1d, -1},
		{"\x1b[53;5u", 0x1d, 0}, {"\x1b[1098::93;5u", 0x1d, 0}, {"\x1b[93;5;29u", 0x1d, 0}, {"\x1b[27;5;93~", 0x1d, 0},
		{"\x1b[27;6;95~", 0x1f, 0},
		{"\x1b[113;5u", 0x11, 0}, {"\x1b[113;5u", 0x1d, -1}, {"\x1b[54;6u", 0x1e, 0}, {"\x1b[45;6u", 0x1f, 0},
		{"\x1d\x1b[93;5u", 0x1d, 0}, {"\x1b[93;5u\x1d", 0x1d, 0},
		{"\x1b[1;5A", 0x1d, -1}, {"\x1b[2;5~", 0x02, -1},
	} {
		if got := detachAt([]byte(tt.keys), tt.key); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.keys, got, tt.want)
		}
	}
}

// A sequence that comes in two pieces waits for the second one. A key that may be complete does not
// wait.
func TestCutSequencesWait(t *testing.T) {
	for _, tt := range []struct {
		keys, whole string
		mouse       bool
	}{
		{"a\x1b[93;", "a", false}, {"a\x1b[<0;1", "a", true}, {"\x1b[<", "", true}, {"x\x1b[M !", "x", true},
		{"\x1b", "\x1b", true}, {"\x1b[", "\x1b[", true}, {"\x1b[M", "\x1b[M", false}, {"\x1b[A", "\x1b[A", true},
		{"\x1b[M !!", "\x1b[M !!", true},
	} {
		whole, cut := splitCut([]byte(tt.keys), tt.mouse)
		if string(whole) != tt.whole || string(whole)+string(cut) != tt.keys {
			t.Errorf("%q: %q, %q", tt.keys, whole, cut)
		}
	}
}

// Mouse reports of each format are moved to the part of the session's screen that is shown.
func TestMouseOnAPartOfTheScreen(t *testing.T) {
	v := view{top: 10, cols: 100, rows: 34}
	for _, tt := range []struct {
		format     int
		keys, want string
	}{
		{1006, "a\x1b[<0;5;3Mb\x1b[<0;5;3m\x1b[A", "a\x1b[<0;5;13Mb\x1b[<0;5;13m\x1b[A"},
		{1006, "\x1b[<0;101;3M\x1b[<0;101;30m", "\x1b[<0;100;34m"}, // beside the screen
		{1006, "\x1b[<64;1;1M\x1b[<35;3;24M\x1b[<35;3;25M", "\x1b[<64;1;11M\x1b[<35;3;34M"},
		{1015, "\x1b[32;5;3M\x1b[35;5;90M", "\x1b[32;5;13M\x1b[35;5;34M"},
		{0, "\x1b[M %#\x1b[A", "\x1b[M %-\x1b[A"}, {0, "\x1b[M \xc3\xa9", ""}, {0, "\x1b[M#%\xa9", "\x1b[M#%B"},
		{1005, "\x1b[M \u0084#", "\x1b[M \u0084-"},
		{1016, "x\x1b[<0;50;30M", "x"},
		{1006, "\x1b[<0;5M\x1b[<\x1b[<999999999999999999999;1;1M", "\x1b[<0;5M\x1b[<\x1b[<999999999999999999999;1;1M"},
	} {
		if got := string(v.pointed([]byte(tt.keys), vterm.Modes{Mouse: 1003, MouseFormat: tt.format})); got != tt.want {
			t.Errorf("%d, %q: %q, want %q", tt.format, tt.keys, got, tt.want)
		}
	}
	if got := string(v.pointed([]byte("\x1b[M %#"), vterm.Modes{})); got != "\x1b[M %#" {
		t.Errorf("without a mouse: %q", got)
	}
	if got := string(view{cols: 10, rows: 10}.pointed([]byte("\x1b[<0;50;30M"),
		vterm.Modes{Mouse: 1000, MouseFormat: 1016})); got != "\x1b[<0;50;30M" {
		t.Errorf("pixels of the whole screen: %q", got)
	}
}
