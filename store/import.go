package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Recording collects the raw events of a recording to import, compressed, and their hash.
type Recording struct {
	open builder
	segs []segment
	hash hash.Hash
	head []byte
	exit bool // there was one
}

// NewRecording begins a recording whose window has the given size at the start, in cells.
func NewRecording(cols, rows int) *Recording {
	r := &Recording{hash: sha256.New()}
	r.sum(uint64(cols), uint64(rows))
	return r
}

// Write adds an event; it copies the data.
func (r *Recording) Write(ev session.Event) {
	r.sumEvent(ev)
	r.exit = r.exit || ev.Kind == session.Exit
	r.open.add(ev)
	if r.open.size() >= segmentSize {
		r.cut()
	}
}

// Take returns the segments that are complete since the last call, and forgets them.
func (r *Recording) Take() []Segment {
	whole := r.whole()
	r.segs = r.segs[:0]
	return whole
}

func (r *Recording) sumEvent(ev session.Event) {
	if ev.Kind == session.Marker {
		return
	}
	r.sum(uint64(ev.Kind), uint64(ev.At/time.Microsecond), uint64(len(ev.Data)), uint64(ev.Cols), uint64(ev.Rows), uint64(ev.Status))
	r.hash.Write(ev.Data)
}

func (r *Recording) sum(numbers ...uint64) {
	r.head = r.head[:0]
	for _, n := range numbers {
		r.head = binary.AppendUvarint(r.head, n)
	}
	r.hash.Write(r.head)
}

func (r *Recording) cut() {
	if !r.open.empty() {
		r.segs = append(r.segs, r.open.build())
		r.open.begin(r.open.endEvent(), r.open.endByte())
	}
}

// Hash identifies what was written so far: the window, the events, and their times to the
// microsecond, but for markers, which an export adds. It is the same for a recording in another
// version or compression of asciicast.
func (r *Recording) Hash() []byte { return r.hash.Sum(nil) }

// FindRecording returns the id of the session that was imported from an equal recording, or that
// this recording was exported from. The error wraps session.ErrNotFound if the database has no such
// session.
func (s *Store) FindRecording(ctx context.Context, rec *Recording) (id string, err error) {
	var recorded []*session.Session // here, that may be the same
	err = s.view(ctx, "find recording", func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, "SELECT id FROM sessions WHERE content_hash = ?", rec.Hash()).Scan(&id)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		recorded, err = s.ofSize(ctx, tx, rec.open.endByte())
		return err
	})
	if err != nil || id != "" {
		return id, err
	}
	for _, sess := range recorded {
		same := NewRecording(sess.Cols, sess.Rows)
		for e, err := range s.Events(ctx, sess.ID) {
			if err != nil {
				break // it is not whole, so another hash comes out
			}
			if e.Kind != session.Exit || rec.exit { // asciicast v2 has none
				same.sumEvent(e)
			}
		}
		if bytes.Equal(same.Hash(), rec.Hash()) {
			return sess.ID, nil
		}
	}
	return "", s.failed("find recording", fmt.Errorf("%x: %w", rec.Hash(), session.ErrNotFound))
}

// ofSize returns the sessions that were recorded here and wrote this many bytes.
func (s *Store) ofSize(ctx context.Context, tx *sql.Tx, size int64) (found []*session.Session, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, cols, rows FROM sessions WHERE content_hash IS NULL AND raw_bytes = ?", size)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		sess := &session.Session{}
		if err := rows.Scan(&sess.ID, &sess.Cols, &sess.Rows); err != nil {
			return nil, err
		}
		found = append(found, sess)
	}
	return found, rows.Err()
}

// Import adds a session with its raw log and entries. An empty ID is filled in. The error wraps
// session.ErrExists where the same recording, or the ID, is there already. A session that is
// imported is never live.
func (s *Store) Import(ctx context.Context, sess *session.Session, rec *Recording, entries []*session.Entry) error {
	if sess.ID == "" {
		sess.ID = NewID()
	}
	rec.cut()
	return s.update(ctx, "import", func(tx *sql.Tx) error {
		pk, err := insertSession(ctx, tx, sess, rec.Hash())
		if err != nil {
			return err
		}
		if err := putSegments(ctx, tx, pk, rec.segs); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE sessions SET read_end = raw_end WHERE pk = ?", pk); err != nil {
			return err
		}
		return saveEntries(ctx, tx, pk, List(entries))
	})
}
