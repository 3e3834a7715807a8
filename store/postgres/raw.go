package postgres

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// EventsFrom returns the raw log of a session from a position on. Where data is damaged or missing,
// it yields a *store.Damage and, if the caller continues, the events after it. Any other error ends
// the iteration. It holds no connection while the caller works.
func (s *Store) EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error] {
	return store.EventsOf(ctx, id, from, s.segments(id))
}

// OutputFrom returns the output of a session from a byte offset on, and the changes of the window's
// size. If the offset is inside an event, the rest of that event comes first. Errors are as in
// EventsFrom.
func (s *Store) OutputFrom(ctx context.Context, id string, offset int64) iter.Seq2[store.Placed, error] {
	return store.OutputOf(ctx, id, offset, s.segments(id))
}

// NextSegment returns the first segment of a session's raw log that ends after an event, and not
// before from. ok is false if there is none.
func (s *Store) NextSegment(ctx context.Context, id string, event int64, from store.From) (seg store.Segment, ok bool,
	err error) {
	return s.segments(id)(ctx, event, from)
}

// segments returns a function that reads the segments of a session.
func (s *Store) segments(id string) store.NextSegment {
	return func(ctx context.Context, event int64, from store.From) (seg store.Segment, ok bool, err error) {
		var object string
		var sum []byte
		err = s.inTx(ctx, "read raw log", func(tx pgx.Tx) error {
			k, err := s.readKey(ctx, tx, id)
			if err != nil {
				return err
			}
			var startAt, endAt int64
			err = tx.QueryRow(ctx,
				`SELECT first_event, end_event, start_at, end_at, start_byte, end_byte, data, object, sha256 FROM segments
				WHERE received = $1::date AND session = $2 AND generation = $3 AND end_event > $4 AND end_at >= $5 AND `+
					`(end_byte > $6 OR $6 = 0)
				ORDER BY end_event LIMIT 1`, k.received, k.id, k.generation, event, int64(from.At), from.Offset).
				Scan(&seg.FirstEvent, &seg.EndEvent, &startAt, &endAt, &seg.StartByte, &seg.EndByte, &seg.Data, &object, &sum)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			seg.StartAt, seg.EndAt, ok = time.Duration(startAt), time.Duration(endAt), err == nil
			return err
		})
		if err == nil && object != "" {
			seg.Data, err = s.getObject(ctx, object, sum)
		}
		return seg, ok && err == nil, err
	}
}
