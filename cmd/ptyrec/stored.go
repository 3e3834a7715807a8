package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// stored is the raw log of a stored session as an eventSource. What is damaged is left out, and
// noted.
type stored struct {
	next   func() (session.Event, error, bool)
	stop   func()
	damage []*store.Damage
	number int64 // of the event that comes next
	offset int64 // output bytes before it, where it was read from the beginning
	at     time.Duration
}

// newStored begins at the event number from.
func newStored(ctx context.Context, s *store.Store, id string, from int64) *stored {
	next, stop := iter.Pull2(s.EventsFrom(ctx, id, store.From{Event: from}))
	return &stored{next: next, stop: stop, number: from}
}

// Next returns the next event, and io.EOF after the last one.
func (s *stored) Next() (session.Event, error) {
	for {
		e, err, ok := s.next()
		if !ok {
			return session.Event{}, io.EOF
		}
		var d *store.Damage
		if !errors.As(err, &d) {
			s.number++
			s.offset += e.Printed()
			s.at = max(s.at, e.At)
			return e, err
		}
		s.number, s.offset, s.at = d.EndEvent, d.EndByte, d.EndAt
		s.damage = append(s.damage, d)
	}
}

// missing notes what is gone from the end of a session's raw log, which was read to its end: no
// segment is left that would show it.
func (s *stored) missing(info *store.Info) {
	if info.Status != store.Live && s.offset < info.RawBytes {
		s.damage = append(s.damage, &store.Damage{Session: info.ID, FirstEvent: s.number, EndEvent: s.number,
			StartByte: s.offset, EndByte: info.RawBytes, StartAt: s.at, EndAt: info.Duration})
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// errNoRawLog says that a session has entries at most: there is nothing to read them from again.
var errNoRawLog = errors.New("the session has no raw log")

// retranscribe reads a stored session's raw log again. The error is errNoRawLog if it is empty and
// always was.
func retranscribe(ctx context.Context, a *app, s *store.Store, info *store.Info) (*session.Transcript, []*store.Damage, error) {
	r, err := a.redaction()
	if err != nil {
		return nil, nil, err
	}
	source := newStored(ctx, s, info.ID, 0)
	defer source.stop()
	t, err := transcribe(info.Session, source, nil)
	if info.EndedAt != nil || t.Session.ExitCode == nil {
		t.Session.EndedAt, t.Session.ExitCode = info.EndedAt, info.ExitCode
	}
	source.missing(info)
	if err == nil && source.number == 0 && len(source.damage) == 0 {
		return nil, nil, errNoRawLog
	}
	r.transcript(t, nil)
	return t, source.damage, err
}

// storedEntries returns a session's entries one by one. It reads them out of the raw log first if
// that has not been done, and where the stored ones are damaged. The caller must call done when it
// has them.
func storedEntries(ctx context.Context, a *app, db *store.Store, info *store.Info) (entries iter.Seq2[*session.Entry, error], done func(), err error) {
	entries, done = db.Each(ctx, info.ID), func() {}
	if info.Beside || info.Unread && info.Status != store.Live {
		bar := a.progress("reading the recording", "", info.RawBytes)
		entries, done, err = readOut(ctx, a, db, info, bar.Add)
		bar.Finish()
		if errors.Is(err, session.ErrCorrupt) {
			entries, done, err = store.Failed(err), func() {}, nil
		}
	}
	return mended(ctx, a, db, info, entries), done, err
}

// mended returns entries. From where they are damaged on, it reads them out of the raw log.
func mended(ctx context.Context, a *app, db *store.Store, info *store.Info, entries iter.Seq2[*session.Entry, error]) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		last := 0
		for e, err := range entries {
			if errors.Is(err, session.ErrCorrupt) {
				a.notice("warning: %v; the raw log is read instead, `ptyrec doctor --repair` mends it", err)
				rest, err := reread(ctx, a, db, info, last)
				for _, e := range rest {
					if !yield(e, nil) {
						return
					}
				}
				if err != nil {
					yield(nil, err)
				}
				return
			}
			if err == nil {
				last = e.Seq
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// reread returns the entries behind number last, out of the raw log.
func reread(ctx context.Context, a *app, db *store.Store, info *store.Info, last int) ([]*session.Entry, error) {
	t, _, err := retranscribe(ctx, a, db, info)
	if t == nil {
		return nil, err
	}
	return slices.DeleteFunc(t.Entries, func(e *session.Entry) bool { return e.Seq <= last }), err
}
