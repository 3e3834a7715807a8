package prompt

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/vterm"
)

func TestKeyBytes(t *testing.T) {
	for _, tt := range []struct {
		names, want string
		application bool
	}{
		{"Enter", "\r", false}, {"a Z é", "aZé", false}, {"C-c C-[ C-Space C-?", "\x03\x1b\x00\x7f", false},
		{"M-x", "\x1bx", false}, {"C-M-x", "\x1b\x18", false},
		{"Up Left Home", "\x1b[A\x1b[D\x1b[H", false}, {"Up Home Delete F1", "\x1bOA\x1bOH\x1b[3~\x1bOP", true},
		{"C-Up S-F5 M-Delete", "\x1b[1;5A\x1b[15;2~\x1b[3;3~", true},
		{"S-Tab BTab Escape BSpace", "\x1b[Z\x1b[Z\x1b\x7f", false}, {"S-F1", "\x1b[1;2P", false},
	} {
		keys, err := Keys(tt.names, tt.application)
		if got := strings.Join(keys, ""); got != tt.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", tt.names, got, err, tt.want)
		}
	}
	for _, bad := range []string{"Entr", "X-a", "C-é", "F13", "C-Enter-"} {
		if keys, err := Keys(bad, false); err == nil {
			t.Errorf("%s is %q", bad, keys)
		}
	}
}

func TestPasted(t *testing.T) {
	on := vterm.Modes{BracketedPaste: true}
	for _, tt := range []struct {
		text, want string
		modes      vterm.Modes
		agent      bool
	}{
		{"one", "one", on, false}, {"one\ntwo", "\x1b[200~one\rtwo\x1b[201~", on, false},
		{"one\r\ntwo", "one\rtwo", vterm.Modes{}, true},
		{"a\n\x1b[201~b", "\x1b[200~a\rb\x1b[201~", on, false},
		{"a\n\x1b[2\x1b[201~01~b", "\x1b[200~a\rb\x1b[201~", on, false},
		{"why?\tthat", "\x1b[200~why?\tthat\x1b[201~", on, true}, {"/clear", "/clear", on, true}, {"!ls", "!ls", on, true},
		{"", "", on, true},
		{"why?", "why?", vterm.Modes{}, true},
	} {
		if got := pasted(tt.text, tt.modes, tt.agent); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
