package join

import (
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Log reads a session of a management server as a raw log, from the first frame that the server
// has.
type Log struct {
	Stream  *client.Stream
	Session session.Session // which started with its first frame
	Whole   bool            // the frames that the server had at the beginning are read

	notice func(text string)
	frames int64 // that the server had when we joined
	begun  bool
	first  time.Duration // when the first frame was, since the start that the server states
	last   time.Duration // when the last event was, since the first
}

// NewLog returns the Log of a stream that is attached in protocol.ModeFrames, from the first frame
// on. The caller must close the stream. notice tells the user what else there is to know.
func NewLog(stream *client.Stream, notice func(text string)) *Log {
	return &Log{Stream: stream, notice: notice}
}

// IsOther reports whether what follows is another session, which has taken the place of this one.
func (l *Log) IsOther(event client.Event) bool {
	c, ok := event.(client.Connected)
	return ok && l.Session.ID != "" && l.Session.ID != c.Session.ID
}

// Take returns the event of a raw log for an event of the stream; ok is false for others.
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
			l.notice("the connection is lost, trying again")
		}
	case protocol.Notice:
		l.notice(v.Text)
	case protocol.Snapshot: // in place of frames that the server has left out
		return session.Event{Kind: session.Output, At: l.last, Data: v.Data}, l.begun
	case protocol.Numbered:
		l.Whole = l.Whole || v.Number >= l.frames
		if e, ok = client.RawEvent(v); ok {
			e.At = l.at(e.At)
		}
	}
	return e, ok
}

// at returns when a frame was, since the first one.
func (l *Log) at(at time.Duration) time.Duration {
	if !l.begun {
		l.begun, l.first = true, at
		l.Session.StartedAt = l.Session.StartedAt.Add(at)
	}
	l.last = max(l.last, at-l.first)
	return l.last
}

// Quiet lets a time go by in which nothing comes, and returns what time it is then, since the first
// frame.
func (l *Log) Quiet(d time.Duration) time.Duration {
	l.last += d
	return l.last
}
