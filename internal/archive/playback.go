package archive

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

// Playback is a recording to play: in the terminal, or in an exported page.
type Playback struct {
	Events     []session.Event
	Times      []time.Duration // time at which each event is played; set by LimitIdle
	Cols, Rows int
	Title      string
	Messages   []Message
	Read       func() ([]Message, error) // reads the messages on demand; nil after that
}

// Message is a message of a Playback.
type Message struct {
	At   time.Duration // since the start of the recording
	Name string
}

// Cut makes everything before from happen at once, and drops everything after to.
func (t *Playback) Cut(from, to time.Duration) {
	t.Events = slices.DeleteFunc(t.Events, func(e session.Event) bool { return e.At > to })
	t.Messages = slices.DeleteFunc(t.Messages, func(m Message) bool { return m.At > to })
	for i := range t.Events {
		t.Events[i].At = max(0, t.Events[i].At-from)
	}
	for i := range t.Messages {
		t.Messages[i].At = max(0, t.Messages[i].At-from)
	}
}

// LimitIdle sets the times at which events are played, with pauses of at most limit. If limit is 0,
// pauses keep their length.
func (t *Playback) LimitIdle(limit time.Duration) {
	t.Times = make([]time.Duration, len(t.Events))
	c := Clock{Limit: limit}
	for i, e := range t.Events {
		t.Times[i] = c.Next(e.At)
	}
}

// Clock computes the times at which events are played if pauses are at most Limit.
type Clock struct {
	Limit  time.Duration // 0: no limit
	Now    time.Duration // time at which the last event is played
	Events int           // number of events so far
	last   time.Duration // time at which the last event was recorded
}

// Next adds the next event, which was recorded at at, and returns the time at which it is played.
func (c *Clock) Next(at time.Duration) time.Duration {
	c.Now, c.last = c.Now+c.pause(at), at
	c.Events++
	return c.Now
}

// Before returns the time at which a moment between the last event and the next one is played.
func (c *Clock) Before(moment, next time.Duration) time.Duration {
	if c.Events == 0 {
		return 0
	}
	return c.Now + min(max(0, moment-c.last), c.pause(next))
}

// pause returns the pause before the next event, which was recorded at at.
func (c *Clock) pause(at time.Duration) time.Duration {
	pause := max(0, at-c.last)
	if c.Limit > 0 {
		pause = min(pause, c.Limit)
	}
	return pause
}

// Played returns the time at which a moment of the recording is played. There must be an event.
func (t *Playback) Played(at time.Duration) time.Duration {
	i, _ := slices.BinarySearchFunc(t.Events, at, func(e session.Event, at time.Duration) int { return int(e.At - at) })
	if i == 0 {
		return 0
	}
	if i == len(t.Events) {
		return t.End()
	}
	return min(t.Times[i-1]+at-t.Events[i-1].At, t.Times[i])
}

// End returns the time at which the last event is played.
func (t *Playback) End() time.Duration { return t.Times[len(t.Times)-1] }

// ReadLater sets Read to extract the messages of session s from the events.
func (t *Playback) ReadLater(s session.Session) {
	t.Read = func() ([]Message, error) {
		tr, err := Transcribe(s, &eventList{events: t.Events}, nil)
		return MessagesOf(tr.Entries, s.StartedAt), err
	}
}

// Load appends the events of source. Events that were read before an error can be played.
func (t *Playback) Load(source EventSource) error {
	for {
		e, err := source.Next()
		if err != nil {
			return IgnoreEnd(err)
		}
		t.Events = append(t.Events, session.OnTerminal(e))
	}
}

// eventList is an EventSource of events in memory.
type eventList struct{ events []session.Event }

func (l *eventList) Next() (session.Event, error) {
	if len(l.events) == 0 {
		return session.Event{}, io.EOF
	}
	e := l.events[0]
	l.events = l.events[1:]
	return e, nil
}

// MessagesOf returns the messages among the entries, including shell commands. started is the start
// of the session.
func MessagesOf(entries []*session.Entry, started time.Time) (out []Message) {
	for _, e := range entries {
		if e.Role == session.RoleUser || e.Role == session.RoleAssistant || e.Role == session.RoleShell {
			out = append(out, Message{At: e.At.Sub(started),
				Name: fmt.Sprintf("#%d %s: %s", e.Seq, e.Role, printable.Clip(e.Text, 80))})
		}
	}
	return out
}
