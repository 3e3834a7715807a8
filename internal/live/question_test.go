//go:build linux

package live_test

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// asksFor tells a screen with "ask?" from one with "prompt>"; others are being drawn.
func asksFor(s *vterm.Snapshot, _ string) (asks, known bool) {
	text := ""
	for _, l := range s.Lines {
		text += l.Text
	}
	return strings.Contains(text, "ask?"), strings.Contains(text, "ask?") || strings.Contains(text, "prompt>")
}

// What a program typed while the agent asked answered the question. What counts is the screen of
// the moment, output that was not yet read included.
func TestProgramsDoNotAnswerQuestions(t *testing.T) {
	const refused = "asking"
	yes, no := true, false
	f := newFake(t, live.Options{Asks: asksFor})
	robot, oracle := f.attach(agent(protocol.ModeNone)), f.attach(withAnswers(agent(protocol.ModeNone), &yes))
	user, careful := f.attach(human("me", protocol.ModeNone)), f.attach(withAnswers(human("careful", protocol.ModeNone),
		&no))
	for _, p := range []*peer{user, careful} {
		if got := p.ask(protocol.TypeRequest, request(protocol.Take)); got != "done" {
			t.Fatal(got)
		}
	}
	if got := user.ask(protocol.TypeRequest, request(protocol.Allow)); got != "done" {
		t.Fatal(got)
	}
	f.output("prompt>")
	if got := robot.types("a"); got != "done" {
		t.Error(got)
	}
	f.mu.Lock()
	f.late = "\x1b[2J\x1b[Hask?"
	f.mu.Unlock()
	for _, keys := range []string{"b", "\r", "text\r", "\x1b[B", "\x1b[Z", "\t", "2"} {
		if got := robot.types(keys); got != refused {
			t.Errorf("%q: %s", keys, got)
		}
	}
	if got := careful.types("c"); got != refused {
		t.Error(got)
	}
	for _, p := range []*peer{user, oracle} {
		if got := p.types("d"); got != "done" {
			t.Error(got)
		}
	}
	for _, keys := range []string{"\x1b", "\x03"} {
		if got := robot.types(keys); got != "done" {
			t.Errorf("%q: %s", keys, got)
		}
	}
	f.host.Update(protocol.Entries{Entries: []*session.Entry{{Seq: 1, Event: session.EventIdle, Agent: "claude"}}})
	f.output("\x1b[2J\x1b[Hhalf")
	if got := robot.types("e"); got != refused {
		t.Errorf("into a screen that is not understood: %s", got)
	}
	f.output("\x1b[?2026h\x1b[2J\x1b[Hprompt>") // a frame that is not whole
	if got := robot.types("f"); got != refused {
		t.Errorf("into half a frame: %s", got)
	}
	f.output("\x1b[?2026l")
	if got := robot.types("g"); got != "done" {
		t.Error(got)
	}
	if got := f.got(); got != "add\x1b\x03g" {
		t.Errorf("the command got %q", got)
	}
}

func withAnswers(a protocol.Attach, answers *bool) protocol.Attach {
	a.Answers = answers
	return a
}
