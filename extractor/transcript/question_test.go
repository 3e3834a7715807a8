package transcript_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// questionStates are the runs of agents in testdata/questions and their states, in order. Those
// before newSession were seen before the agent showed who it is.
var questionStates = map[string]string{
	// Folder, API key; /theme; /model.
	"claude-1.0.60-trust": "asking newSession idle asking idle asking busy idle exit",
	"claude-2.0.14-trust": "asking newSession idle asking busy idle asking busy idle exit",
	// The answer was no.
	"claude-2.1.197-trust": "asking idle",
	// Shell, edit, write, MCP, questions.
	"claude-2.1.197-dialogs": "newSession idle busy asking idle busy asking idle busy asking busy idle busy asking " +
		"busy idle busy asking idle busy idle exit",
	// An API key, the bypass mode; the answer was no.
	"claude-2.1.330-bypass": "asking",
	"claude-2.1.330-dialogs": "newSession idle asking idle busy asking idle busy asking idle busy asking busy idle " +
		"busy asking busy idle busy asking idle busy idle exit",
	"claude-2.1.330-trust": "asking newSession idle asking idle asking idle exit",
	// "Make auto mode your default permission mode?".
	"claude-2.1.330-basic": "newSession idle asking idle busy idle busy idle busy idle exit",
	// /model … /experimental, /feedback.
	"codex-0.98.0-menus": "asking idle newSession asking idle asking idle asking idle asking idle asking idle asking " +
		"idle asking idle exit",
	// Shell, edit, MCP.
	"codex-0.169.0-dialogs": "newSession busy idle busy asking idle busy asking busy idle busy asking busy idle busy " +
		"idle exit",
	// "Unrecognized command" does not make it busy; /permissions.
	"codex-0.169.0-unknown": "newSession busy idle busy idle asking idle exit",
	// A new model.
	"codex-0.98.0-trust":  "asking idle newSession asking idle asking idle exit",
	"codex-0.169.0-login": "newSession busy asking exit",
	// /permissions.
	"codex-0.169.0-perm": "newSession busy idle asking idle exit",
	// An update; /model.
	"codex-0.169.0-trust": "newSession busy asking idle asking idle exit",
	// Shell, edit, MCP, fetch.
	"gemini-0.28.2-dialogs": "newSession idle busy asking idle busy asking idle busy asking idle busy asking idle busy " +
		"idle exit",
	"gemini-0.61.0-dialogs": "newSession idle busy asking idle busy asking idle busy asking idle busy asking idle busy " +
		"idle exit",
	"gemini-0.20.0-trust": "newSession asking exit",
	"gemini-0.61.0-auth":  "newSession asking exit",
	// Folder; /theme.
	"gemini-0.61.0-trust": "newSession asking idle asking exit",
	// Shell, edit, MCP.
	"opencode-1.18.33-dialogs": "newSession idle busy asking idle busy asking busy idle busy asking busy idle busy " +
		"idle busy idle exit",
	// "△ Permission required".
	"opencode-1.18.33-approve": "newSession idle busy asking busy idle busy idle exit",
}

// TestQuestionsAreAsking replays questions that agents ask before their welcome, and approvals of
// opencode. Their state must be asking: in any other state a client sends its next prompt, whose
// Enter would accept what the agent asks.
func TestQuestionsAreAsking(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/questions/*.cast.gz")
	if err != nil || len(paths) != len(questionStates) {
		t.Fatalf("%d recordings of questions, want %d: %v", len(paths), len(questionStates), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cast.gz")
		var got []string
		for _, e := range transcribe(readEvents(t, path)) {
			switch e.Event {
			case session.EventNewSession, session.EventIdle, session.EventBusy, session.EventAsking, session.EventCLIExit:
				got = append(got, strings.TrimPrefix(e.Event, "cli:"))
			}
		}
		if got := strings.Join(got, " "); got != questionStates[name] {
			t.Errorf("%s: got %s, want %s", name, got, questionStates[name])
		}
	}
}

// Text may be sent wherever an agent shows a place for a prompt: once an agent has started, no more
// than 3 in 100 of the quiet frames of all recordings are not understood. Those show a pager, a
// blank screen, or the shell below an agent that has left. Gemini CLI has two looks.
func TestPromptsAreSeen(t *testing.T) {
	t.Parallel()
	seen, unknown := 0, 0
	for _, path := range fixtureCasts(t) {
		r := readFixture(t, path)
		header, events := r.header, r.events
		term := vterm.New(vterm.Options{Cols: header.Cols, Rows: header.Rows})
		reader := extractor.NewReader()
		last, started := time.Duration(0), false
		for _, e := range events {
			if e.At-last > 500*time.Millisecond {
				s := term.Snapshot()
				reader.Read(extractor.Frame{Snapshot: s, History: term.TakeHistory(), Settled: true})
				if agent := reader.Agent(); agent != "" {
					_, known := extractor.Asks(s, agent)
					if started = started || known; started {
						seen++
					}
					if started && !known {
						unknown++
					}
				}
			}
			last = e.At
			switch e.Kind {
			case session.Output:
				_, _ = term.Write(e.Data) // never fails
			case session.Resize:
				term.Resize(e.Cols, e.Rows)
			}
		}
	}
	if seen == 0 || unknown*100 > seen*3 {
		t.Errorf("%d of %d frames are not understood", unknown, seen)
	}
}
