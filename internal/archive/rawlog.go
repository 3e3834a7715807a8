package archive

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// RawLog is the raw log of a stored session as an EventSource. What is damaged is left out, and
// noted.
type RawLog struct {
	Damage []*store.Damage // what could not be read so far
	Number int64           // of the event that comes next
	next   func() (session.Event, error, bool)
	stop   func()
	offset int64 // output bytes before it, where it was read from the beginning
	at     time.Duration
}

// Log has the raw logs of sessions. *sqlite.Store is one.
type Log interface {
	EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error]
}

// NewRawLog reads the raw log of a session from an event on. Stop must be called.
func NewRawLog(ctx context.Context, s Log, id string, from int64) *RawLog {
	next, stop := iter.Pull2(s.EventsFrom(ctx, id, store.From{Event: from}))
	return &RawLog{next: next, stop: stop, Number: from}
}

// Next returns the next event, and io.EOF after the last one.
func (s *RawLog) Next() (session.Event, error) {
	for {
		e, err, ok := s.next()
		if !ok {
			return session.Event{}, io.EOF
		}
		var d *store.Damage
		if !errors.As(err, &d) {
			s.Number++
			s.offset += e.Printed()
			s.at = max(s.at, e.At)
			return e, err
		}
		s.Number, s.offset, s.at = d.EndEvent, d.EndByte, d.EndAt
		s.Damage = append(s.Damage, d)
	}
}

// Missing notes what is gone from the end of a session's raw log, which was read to its end: no
// segment is left that would show it.
func (s *RawLog) Missing(info *store.Info) {
	if info.Status != store.Live && s.offset < info.RawBytes {
		s.Damage = append(s.Damage, &store.Damage{Session: info.ID, FirstEvent: s.Number, EndEvent: s.Number,
			StartByte: s.offset, EndByte: info.RawBytes, StartAt: s.at, EndAt: info.Duration})
	}
}

// Stop ends the reading.
func (s *RawLog) Stop() { s.stop() }

// IgnoreEnd returns err, or nil if it is io.EOF.
func IgnoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
