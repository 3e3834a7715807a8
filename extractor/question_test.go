package extractor_test

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/vterm"
)

// What is a question, where no agent is known.
func TestAsks(t *testing.T) {
	const hide = "\x1b[?25l"
	for name, tt := range map[string]struct {
		screen string
		want   bool
	}{
		"numbered, hidden cursor":  {hide + "Trust?\n❯ 1. Yes\n  2. No\n", true},
		"numbered, with a hint":    {"Trust?\n❯ 1. Yes\n  2. No\n\n Enter to confirm\n", true},
		"the second one is chosen": {hide + "  1. Yes\n› 2. No\n", true},
		"without numbers": {" ❯ No, exit\n   Yes, I trust this folder\n\n Enter to confirm · Esc to cancel\n",
			true},
		"in a box":                  {hide + "╭────╮\n│ ● 1. Trust folder │\n│   2. Don't trust  │\n╰────╯\n", true},
		"a list that was printed":   {"> 1. one\n  2. two\n$ ", false},
		"a quotation":               {hide + "> 1. one\n> 2. two\n", false},
		"left to a shell":           {"❯ 1. Yes\n  2. No\n\n Enter to confirm · Esc to cancel\nroot@box:~# ", false},
		"an input, and completions": {"❯ /theme\n  /themes\n", false},
		"a spinner":                 {"> one\n  two\n⠋ Thinking (esc to cancel, 2s)\n", false},
		"numbers are right-aligned": {hide + "❯ 9. I\n 10. J\n", true},
		"printed, no key is named":  {"❯ 1. one\n  2. two\n", false},
		"in another column":         {hide + "❯ 1. Yes\n      2. No\n", false},
		"far apart":                 {hide + "❯ 1. Yes\n\n\n\n\n  2. No\n", false},
		"the same number":           {hide + "❯ 1. Yes\n  1. No\n", false},
		"a list and other rows":     {" ❯ No\n      if not\n\n Enter to confirm\n", false},
		"one with a number":         {hide + "❯ 1. Yes\n  No\n\n Enter to confirm\n", false},
		"the cursor on an answer":   {"❯ 1. Yes\n  2. No\n Enter to confirm\x1b[2A", true},
		"nothing":                   {"", false},
	} {
		term := vterm.New(vterm.Options{Cols: 80, Rows: 24})
		_, _ = term.Write([]byte(strings.ReplaceAll(tt.screen, "\n", "\r\n"))) // never fails
		if got, known := extractor.Asks(term.Snapshot(), ""); got != tt.want || !known {
			t.Errorf("%s: %v, %v", name, got, known)
		}
		if s := extractor.Look(term.Snapshot(), ""); (s.State == extractor.StateAsking) != tt.want ||
			tt.want != (len(s.Rest) > 0) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
