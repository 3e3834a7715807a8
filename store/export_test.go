package store

import (
	"context"
	"database/sql"
	"testing"

	"github.com/ptyrec/ptyrec/session"
)

// The segment codec, for tests.

func EncodeSegment(firstEvent, startByte int64, events []session.Event) []byte {
	var b builder
	b.begin(firstEvent, startByte)
	for _, ev := range events {
		b.add(ev)
	}
	return b.build().data
}

func DecodeSegment(data []byte) (firstEvent, startByte int64, events []session.Event, err error) {
	seg, events, err := decodeSegment(data)
	return seg.firstEvent, seg.startByte, events, err
}

// EncodePayload returns a segment with any content.
func EncodePayload(raw []byte) []byte { return encoder.EncodeAll(raw, []byte{versionV1}) }

// PutEvents appends a segment to a session's raw log.
func (s *Store) PutEvents(ctx context.Context, id string, events []session.Event) error {
	return s.update(ctx, "put events", func(tx *sql.Tx) error {
		key, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		var b builder
		var event, offset int64
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(end_event), 0), coalesce(max(end_byte), 0) FROM segments WHERE session_pk = ?", key).
			Scan(&event, &offset); err != nil {
			return err
		}
		b.begin(event, offset)
		for _, ev := range events {
			b.add(ev)
		}
		return putSegments(ctx, tx, key, []segment{b.build()})
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
