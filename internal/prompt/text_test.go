package prompt

import (
	"strings"
	"testing"
)

// TestCleanTextEndsNoPaste: nothing in a message may end the paste or press Enter.
func TestCleanTextEndsNoPaste(t *testing.T) {
	for text, want := range map[string]string{
		"  one line? \n": "one line?", "a\r\nb\rc\n": "a\nb\nc", "tab\there": "tab\there", "x\x1b[201~\ry": "x[201~\ny",
		"\x00\x1b\x7f": "", " \t\n": "", "\x03a\u0085b": "ab",
		"日本語 👩‍💻": "日本語 👩‍💻", "\xff": "\uFFFD",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestIsCommand(t *testing.T) {
	for text, want := range map[string]bool{"/clear": true, "/model x": true, "/etc/hosts is what?": false,
		"a /clear": false, "/": false, "!ls": false, "": false} {
		if got := IsCommand(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestMarkOfAPrompt(t *testing.T) {
	for text, want := range map[string]string{"Why, so?": "Whyso", "???": "???", "👍 👍": "👍👍", "👩‍💻!": "👩💻!",
		strings.Repeat("ab ", 40): strings.Repeat("ab", 12), "": ""} {
		if got := markOf(text).end; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
