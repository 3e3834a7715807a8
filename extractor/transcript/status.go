package transcript

import (
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/session"
)

// status tracks the state of an agent. A state counts once it has lasted for a while, because a
// redraw may hide a spinner. A starting agent is busy until it accepts a prompt. It may still draw
// spinners then, so an agent that was given nothing yet counts as idle or asking.
type status struct {
	given bool            // the user has sent something in this run
	now   extractor.State // as logged
	next  extractor.State // as last seen
	since time.Duration   // time when next was first seen
	agent string
}

// statusEvents are the events of the states.
var statusEvents = map[extractor.State]string{
	extractor.StateIdle:   session.EventIdle,
	extractor.StateBusy:   session.EventBusy,
	extractor.StateAsking: session.EventAsking,
}

// saw records a state that the screen shows.
func (s *status) saw(state extractor.State, agent string, at time.Duration) {
	switch {
	case state == extractor.StateStarting:
		state = extractor.StateBusy
	case !s.given && state != extractor.StateAsking:
		state = extractor.StateIdle
	}
	if state != s.next {
		s.next, s.since = state, at
	}
	s.agent = agent
}

// shows records what the screen shows of the conversation.
func (s *status) shows(v *session.View) {
	for i := range v.Items {
		r := v.Items[i].Message.Role
		s.given = s.given || r == session.RoleUser || r == session.RoleCommand
	}
}

// changing reports whether a state waits for its time, and due returns that time.
func (s *status) changing() bool     { return s.next != s.now }
func (s *status) due() time.Duration { return s.since + quiet }

// log logs the state that has lasted.
func (s *status) log(log *Log, offset int64) {
	s.now = s.next
	log.Event(statusEvents[s.now], s.agent, nil, s.due(), offset)
}
