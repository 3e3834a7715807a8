package main

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// stored is the raw log of a stored session as an eventSource. What is damaged is left out, and noted.
type stored struct {
	next   func() (session.Event, error, bool)
	stop   func()
	damage []*store.Damage
	number int64 // of the event that comes next
}

// newStored begins at the event number from.
func newStored(ctx context.Context, s *store.Store, id string, from int64) *stored {
	next, stop := iter.Pull2(s.EventsFrom(ctx, id, store.From{Event: from}))
	return &stored{next: next, stop: stop, number: from}
}

// Next gives the next event, and io.EOF behind the last.
func (s *stored) Next() (session.Event, error) {
	for {
		e, err, ok := s.next()
		if !ok {
			return session.Event{}, io.EOF
		}
		var d *store.Damage
		if !errors.As(err, &d) {
			s.number++
			return e, err
		}
		s.number = d.EndEvent
		s.damage = append(s.damage, d)
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// retranscribe reads a stored session's raw log anew.
func retranscribe(ctx context.Context, a *app, s *store.Store, info *store.Info) (*session.Transcript, []*store.Damage, error) {
	r, err := a.redaction()
	if err != nil {
		return nil, nil, err
	}
	source := newStored(ctx, s, info.ID, 0)
	defer source.stop()
	t, err := transcribe(info.Session, source, nil)
	t.Session.EndedAt, t.Session.ExitCode = info.EndedAt, info.ExitCode
	r.transcript(t, nil)
	return t, source.damage, err
}
