package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseKeys(t *testing.T) {
	got := parseKeys("a\x1b[C\x1bOA\x1b[1~\x1b[1;5Cq\x1b")
	want := []key{'a', keyRight, keyUp, keyHome, keyOther, 'q', escape}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWithoutReplies(t *testing.T) {
	for keys, want := range map[string]string{
		"abc": "abc", "\x1b[A\x1bOP": "\x1b[A\x1bOP", "\x1b[?64;1;2c": "", "x\x1b[12;40Ry": "xy", "\x1b[1;2R": "\x1b[1;2R",
		"\x1b[0n": "", "\x1b[?2026;2$y": "",
		"\x1b]10;rgb:ff/ff/ff\x07z": "z", "\x1bP>|xterm(390)\x1b\\": "", "\x1b]": "\x1b]",
		"\x1b[200~p\x1b[201~": "\x1b[200~p\x1b[201~", "\x1b[?0u": "", "\x1b[97;5u": "\x1b[97;5u",
	} {
		if got := string(withoutReplies([]byte(keys))); got != want {
			t.Errorf("%q became %q, want %q", keys, got, want)
		}
	}
}
