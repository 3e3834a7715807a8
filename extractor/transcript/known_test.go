package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/session"
)

// codexAsked returns the events of a session in which Codex is asked, and shows the prompt as
// shown; the marker of the sender comes behind it.
func codexAsked(shown, sent string) []session.Event {
	const banner = "╭───────────────────────────────────────────╮\r\n" +
		"│ \x1b[2m>_ \x1b[22;1mOpenAI Codex\x1b[22;2m (v0.98.0)\x1b[m                 │\r\n" +
		"│                                           │\r\n│ model:     gpt-5.2-codex   /model to change │\r\n" +
		"│ directory: ~/shop                         │\r\n╰───────────────────────────────────────────╯\r\n"
	rest := "\x1b[J\r\n\x1b[1m›\x1b[m \r\n\r\n  ? for shortcuts"
	prompt := "\x1b[J\r\n\x1b[1;2m›\x1b[m " + strings.ReplaceAll(shown, "\n", "\r\n  ") +
		"\r\n\r\n\x1b[2m• \x1b[mA reply.\r\n"
	return []session.Event{
		{Kind: session.Output, Data: []byte(banner + rest + "\x1b[3A\r")},
		{At: time.Second, Kind: session.Output, Data: []byte(prompt + rest + "\x1b[3A\r")},
		{At: 1500 * time.Millisecond, Kind: session.Marker,
			Data: session.ControlMark(session.EventPrompt, map[string]any{"by": "prompt", "text": sent})},
		{At: 2 * time.Second, Kind: session.Output, Data: []byte(rest)},
	}
}

// TestFoldedPromptGetsTheWordsSent: where an agent folds a prompt or shows a part of it, the entry
// gets the words that were sent, if they agree.
func TestFoldedPromptGetsTheWordsSent(t *testing.T) {
	lines := make([]string, 40)
	for i := range lines {
		lines[i] = fmt.Sprintf("the line number %d of the prompt", i+1)
	}
	forty := strings.Join(lines, "\n")
	for _, tt := range []struct {
		name, shown, sent string
		replaced          bool
	}{
		{"folded", "[Pasted text #1 +39 lines]", forty, true},
		{"folded by characters", "[Pasted Content 1345 chars]", strings.Repeat("a", 1345), true},
		{"another fold", "[Pasted text #1 +12 lines]", forty, false},
		{"the end only", strings.Join(lines[30:], "\n"), forty, true},
		{"other words", "what is in this folder, please?", forty, false},
		{"blanks", "name  count", "name\tcount", true},
		{"the same", "is that right?", "is that right?", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 80, Rows: 30, Started: time.Unix(0, 0),
				SessionID: "s"})
			told := map[string]session.Entry{}
			for _, e := range codexAsked(tt.shown, tt.sent) {
				p.Feed(e)
				follow(p, told)
			}
			p.Close(3 * time.Second)
			follow(p, told)
			want := tt.shown
			if tt.replaced {
				want = tt.sent
			}
			users := 0
			for _, e := range told {
				if e.Role != session.RoleUser {
					continue
				}
				users++
				if e.Text != want || e.Sent != tt.replaced {
					t.Errorf("%q, sent %v, want %q, %v", e.Text, e.Sent, want, tt.replaced)
				}
			}
			if users != 1 {
				t.Errorf("%d user entries", users)
			}
		})
	}
}
