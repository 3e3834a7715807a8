package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// FindRecording returns the id of the session that was imported from an equal recording, or from
// which this recording was exported. The error wraps session.ErrNotFound if there is none.
func (s *Store) FindRecording(ctx context.Context, rec *store.Recording) (id string, err error) {
	var recorded []*session.Session // sessions recorded here that may be the same
	err = s.view(ctx, "find recording", func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, "SELECT id FROM sessions WHERE content_hash = ?", rec.Hash()).Scan(&id)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		recorded, err = s.ofSize(ctx, tx, rec.Size())
		return err
	})
	if err != nil || id != "" {
		return id, err
	}
	for _, sess := range recorded {
		same := store.NewRecording(sess.Cols, sess.Rows)
		for e, err := range s.Events(ctx, sess.ID) {
			if err != nil {
				break // it is incomplete, so its hash differs
			}
			if e.Kind != session.Exit || rec.Exits() { // asciicast v2 has no Exit event
				same.Sum(e)
			}
		}
		if bytes.Equal(same.Hash(), rec.Hash()) {
			return sess.ID, nil
		}
	}
	return "", s.failed("find recording", fmt.Errorf("%x: %w", rec.Hash(), session.ErrNotFound))
}

// ofSize returns the sessions that were recorded here and have this many output bytes.
func (s *Store) ofSize(ctx context.Context, tx *sql.Tx, size int64) (found []*session.Session, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, cols, rows FROM sessions WHERE content_hash IS NULL AND raw_bytes = ?",
		size)
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

// Import adds a session with its raw log and entries. It sets an empty ID. The error wraps
// session.ErrExists if the database already contains the recording or the ID. An imported session
// is never live.
func (s *Store) Import(ctx context.Context, sess *session.Session, rec *store.Recording,
	entries []*session.Entry) error {
	if sess.ID == "" {
		sess.ID = store.NewID()
	}
	segments := rec.Segments()
	return s.update(ctx, "import", func(tx *sql.Tx) error {
		pk, err := insertSession(ctx, tx, sess, rec.Hash())
		if err != nil {
			return err
		}
		if err := putSegments(ctx, tx, pk, segments); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE sessions SET read_end = raw_end WHERE pk = ?", pk); err != nil {
			return err
		}
		return saveEntries(ctx, tx, pk, store.List(entries))
	})
}

// PutSegments adds segments to the raw log of a session. With CreateSession and FinishImport, it
// imports a recording that need not fit in memory.
func (s *Store) PutSegments(ctx context.Context, id string, segments []store.Segment) error {
	if len(segments) == 0 {
		return nil
	}
	return s.update(ctx, "import", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		return putSegments(ctx, tx, pk, segments)
	})
}

// FinishImport is like Import, for a session that CreateSession has added. PutSegments must have
// added the segments that rec.Take has returned.
func (s *Store) FinishImport(ctx context.Context, sess *session.Session, rec *store.Recording,
	entries []*session.Entry) error {
	segments := rec.Segments()
	return s.update(ctx, "import", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, sess.ID)
		if err != nil {
			return err
		}
		if err := putSegments(ctx, tx, pk, segments); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE sessions SET command = ?, cwd = ?, title = ?, agents = ?, ended_at = ?,
			exit_code = ?, content_hash = ?, read_end = raw_end WHERE pk = ?`, asJSON(sess.Command), sess.Cwd, sess.Title,
			asJSON(sess.Agents), nanosOrNull(sess.EndedAt), sess.ExitCode, rec.Hash(), pk); err != nil {
			return err
		}
		return saveEntries(ctx, tx, pk, store.List(entries))
	})
}
