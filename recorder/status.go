package recorder

import (
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/session"
)

// status follows what an agent is doing. A state counts once it has lasted for a while: a redraw may hide a spinner.
type status struct {
	now   extractor.State // as logged
	next  extractor.State // as seen last
	since time.Duration   // when next was first seen
	agent string
}

// statusEvents are the events of the states.
var statusEvents = map[extractor.State]string{
	extractor.StateIdle:   session.EventIdle,
	extractor.StateBusy:   session.EventBusy,
	extractor.StateAsking: session.EventAsking,
}

// saw notes a state that the screen shows.
func (s *status) saw(state extractor.State, agent string, at time.Duration) {
	if state != s.next {
		s.next, s.since, s.agent = state, at, agent
	}
}

// changing tells whether a state waits for its time, due when that is.
func (s *status) changing() bool     { return s.next != s.now }
func (s *status) due() time.Duration { return s.since + quiet }

// log logs the state that has lasted.
func (s *status) log(log *session.Log, offset int64) {
	s.now = s.next
	log.Event(statusEvents[s.now], s.agent, nil, s.due(), offset)
}
