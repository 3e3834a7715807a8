package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ptyrec/ptyrec/store"
)

// Sandboxes returns the sandboxes of the commands that the filter selects, newest first. Without a
// usable database (see Beside) there are none.
func (s *Store) Sandboxes(ctx context.Context, f store.Filter) (boxes []store.SandboxInfo, err error) {
	if s.cause != nil {
		return nil, nil //nolint:nilerr // no usable database
	}
	f.Limit, f.Outside = 0, false
	live := f
	live.Live = true
	running, err := s.Sessions(ctx, live) // adds the sandboxes of commands that have only a journal
	if err != nil {
		return nil, err
	}
	where, args := whereOf(f)
	err = s.view(ctx, "list sandboxes", func(tx *sql.Tx) (err error) {
		rows, err := tx.QueryContext(ctx,
			"SELECT sandbox, count(*), max(started_at) AS last FROM sessions AS s WHERE s.sandbox <> '' AND "+where+
				" GROUP BY sandbox ORDER BY last DESC", args...)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var b store.SandboxInfo
			var last int64
			if err := rows.Scan(&b.Name, &b.Commands, &last); err != nil {
				return err
			}
			b.Last = timeOf(last)
			for _, i := range running {
				if i.Sandbox == b.Name {
					b.Running++
				}
			}
			boxes = append(boxes, b)
		}
		return rows.Err()
	})
	return boxes, err
}
