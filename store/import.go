package store

import (
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

// Recording collects the raw events of a recording that is to be imported, compressed, and their hash.
type Recording struct {
	open builder
	segs []segment
	hash hash.Hash
	head []byte
}

// NewRecording begins a recording whose window has the given size at the start, in cells.
func NewRecording(cols, rows int) *Recording {
	r := &Recording{hash: sha256.New()}
	r.sum(uint64(cols), uint64(rows))
	return r
}

// Write adds an event; it copies the data.
func (r *Recording) Write(ev session.Event) {
	if ev.Kind != session.Marker {
		r.sum(uint64(ev.Kind), uint64(ev.At/time.Microsecond), uint64(len(ev.Data)), uint64(ev.Cols), uint64(ev.Rows), uint64(ev.Status))
		r.hash.Write(ev.Data)
	}
	r.open.add(ev)
	if r.open.size() >= segmentSize {
		r.cut()
	}
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
		r.segs = append(r.segs, r.open.build(dense))
		r.open.begin(r.open.endEvent(), r.open.endByte())
	}
}

// Hash identifies what was written so far: the window, the events, and their times to the microsecond, but
// for markers, which an export adds. It is the same for a recording in another version or compression of asciicast.
func (r *Recording) Hash() []byte { return r.hash.Sum(nil) }

// FindRecording gives the ID of the session that was imported from a recording with this hash. The error
// wraps session.ErrNotFound where there is none.
func (s *Store) FindRecording(ctx context.Context, hash []byte) (id string, err error) {
	err = s.view(ctx, "find recording", func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, "SELECT id FROM sessions WHERE content_hash = ?", hash).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("recording %x: %w", hash, session.ErrNotFound)
		}
		return err
	})
	return id, err
}

// Import adds a session with its raw log and entries. An empty ID is filled in. The error wraps
// session.ErrExists where the same recording, or the ID, is there already. A session that is imported is
// never live.
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
		return saveEntries(ctx, tx, pk, entries)
	})
}
