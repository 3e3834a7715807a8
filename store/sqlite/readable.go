package sqlite

import (
	"context"
	"database/sql"

	"github.com/ptyrec/ptyrec/store"
)

// readable returns the sessions of a damaged database that meet the condition and whose rows can be
// read, newest first. It looks up one row at a time, because a damaged page hides only the rows in
// it or below it. limit is the maximum number of sessions; -1 means all.
func (s *Store) readable(ctx context.Context, where string, args []any, limit int) (infos []*store.Info) {
	var last int64
	for _, query := range []string{
		"SELECT max(pk) FROM sessions", "SELECT max(session_pk) FROM segments", "SELECT max(session_pk) FROM entries",
	} {
		var pk sql.NullInt64
		// another index may be readable
		_ = s.view(ctx, "list sessions", func(tx *sql.Tx) error { return tx.QueryRowContext(ctx, query).Scan(&pk) })
		last = max(last, pk.Int64)
	}
	for pk := last; pk > 0 && len(infos) != limit && ctx.Err() == nil; pk-- {
		_ = s.view(ctx, "list sessions", func(tx *sql.Tx) error { // unreadable rows are left out
			found, err := s.infos(ctx, tx, "WHERE s.pk = ? AND "+where, append([]any{pk}, args...)...)
			if err == nil {
				infos = append(infos, found...)
			}
			return err
		})
	}
	return merge(infos, nil, nil)
}
