package prompt

import (
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

const (
	// idleTime is how long a session must have been idle: a prompt that was just sent is noticed
	// within it.
	idleTime = 1500 * time.Millisecond
	// calmAfter is the same after work was seen: an agent may answer two prompts one after the
	// other.
	calmAfter = 500 * time.Millisecond
	// starting is the same for a session that has shown nothing yet: programs take seconds to
	// start, and lose input until then.
	starting = 10 * time.Second
	// agentStarting is how long to wait for an agent's state.
	agentStarting = time.Minute
)

// Idle detects when a session is idle: its agent has been waiting for a prompt or an answer for a
// moment. Without an agent, its shell must have been waiting for a command for a moment; if the
// state of the shell is unknown, there must have been no output for a moment. Idle waits for an
// agent to start, because the screen before that may show only the terminal's echo.
type Idle struct {
	State protocol.State // state of the agent

	agent    bool // the session's command is an agent that has not started yet
	shell    protocol.ShellState
	echo     Echo
	patience time.Duration // how long there must be no output
	due      time.Time
}

// NewIdle returns the Idle for a session. hello is the session's first message after attaching in
// protocol.ModeText. If it was attached with all entries, the terminal's echo of input does not
// count as output.
func NewIdle(hello protocol.Hello) *Idle {
	i := &Idle{State: hello.State, patience: idleTime}
	i.agent = i.State.State == "" && isAgent(hello.Session.Command)
	switch {
	case i.agent:
		i.patience = agentStarting
	case i.State.State == "":
		i.patience = starting
	}
	i.wait(i.patience)
	return i
}

// wait makes the session idle after d, unless something happens before.
func (i *Idle) wait(d time.Duration) { i.due = time.Now().Add(d) }

// settle makes the session idle after a moment. worked reports whether work was seen before.
func (i *Idle) settle(worked bool) {
	if worked {
		i.wait(calmAfter)
	} else {
		i.wait(idleTime)
	}
}

// Due returns the time at which the session is idle if nothing happens before. ok is false if
// something must happen first.
func (i *Idle) Due() (due time.Time, ok bool) {
	if i.State.State == "" {
		return i.due, i.shell != protocol.ShellRunning
	}
	return i.due, i.State.State != "busy"
}

// Take processes an event of the session.
func (i *Idle) Take(e client.Event) {
	switch e := e.(type) {
	case protocol.State:
		i.settle(i.State.State == "busy")
		i.State, i.agent = e, false
	case protocol.Shell:
		was := i.shell
		i.shell = e.State
		if i.State.State == "" && !i.agent {
			i.patience = idleTime
			i.settle(was == protocol.ShellRunning)
		}
	case protocol.Entries:
		i.echo.Typed(e.Entries)
	case protocol.Screen:
		if i.agent || i.echo.Shows(e.Lines) {
			return
		}
		if strings.Join(e.Lines, "") != "" {
			i.patience = idleTime
		}
		if i.State.State == "" {
			i.wait(i.patience)
		}
	}
}
