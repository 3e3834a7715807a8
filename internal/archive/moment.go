package archive

import (
	"math"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Moment returns the time at which to take a picture of the entries of r, since the session's
// start: when entry r.To was complete, else r.First, else the last message. Later, a full-screen
// agent may have cleared the screen. ok is false if there is no such entry.
func (r Ref) Moment(t *session.Transcript) (time.Duration, bool) {
	var of *session.Entry
	switch {
	case r.To > 0:
		of = Entry(t.Entries, r.To)
	case r.First > 0:
		of = Entry(t.Entries, r.First)
	default:
		for _, e := range t.Entries {
			if e.Type == session.TypeMessage && r.chooses(e) {
				of = e
			}
		}
	}
	if of == nil {
		return 0, false
	}
	return max(0, complete(of).Sub(t.Session.StartedAt)), true
}

// Span returns the part of t's recording that shows the entries of r, as times since the session's
// start: from the beginning of the first entry until all are complete, or to the end of the
// recording if r has no end. For a whole session it is the whole recording. The error is a
// *MissingError.
func (r Ref) Span(t *session.Transcript) (from, to time.Duration, err error) {
	if r.Whole() {
		return 0, math.MaxInt64, nil
	}
	if err := r.check(t); err != nil {
		return 0, 0, err
	}
	since := func(at time.Time) time.Duration { return max(0, at.Sub(t.Session.StartedAt)) }
	if r.First > 0 {
		from = since(Entry(t.Entries, r.First).At)
	}
	if r.To == 0 {
		return from, math.MaxInt64, nil
	}
	to = from
	for _, e := range t.Entries {
		if r.chooses(e) {
			to = max(to, since(complete(e)))
		}
	}
	return from, to, nil
}

// complete returns when an entry was complete, or when it began if it never was.
func complete(e *session.Entry) time.Time {
	if e.EndAt != nil {
		return *e.EndAt
	}
	return e.At
}
