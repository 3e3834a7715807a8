package sqlite

import (
	"context"
	"database/sql"

	"github.com/ptyrec/ptyrec/store"
)

// Page returns a span of the entries of a session, in order.
func (s *Store) Page(ctx context.Context, id string, span store.Span) (page store.Page, err error) {
	err = s.view(ctx, "read entries", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		below := func(seq int) (n int, err error) {
			err = tx.QueryRowContext(ctx, "SELECT count(*) FROM entries WHERE session_pk = ? AND seq < ?", pk, seq).Scan(&n)
			return n, err
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM entries WHERE session_pk = ?",
			pk).Scan(&page.Total); err != nil {
			return err
		}
		start, n, err := span.Bounds(page.Total, below)
		if err != nil {
			return err
		}
		page.Start = start
		page.Entries, err = entriesOf(ctx, tx, "WHERE e.session_pk = ? ORDER BY e.seq, e.pk LIMIT ? OFFSET ?", pk, n, start)
		return err
	})
	return page, err
}
