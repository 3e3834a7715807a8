package sqlite

import (
	"context"
	"database/sql"

	"github.com/ptyrec/ptyrec/store"
)

// putSegments writes segments of a session. Each replaces the stored segments that begin at its
// first event or later.
func putSegments(ctx context.Context, tx *sql.Tx, key int64, segs []store.Segment) error {
	for _, seg := range segs {
		var old int64
		err := tx.QueryRowContext(ctx,
			"SELECT coalesce(sum(length(data)), 0) FROM segments WHERE session_pk = ? AND end_event > ?",
			key, seg.FirstEvent).Scan(&old)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM segments WHERE session_pk = ?1 AND end_event > ?2;
			DELETE FROM texts WHERE session_pk = ?1 AND first_event >= ?2`, key, seg.FirstEvent); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx,
			`INSERT INTO segments (session_pk, first_event, end_event, start_at, end_at, start_byte,
			end_byte, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, key, seg.FirstEvent, seg.EndEvent, int64(seg.StartAt),
			int64(seg.EndAt),
			seg.StartByte, seg.EndByte, seg.Data); err != nil {
			return err
		}
		for stream, t := range seg.Texts {
			if t.End == 0 {
				continue
			}
			if _, err := tx.ExecContext(ctx,
				"INSERT OR REPLACE INTO texts (session_pk, stream, end_text, first_event) VALUES (?, ?, ?, ?)",
				key, stream, t.End, t.First); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx,
			"UPDATE sessions SET raw_bytes = ?, raw_end = ?, stored_bytes = stored_bytes + ? WHERE pk = ?",
			seg.EndByte, int64(seg.EndAt), int64(len(seg.Data))-old, key); err != nil {
			return err
		}
	}
	return nil
}
