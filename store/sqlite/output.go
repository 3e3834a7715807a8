package sqlite

import (
	"context"
	"database/sql"
	"iter"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// OutputFrom returns the output of a session from a byte offset on, and the changes of the window's
// size. If the offset is inside an event, the rest of that event comes first. What a command wrote
// to pipes counts as output. Errors are as in EventsFrom.
func (s *Store) OutputFrom(ctx context.Context, id string, offset int64) iter.Seq2[store.Placed, error] {
	return func(yield func(store.Placed, error) bool) {
		r := rawReader{Cursor: store.Cursor{ID: id}, db: s}
		r.YieldOutput(offset, yield)
		r.run(ctx)
	}
}

// TextFrom returns the output of a command from the first event that may contain text after the
// offsets at, in bytes by stream. Earlier text may precede it. The output of a PTY is returned from
// the beginning. Errors are as in EventsFrom.
func (s *Store) TextFrom(ctx context.Context, id string, at [3]int64) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		r := rawReader{Cursor: store.Cursor{ID: id}, db: s, text: &at}
		r.Next, _ = s.findText(ctx, id, at) // the error, if any, is reported when reading
		r.Yield = func(e session.Event, err error) bool {
			if err == nil && e.Kind != session.Output && e.Kind != session.Pipe {
				return true
			}
			return yield(e, err)
		}
		r.From.Event = r.Next
		r.run(ctx)
	}
}

// findText returns the number of the first event in the database that may contain text after the
// offsets at, or the number of the event after the last.
func (s *Store) findText(ctx context.Context, id string, at [3]int64) (event int64, err error) {
	err = s.view(ctx, "read raw log", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT CASE WHEN EXISTS (SELECT 1 FROM texts WHERE session_pk = ?1) THEN min(
				coalesce((SELECT first_event FROM texts WHERE session_pk = ?1 AND stream = 1 AND end_text > ?2 ORDER BY `+
			`end_text LIMIT 1), e),
				coalesce((SELECT first_event FROM texts WHERE session_pk = ?1 AND stream = 2 AND end_text > ?3 ORDER BY `+
			`end_text LIMIT 1), e)) ELSE 0 END
			FROM (SELECT coalesce(max(end_event), 0) AS e FROM segments WHERE session_pk = ?1)`,
			pk, at[session.Stdout], at[session.Stderr]).Scan(&event)
	})
	return event, err
}
