package store

import (
	"context"
	"database/sql"
	"iter"

	"github.com/ptyrec/ptyrec/session"
)

// Placed is an event, and the number of output bytes before it.
type Placed struct {
	Offset int64
	session.Event
}

// OutputFrom returns the output of a session from a byte on, with the changes of the window's size,
// as EventsFrom does. If that byte is inside an event, the rest of the event comes first. What a
// command wrote to pipes is output, too.
func (s *Store) OutputFrom(ctx context.Context, id string, offset int64) iter.Seq2[Placed, error] {
	return outputFrom(ctx, rawReader{store: s, fetch: s.segmentsOf(id), id: id}, offset)
}

// outputFrom implements OutputFrom with a reader that has read nothing.
func outputFrom(ctx context.Context, r rawReader, offset int64) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		r := r
		r.from = From{Offset: offset}
		r.yield = func(ev session.Event, err error) bool {
			switch {
			case err != nil:
				return yield(Placed{Offset: r.offset}, err)
			case ev.Kind == session.Output, ev.Kind == session.Pipe:
				ev.Kind = session.Output
				start := r.offset - int64(len(ev.Data))
				if before := offset - start; before > 0 {
					start, ev.Data = offset, ev.Data[before:]
				}
				return yield(Placed{start, ev}, nil)
			case ev.Kind == session.Resize:
				return yield(Placed{r.offset, ev}, nil)
			}
			return true
		}
		r.run(ctx)
	}
}

// TextFrom returns what the raw log of a command holds of its output, as EventsFrom does, from the
// first event on that may hold text behind the given places, in bytes by stream. Earlier text may
// come before it. Output of a PTY comes from the beginning.
func (s *Store) TextFrom(ctx context.Context, id string, at [3]int64) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		r := rawReader{store: s, fetch: s.segmentsOf(id), id: id, text: &at}
		r.next, _ = s.findText(ctx, id, at) // if it is not known, reading says why
		r.yield = func(e session.Event, err error) bool {
			if err == nil && e.Kind != session.Output && e.Kind != session.Pipe {
				return true
			}
			return yield(e, err)
		}
		r.from.Event = r.next
		r.run(ctx)
	}
}

// findText returns the first event in the database that may hold text behind the given places, or
// the one that comes next.
func (s *Store) findText(ctx context.Context, id string, at [3]int64) (event int64, err error) {
	err = s.view(ctx, "read raw log", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT CASE WHEN EXISTS (SELECT 1 FROM texts WHERE session_pk = ?1) THEN min(
				coalesce((SELECT first_event FROM texts WHERE session_pk = ?1 AND stream = 1 AND end_text > ?2 ORDER BY end_text LIMIT 1), e),
				coalesce((SELECT first_event FROM texts WHERE session_pk = ?1 AND stream = 2 AND end_text > ?3 ORDER BY end_text LIMIT 1), e)) ELSE 0 END
			FROM (SELECT coalesce(max(end_event), 0) AS e FROM segments WHERE session_pk = ?1)`,
			pk, at[session.Stdout], at[session.Stderr]).Scan(&event)
	})
	return event, err
}
