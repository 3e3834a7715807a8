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

// RawLog is an EventSource for the raw log of a stored session. It skips damaged parts and collects
// them in Damage.
type RawLog struct {
	Damage []*store.Damage // unreadable parts so far
	Number int64           // number of the next event
	next   func() (session.Event, error, bool)
	stop   func()
	offset int64 // its offset in the output, if reading started at the beginning
	at     time.Duration
}

// Log reads the raw logs of sessions. *sqlite.Store implements it.
type Log interface {
	EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error]
}

// NewRawLog returns a RawLog for a session that starts at an event. Stop must be called.
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

// Missing adds to Damage what is missing at the end of a session's raw log, after it was read to
// its end. No segment after it shows this gap.
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
