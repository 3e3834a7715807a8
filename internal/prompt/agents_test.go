package prompt

import (
	"testing"

	"github.com/ptyrec/ptyrec/extractor"
)

// TestEnterThatWouldChooseAnotherCommand: Enter behind an unknown command chose the first of a list
// that was not up to date: Gemini CLI cleared the conversation.
func TestEnterThatWouldChooseAnotherCommand(t *testing.T) {
	list := []string{" *   /frobnicate", " clear            Clear the screen", " compress         Compresses the context"}
	for _, tt := range []struct {
		agent, text string
		rest        []string
		want        bool
	}{
		{"gemini", "/frobnicate", list, true}, {"gemini", "/clear", list, false},
		{"gemini", "/frobnicate", []string{" workspace (/directory)   sandbox", " ~/shop     no sandbox"}, false},
		{"gemini", "what is /clear?", list, false}, {"codex", "/frobnicate", list, false},
		{"opencode", "/new", []string{"  ┃ /new     New session"}, false},
	} {
		a, _ := agentOf(tt.agent)
		if got := a.misleads(extractor.Sight{Rest: tt.rest}, tt.text); got != tt.want {
			t.Errorf("%s, %s: %v, want %v", tt.agent, tt.text, got, tt.want)
		}
	}
}

func TestKeysOfEachAgent(t *testing.T) {
	for _, tt := range []struct{ agent, text, want string }{
		{"claude", "one\ntwo\tthree", "\x1b[200~one\rtwo\tthree\x1b[201~"}, {"gemini", "why?", "\x1b[200~why?\x1b[201~"},
		{"gemini", "/clear", "/clear"}, {"codex", "/clear", "\x1b[200~/clear\x1b[201~"},
		{"codex", "look at @main.go", "\x1b[200~look at @main.go \x1b[201~"},
		{"opencode", "/etc/hosts is what?", "\x1b[200~/etc/hosts is what?\x1b[201~"},
	} {
		a, _ := agentOf(tt.agent)
		if got := string(a.keys(tt.text)); got != tt.want {
			t.Errorf("%s, %q: %q, want %q", tt.agent, tt.text, got, tt.want)
		}
	}
}
