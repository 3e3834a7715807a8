package store

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// From says where in a raw log to begin reading: at the first event that satisfies all of it. The
// zero value is the beginning.
type From struct {
	Event  int64         // number of the event, from 0
	At     time.Duration // time since the start of the recording
	Offset int64         // output bytes: the event that holds this byte
}

// Damage is what is missing in a raw log. It wraps session.ErrCorrupt.
type Damage struct {
	Session              string
	FirstEvent, EndEvent int64         // the events [first, end) are lost
	StartByte, EndByte   int64         // with them, the output bytes [start, end)
	StartAt, EndAt       time.Duration // which came between these times
	Err                  error         // what is wrong with the segment; nil if it is missing
}

func (d *Damage) Error() string {
	text := fmt.Sprintf("session %s: output bytes %d to %d, from %s to %s, are lost", d.Session, d.StartByte, d.EndByte,
		d.StartAt.Round(time.Millisecond), d.EndAt.Round(time.Millisecond))
	if d.Err != nil {
		text += ": " + d.Err.Error()
	}
	return text
}

// Unwrap makes a Damage an ErrCorrupt.
func (d *Damage) Unwrap() []error {
	if d.Err == nil {
		return []error{session.ErrCorrupt}
	}
	return []error{session.ErrCorrupt, d.Err}
}

// Placed is an event, and the number of output bytes before it.
type Placed struct {
	Offset int64
	session.Event
}

// NextSegment returns the first segment of a raw log that holds the event or a later one, and ends
// after from. ok is false if there is none.
type NextSegment func(ctx context.Context, event int64, from From) (seg Segment, ok bool, err error)

// EventsOf returns the raw log of a session whose segments next returns, from a position on. Where
// data is damaged or missing it yields a *Damage and, if the caller continues, the events after it.
// Any other error ends the iteration.
func EventsOf(ctx context.Context, id string, from From, next NextSegment) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		c := Cursor{ID: id, From: from, Next: from.Event, Yield: yield}
		c.all(ctx, next)
	}
}

// OutputOf returns the output of a session whose segments next returns, from a byte on, with the
// changes of the window's size, as EventsOf does. If that byte is inside an event, the rest of the
// event comes first. What a command wrote to pipes is output, too.
func OutputOf(ctx context.Context, id string, offset int64, next NextSegment) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		c := Cursor{ID: id}
		c.YieldOutput(offset, yield)
		c.all(ctx, next)
	}
}

// Cursor yields the events of a raw log in order, and reports what is missing between the pieces
// that it is passed. It goes by the numbers of the events, because segments may be replaced by
// larger ones while it reads.
type Cursor struct {
	ID    string // of the session
	From  From
	Yield func(session.Event, error) bool

	Next   int64 // number of the next event
	Offset int64 // output bytes before it
	Over   bool  // the caller has stopped, or an error occurred
	Broken error // why the piece before the next one cannot be read

	at    time.Duration
	begun bool
}

// YieldOutput has c yield output from a byte on, as OutputOf returns it.
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

// all yields all segments that next returns.
func (c *Cursor) all(ctx context.Context, next NextSegment) {
	for more := true; more; {
		seg, ok, err := next(ctx, c.Next, c.From)
		if err != nil {
			c.Fail(err)
		}
		more = ok && err == nil && c.AddSegment(seg)
	}
}

// Fail yields an error that ends the iteration.
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

// AddEvents yields events that are in no segment yet, and reports whether the caller wants more. Of
// seg, only the start counts.
func (c *Cursor) AddEvents(seg Segment, events ...session.Event) bool {
	c.Over = !c.reach(seg) || !c.give(seg, events)
	return !c.Over
}

// Begin distinguishes a seek from a gap: seg is the first piece. Later pieces change nothing.
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

// reach goes to the start of a piece, and reports what is missing before it.
func (c *Cursor) reach(seg Segment) bool {
	c.Begin(seg)
	if seg.FirstEvent > c.Next && !c.Lose(seg.FirstEvent, seg.StartByte, seg.StartAt, c.Broken) {
		c.Over = true
		return false
	}
	c.Broken = nil
	return true
}

// LoseEnd reports the events missing at the end of a log that should reach the given event. info
// has the full size and duration of the log. Without it, the gap ends at the last byte and time
// that were read.
func (c *Cursor) LoseEnd(event int64, info *Info) {
	offset, at := c.Offset, c.at
	if info != nil {
		offset, at = info.RawBytes, info.Duration
	}
	c.Lose(event, offset, at, c.Broken)
}

// Lose reports a gap up to the given event, byte and time, and continues after it.
func (c *Cursor) Lose(event, offset int64, at time.Duration, err error) bool {
	d := &Damage{Session: c.ID, FirstEvent: c.Next, EndEvent: event, StartByte: c.Offset, EndByte: offset, StartAt: c.at, EndAt: at, Err: err}
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
