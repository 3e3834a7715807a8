package prompt

import (
	"testing"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// TestEchoIsNotTheAgent: wait took the terminal's echo of a prompt for the agent.
func TestEchoIsNotTheAgent(t *testing.T) {
	var e Echo
	if e.Shows([]string{"the prompt"}) {
		t.Error("nothing was typed")
	}
	e.Typed([]*session.Entry{{Event: session.EventInput, Data: map[string]any{"text": "the pro"}},
		{Event: session.EventInput, Data: map[string]any{"text": "mpt\r", "by": "send"}}, {Event: session.EventInput}})
	for text, want := range map[string]bool{"the prompt": true, "the prompt!": true, "the": true, "": false,
		"the prompt is read": false} {
		if got := e.Shows([]string{"", text, ""}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestEchoEndsNoPatience: the echo ends no patience, and behind work that was seen a moment is
// enough.
func TestEchoEndsNoPatience(t *testing.T) {
	i := NewIdle(protocol.Hello{})
	begun, _ := i.Due()
	i.Take(protocol.Entries{Entries: []*session.Entry{{Event: session.EventInput,
		Data: map[string]any{"text": "a prompt\r"}}}})
	i.Take(protocol.Screen{Lines: []string{"a prompt"}})
	if due, _ := i.Due(); !due.Equal(begun) {
		t.Errorf("the echo moved the time by %v", due.Sub(begun))
	}
	i.Take(protocol.Screen{Lines: []string{"a prompt", "what the agent shows"}})
	if due, _ := i.Due(); !due.Before(begun) {
		t.Error("output did not end the patience")
	}
	i.Take(protocol.State{State: "idle"})
	slow, _ := i.Due()
	i.Take(protocol.State{State: "busy"})
	i.Take(protocol.State{State: "idle"})
	if fast, _ := i.Due(); !fast.Before(slow) {
		t.Errorf("behind work that was seen: %v later", fast.Sub(slow))
	}
}

// A session is not idle while a command runs in its shell, even if that writes nothing. It is idle
// a moment after the command's end, or if what the shell does is not known. If there is an agent,
// what that does counts instead.
func TestASilentCommandIsNotIdle(t *testing.T) {
	i := NewIdle(protocol.Hello{})
	begun, _ := i.Due()
	i.Take(protocol.Shell{State: protocol.ShellPrompt})
	if due, ok := i.Due(); !ok || !due.Before(begun) {
		t.Error("a shell that waits for a command is not idle before a program that starts")
	}
	i.Take(protocol.Shell{State: protocol.ShellRunning})
	i.Take(protocol.Screen{Lines: []string{"$ sleep 6"}})
	if _, ok := i.Due(); ok {
		t.Error("idle while a command runs")
	}
	i.Take(protocol.State{State: "idle"})
	if _, ok := i.Due(); !ok {
		t.Error("not idle while an agent waits for a prompt, because a command runs")
	}
	i.Take(protocol.State{})
	i.Take(protocol.Shell{State: protocol.ShellUnknown})
	if _, ok := i.Due(); !ok {
		t.Error("not idle in silence, although what the shell does is not known")
	}
}
