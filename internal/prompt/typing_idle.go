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
	// calmAfter is the same after work that was seen: an agent may answer two prompts one after
	// the other.
	calmAfter = 500 * time.Millisecond
	// starting is the same for a session that has shown nothing yet: programs take seconds to
	// start, and lose what is typed until then.
	starting = 10 * time.Second
	// agentStarting is how long an agent may take until its state is known.
	agentStarting = time.Minute
)

// Idle finds out when a session is idle: its agent has waited for a prompt, or for an answer to a
// question, for a moment. Without an agent, its shell must have waited for a command for a moment;
// if it is not known what a shell does, nothing must have been written for a moment. An agent has
// time to start: what is on the screen before may be no more than the terminal's echo.
type Idle struct {
	State protocol.State // what the agent does

	agent    bool // the session's command is an agent that has not started yet
	shell    protocol.ShellState
	echo     Echo
	patience time.Duration // how long nothing must be written
	due      time.Time
}

// NewIdle begins with what the session said when it was attached to, in protocol.ModeText. With all
// entries, the terminal's echo of what was typed does not count as output.
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

// wait makes the session idle in d, unless something happens until then.
func (i *Idle) wait(d time.Duration) { i.due = time.Now().Add(d) }

// settle makes the session idle in a moment. worked reports whether it was seen at work before.
func (i *Idle) settle(worked bool) {
	if worked {
		i.wait(calmAfter)
	} else {
		i.wait(idleTime)
	}
}

// Due returns when the session is idle if nothing happens until then. ok is false if something must
// happen first.
func (i *Idle) Due() (due time.Time, ok bool) {
	if i.State.State == "" {
		return i.due, i.shell != protocol.ShellRunning
	}
	return i.due, i.State.State != "busy"
}

// Take takes an event of the session.
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
