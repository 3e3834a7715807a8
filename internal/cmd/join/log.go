package join

import (
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Log converts a session of a management server to a raw log, starting at the first frame that the
// server has.
type Log struct {
	Stream  *client.Stream
	Session session.Session // its start is the time of the first frame
	Whole   bool            // whether all frames were read that the server had at the beginning

	notice func(text string)
	frames int64 // number of frames that the server had when we joined
	begun  bool
	first  time.Duration // time of the first frame, since the session's start
	last   time.Duration // time of the last event, since the first frame
}

// NewLog returns the Log of a stream that is attached in protocol.ModeFrames from the first frame
// on. The caller must close the stream. notice prints a notice to the user.
func NewLog(stream *client.Stream, notice func(text string)) *Log {
	return &Log{Stream: stream, notice: notice}
}

// IsOther reports whether the event means that another session has replaced this one.
func (l *Log) IsOther(event client.Event) bool {
	c, ok := event.(client.Connected)
	return ok && l.Session.ID != "" && l.Session.ID != c.Session.ID
}

// Take converts an event of the stream to an event of the raw log. ok is false if there is no such
// event.
func (l *Log) Take(event client.Event) (e session.Event, ok bool) {
	switch v := event.(type) {
	case client.Connected:
		if l.IsOther(v) {
			*l = Log{Stream: l.Stream, notice: l.notice}
		}
		l.frames = v.Frames
		if !l.begun {
			l.Session = v.Session
		}
	case client.Lost:
		if v.Try == 1 {
			l.notice("connection lost, reconnecting")
		}
	case protocol.Notice:
		l.notice(v.Text)
	case protocol.Snapshot: // replaces frames that the server has dropped
		return session.Event{Kind: session.Output, At: l.last, Data: v.Data}, l.begun
	case protocol.Numbered:
		l.Whole = l.Whole || v.Number >= l.frames
		if e, ok = client.RawEvent(v); ok {
			e.At = l.at(e.At)
		}
	}
	return e, ok
}

// at returns the time of a frame since the first one.
func (l *Log) at(at time.Duration) time.Duration {
	if !l.begun {
		l.begun, l.first = true, at
		l.Session.StartedAt = l.Session.StartedAt.Add(at)
	}
	l.last = max(l.last, at-l.first)
	return l.last
}

// Quiet lets time pass without an event, and returns the time since the first frame.
func (l *Log) Quiet(d time.Duration) time.Duration {
	l.last += d
	return l.last
}
