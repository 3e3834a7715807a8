package typing

import (
	"testing"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// TestA6Echo: wait took the terminal's echo of a prompt for the agent (issue 17, 6).
func TestA6Echo(t *testing.T) {
	var e Echo
	if e.Shows([]string{"the prompt"}) {
		t.Error("nothing was typed")
	}
	e.Typed([]*session.Entry{{Event: session.EventInput, Data: map[string]any{"text": "the pro"}}, {Event: session.EventInput, Data: map[string]any{"text": "mpt\r", "by": "send"}}, {Event: session.EventInput}})
	for text, want := range map[string]bool{"the prompt": true, "the prompt!": true, "the": true, "": false, "the prompt is read": false} {
		if got := e.Shows([]string{"", text, ""}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestA6IdleBehindAnEcho: the echo ends no patience, and behind work that was seen a moment is
// enough (issue 17, 6).
func TestA6IdleBehindAnEcho(t *testing.T) {
	i := NewIdle(protocol.Hello{})
	begun, _ := i.Due()
	i.Take(protocol.Entries{Entries: []*session.Entry{{Event: session.EventInput, Data: map[string]any{"text": "a prompt\r"}}}})
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

// A command that writes nothing is at work, however long; its end, or a shell that waits for one,
// is idle after a moment. What an agent does comes before that.
func TestASilentCommandIsNotIdle(t *testing.T) {
	i := NewIdle(protocol.Hello{})
	begun, _ := i.Due()
	i.Take(protocol.Shell{State: protocol.ShellPrompt})
	if due, ok := i.Due(); !ok || !due.Before(begun) {
		t.Error("a shell that waits for a command has no more patience than one that starts")
	}
	i.Take(protocol.Shell{State: protocol.ShellRunning})
	i.Take(protocol.Screen{Lines: []string{"$ sleep 6"}})
	if _, ok := i.Due(); ok {
		t.Error("a command that runs is idle")
	}
	i.Take(protocol.State{State: "idle"})
	if _, ok := i.Due(); !ok {
		t.Error("an agent that waits is a command that runs")
	}
	i.Take(protocol.State{})
	i.Take(protocol.Shell{State: protocol.ShellUnknown})
	if _, ok := i.Due(); !ok {
		t.Error("where nobody can tell, silence does not count")
	}
}
