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
	Times      []time.Duration // when each event is played; LimitIdle sets them
	Cols, Rows int
	Title      string
	Messages   []Message
	Read       func() ([]Message, error) // reads the messages when they are needed; nil once they are read
}

// Message is where a message of a Playback begins.
type Message struct {
	At   time.Duration // since the start of the recording
	Name string
}

// Cut makes everything before a moment happen at once, and drops what comes after another.
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
// pauses stay as long as they were.
func (t *Playback) LimitIdle(limit time.Duration) {
	t.Times = make([]time.Duration, len(t.Events))
	c := Clock{Limit: limit}
	for i, e := range t.Events {
		t.Times[i] = c.Next(e.At)
	}
}

// Clock computes when events are played if no pause is longer than Limit.
type Clock struct {
	Limit  time.Duration // 0: no limit
	Now    time.Duration // when the last event is played
	Events int           // number of events so far
	last   time.Duration // when the last event was recorded
}

// Next takes the next event, which was recorded at at, and returns when it is played.
func (c *Clock) Next(at time.Duration) time.Duration {
	c.Now, c.last = c.Now+c.pause(at), at
	c.Events++
	return c.Now
}

// Before returns when a moment between the last event and the next one is played.
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

// Played returns when a moment of the recording is played. There must be an event.
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

// End returns when the last event is played.
func (t *Playback) End() time.Duration { return t.Times[len(t.Times)-1] }

// ReadLater makes the messages of the session s those that the events hold, once they are needed.
func (t *Playback) ReadLater(s session.Session) {
	t.Read = func() ([]Message, error) {
		tr, err := Transcribe(s, &eventList{events: t.Events}, nil)
		return MessagesOf(tr.Entries, s.StartedAt), err
	}
}

// Load appends the events of source; what was read before an error can be played.
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

// MessagesOf returns where the messages of a session that started then begin: what was said, and
// shell commands.
func MessagesOf(entries []*session.Entry, started time.Time) (out []Message) {
	for _, e := range entries {
		if e.Role == session.RoleUser || e.Role == session.RoleAssistant || e.Role == session.RoleShell {
			out = append(out, Message{At: e.At.Sub(started), Name: fmt.Sprintf("#%d %s: %s", e.Seq, e.Role, printable.Clip(e.Text, 80))})
		}
	}
	return out
}
