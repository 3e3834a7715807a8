package sqlite

import (
	"context"
	"database/sql"
	"testing"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// EncodeSegment returns events as a segment.
func EncodeSegment(firstEvent, startByte int64, events []session.Event) []byte {
	var b store.Builder
	b.Begin(firstEvent, startByte)
	for _, ev := range events {
		b.Add(ev)
	}
	return b.Build().Data
}

// PutEvents appends a segment to a session's raw log.
func (s *Store) PutEvents(ctx context.Context, id string, events []session.Event) error {
	return s.update(ctx, "put events", func(tx *sql.Tx) error {
		key, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		var b store.Builder
		var event, offset int64
		if err := tx.QueryRowContext(ctx,
			"SELECT coalesce(max(end_event), 0), coalesce(max(end_byte), 0) FROM segments WHERE session_pk = ?", key).
			Scan(&event, &offset); err != nil {
			return err
		}
		b.Begin(event, offset)
		for _, ev := range events {
			b.Add(ev)
		}
		return putSegments(ctx, tx, key, []store.Segment{b.Build()})
	})
}

// SearchInBatches has searches for beginnings look at n messages first, until the test is over.
func SearchInBatches(t testing.TB, n int) {
	before := firstBatch
	firstBatch = n
	t.Cleanup(func() { firstBatch = before })
}

// SearchOnDisk has searches for beginnings read the index on disk only, until the test is over.
func SearchOnDisk(t testing.TB) {
	messages := newestMessages
	newestMessages = 0
	t.Cleanup(func() { newestMessages = messages })
}
