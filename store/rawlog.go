package store

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// From is the position in a raw log at which to begin reading: the first event that meets all three
// conditions. The zero value is the beginning.
type From struct {
	Event  int64         // number of the event, from 0
	At     time.Duration // time since the start of the recording
	Offset int64         // offset in the output, in bytes: the event that contains this byte
}

// Damage describes a gap in a raw log. It wraps session.ErrCorrupt.
type Damage struct {
	Session              string
	FirstEvent, EndEvent int64         // the events [first, end) are lost
	StartByte, EndByte   int64         // the output bytes [start, end) are lost with them
	StartAt, EndAt       time.Duration // the period in which they occurred
	Err                  error         // the error in the segment; nil if the segment is missing
}

func (d *Damage) Error() string {
	text := fmt.Sprintf("session %s: output bytes %d to %d, from %s to %s, are lost", d.Session, d.StartByte, d.EndByte,
		d.StartAt.Round(time.Millisecond), d.EndAt.Round(time.Millisecond))
	if d.Err != nil {
		text += ": " + d.Err.Error()
	}
	return text
}

// Unwrap returns session.ErrCorrupt and Err.
func (d *Damage) Unwrap() []error {
	if d.Err == nil {
		return []error{session.ErrCorrupt}
	}
	return []error{session.ErrCorrupt, d.Err}
}

// Placed is an event and its offset in the output, in bytes.
type Placed struct {
	Offset int64
	session.Event
}

// NextSegment returns the first segment of a raw log that contains the event or a later one, and
// ends after from. ok is false if there is none.
type NextSegment func(ctx context.Context, event int64, from From) (seg Segment, ok bool, err error)

// EventsOf returns the raw log of a session from a position on. next returns the log's segments.
// Where data is damaged or missing, EventsOf yields a *Damage and, if the caller continues, the
// events after it. Any other error ends the iteration.
func EventsOf(ctx context.Context, id string, from From, next NextSegment) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		c := Cursor{ID: id, From: from, Next: from.Event, Yield: yield}
		c.all(ctx, next)
	}
}

// OutputOf returns the output of a session from a byte offset on, and the changes of the window's
// size. If the offset is inside an event, the rest of that event comes first. What a command wrote
// to pipes counts as output. Errors are as in EventsOf.
func OutputOf(ctx context.Context, id string, offset int64, next NextSegment) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		c := Cursor{ID: id}
		c.YieldOutput(offset, yield)
		c.all(ctx, next)
	}
}

// Cursor yields the events of a raw log in order, and reports gaps between the pieces that are
// added to it. It recognizes events by their numbers, because segments may be replaced by larger
// ones while it reads.
type Cursor struct {
	ID    string // of the session
	From  From
	Yield func(session.Event, error) bool

	Next   int64 // number of the next event
	Offset int64 // its offset in the output, in bytes
	Over   bool  // set when the caller has stopped, or an error occurred
	Broken error // why the piece before the next one is unreadable

	at    time.Duration
	begun bool
}

// YieldOutput makes c yield the output from a byte offset on, as OutputOf does.
func (c *Cursor) YieldOutput(offset int64, yield func(Placed, error) bool) {
	c.From = From{Offset: offset}
	c.Yield = func(ev session.Event, err error) bool {
		switch {
		case err != nil:
			return yield(Placed{Offset: c.Offset}, err)
		case ev.Kind == session.Output, ev.Kind == session.Pipe:
			ev.Kind = session.Output
			start := c.Offset - int64(len(ev.Data))
			if before := offset - start; before > 0 {
				start, ev.Data = offset, ev.Data[before:]
			}
			return yield(Placed{start, ev}, nil)
		case ev.Kind == session.Resize:
			return yield(Placed{c.Offset, ev}, nil)
		}
		return true
	}
}

// all yields the events of all segments that next returns.
func (c *Cursor) all(ctx context.Context, next NextSegment) {
	for more := true; more; {
		seg, ok, err := next(ctx, c.Next, c.From)
		if err != nil {
			c.Fail(err)
		}
		more = ok && err == nil && c.AddSegment(seg)
	}
}

// Fail yields an error and ends the iteration.
func (c *Cursor) Fail(err error) {
	c.Over = true
	c.Yield(session.Event{}, err)
}

// AddSegment yields the events of the next segment, and reports whether the caller wants more.
func (c *Cursor) AddSegment(seg Segment) bool {
	if !c.reach(seg) {
		return false
	}
	inner, events, err := DecodeSegment(seg.Data)
	if err == nil && (inner.FirstEvent != seg.FirstEvent || inner.EndEvent != seg.EndEvent) {
		err = ErrSegment
	}
	if err != nil {
		c.Over = !c.Lose(seg.EndEvent, seg.EndByte, seg.EndAt, err)
	} else {
		c.Over = !c.give(seg, events)
	}
	return !c.Over
}

// AddEvents yields events that are not in a segment yet, and reports whether the caller wants more.
// Of seg, only the start is used.
func (c *Cursor) AddEvents(seg Segment, events ...session.Event) bool {
	c.Over = !c.reach(seg) || !c.give(seg, events)
	return !c.Over
}

// Begin sets the start of the log to that of seg, the first piece, so that what is before it does
// not count as a gap. It has no effect on later pieces.
func (c *Cursor) Begin(seg Segment) {
	if c.begun {
		return
	}
	c.begun = true
	if c.From.At > 0 || c.From.Offset > 0 {
		c.Next = max(c.Next, seg.FirstEvent)
	}
	if c.Next >= seg.FirstEvent {
		c.Offset, c.at = seg.StartByte, seg.StartAt
	}
}

// reach moves to the start of a piece, and reports a gap before it.
func (c *Cursor) reach(seg Segment) bool {
	c.Begin(seg)
	if seg.FirstEvent > c.Next && !c.Lose(seg.FirstEvent, seg.StartByte, seg.StartAt, c.Broken) {
		c.Over = true
		return false
	}
	c.Broken = nil
	return true
}

// LoseEnd reports the gap at the end of a log that should extend to the given event. info has the
// size and duration of the whole log. If it is nil, the gap ends at the last byte and time that
// were read.
func (c *Cursor) LoseEnd(event int64, info *Info) {
	offset, at := c.Offset, c.at
	if info != nil {
		offset, at = info.RawBytes, info.Duration
	}
	c.Lose(event, offset, at, c.Broken)
}

// Lose reports a gap that ends at the given event, byte and time, and continues after it.
func (c *Cursor) Lose(event, offset int64, at time.Duration, err error) bool {
	d := &Damage{Session: c.ID, FirstEvent: c.Next, EndEvent: event, StartByte: c.Offset, EndByte: offset, StartAt: c.at,
		EndAt: at, Err: err}
	c.Next, c.Offset, c.at = event, offset, at
	return c.Yield(session.Event{}, d)
}

func (c *Cursor) give(seg Segment, events []session.Event) bool {
	offset := seg.StartByte
	for i, ev := range events {
		offset += ev.Printed()
		number := seg.FirstEvent + int64(i)
		if number < c.Next {
			continue
		}
		c.Next, c.Offset, c.at = number+1, offset, ev.At
		if ev.At < c.From.At || offset <= c.From.Offset && c.From.Offset > 0 {
			continue
		}
		if !c.Yield(ev, nil) {
			return false
		}
	}
	return true
}
