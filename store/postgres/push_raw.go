package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// AppendSegment adds a segment, which must begin with the first event that is missing. Sending the
// last segment again has no effect. Otherwise the error wraps ErrConflict.
func (s *Store) AppendSegment(ctx context.Context, id string, seg store.Segment) (state State, err error) {
	sum := sha256.Sum256(seg.Data)
	object, err := s.putObject(ctx, id, seg, sum)
	if err != nil {
		return state, err
	}
	data := seg.Data
	if object != "" {
		data = []byte{}
	}
	err = s.inTx(ctx, "append to raw log", func(tx pgx.Tx) error {
		p, err := own(ctx, tx, id)
		if err != nil {
			return err
		}
		state = p.State
		if seg.FirstEvent != p.Events {
			return sameSegment(ctx, tx, p, seg)
		}
		if err := follows(ctx, tx, p, seg); err != nil {
			return err
		}
		if s.objects != nil && object == "" { // it began to continue the raw log just now
			return session.ErrBusy
		}
		var both pgx.Batch
		both.Queue(`INSERT INTO segments (received, session, generation, first_event, end_event, start_at, end_at, `+
			`start_byte, end_byte, data, object, size, sha256)
			VALUES ($1::date, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`, p.received, p.ID, p.next, seg.FirstEvent,
			seg.EndEvent,
			int64(seg.StartAt), int64(seg.EndAt), seg.StartByte, seg.EndByte, data, object, len(seg.Data), sum[:])
		if p.next == p.generation {
			both.Queue("UPDATE sessions SET events = $1, raw_sha256 = $2, raw_bytes = $4, raw_end = $5, stored_bytes = "+
				"stored_bytes + $6 WHERE id = $3",
				seg.EndEvent, sum[:], p.ID, seg.EndByte, int64(seg.EndAt), len(seg.Data))
		} else { // readers still see the previous raw log
			both.Queue("UPDATE sessions SET events = $1, raw_sha256 = $2 WHERE id = $3", seg.EndEvent, sum[:], p.ID)
		}
		if err := tx.SendBatch(ctx, &both).Close(); err != nil {
			return err
		}
		state.Events, state.SHA256 = seg.EndEvent, sum[:]
		return nil
	})
	return state, err
}

// sameSegment returns nil if the database already has the segment.
func sameSegment(ctx context.Context, tx pgx.Tx, p *pushed, seg store.Segment) error {
	var sum []byte
	err := tx.QueryRow(ctx, "SELECT coalesce(sha256, sha256(data)) FROM segments WHERE received = $1::date AND session "+
		"= $2 AND generation = $3 AND end_event = $4 AND first_event = $5",
		p.received, p.ID, p.next, seg.EndEvent, seg.FirstEvent).Scan(&sum)
	if want := sha256.Sum256(seg.Data); errors.Is(err, pgx.ErrNoRows) || err == nil && !bytes.Equal(sum, want[:]) {
		return ErrConflict
	}
	return err
}

// follows returns nil if a segment begins at the output byte at which the previous one ends.
func follows(ctx context.Context, tx pgx.Tx, p *pushed, seg store.Segment) error {
	var end int64
	err := tx.QueryRow(ctx, `SELECT coalesce(max(end_byte), 0) FROM segments WHERE received = $1::date AND session = `+
		`$2 AND generation = $3 AND end_event = $4`,
		p.received, p.ID, p.next, p.Events).Scan(&end)
	if err == nil && end != seg.StartByte {
		err = ErrConflict
	}
	return err
}

// showNext shows readers the raw log that was sent, and deletes the one that it replaces.
func (s *Store) showNext(ctx context.Context, tx pgx.Tx, p *pushed) error {
	err := s.deleteSegments(ctx, tx, "WHERE t.received = $1::date AND t.session = $2 AND t.generation < $3", p.received,
		p.ID, p.next)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE sessions SET generation = next_generation, (raw_bytes, raw_end, stored_bytes) =
		(SELECT coalesce(max(end_byte), 0), coalesce(max(end_at), 0),
			coalesce(sum(coalesce(size, length(data))), 0) FROM segments
			WHERE received = $1::date AND session = $2 AND generation = $3) WHERE id = $2`, p.received, p.ID, p.next)
	return err
}

// ReplaceRaw starts a new raw log, to be sent from its beginning. Readers see the old one until
// End; if now is set, they see none.
func (s *Store) ReplaceRaw(ctx context.Context, id string, now bool) error {
	return s.inTx(ctx, "replace raw log", func(tx pgx.Tx) error {
		p, err := own(ctx, tx, id)
		if err != nil {
			return err
		}
		if p.next != p.generation { // what was sent of it before
			if err := s.deleteSegments(ctx, tx, "WHERE t.received = $1::date AND t.session = $2 AND t.generation = $3",
				p.received, p.ID, p.next); err != nil {
				return err
			}
		}
		p.next++
		if _, err := tx.Exec(ctx, "UPDATE sessions SET next_generation = $1, events = 0, raw_sha256 = '' WHERE id = $2",
			p.next, p.ID); err != nil || !now {
			return err
		}
		return s.showNext(ctx, tx, p)
	})
}
