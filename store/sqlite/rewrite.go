package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// RewriteSession replaces the contents of a session in one transaction, and then removes the old
// data from the database's files, as Scrub does. If the error wraps session.ErrBusy, another
// program is still reading the old data: call Scrub later.
func (s *Store) RewriteSession(ctx context.Context, id string, r store.Rewrite) error {
	if err := s.packAll(ctx, id); err != nil {
		return err
	}
	err := s.updateDurably(ctx, "rewrite session", s.wait, func(tx *sql.Tx) error { return rewriteTx(ctx, tx, id, r) })
	if err != nil {
		return err
	}
	return s.Scrub(ctx)
}

// scrubWait is how long Scrub waits at its end for programs that still read deleted data. Reading a
// list or a session takes less time.
const scrubWait = time.Second

// Scrub removes deleted data from the database's files: it releases free pages, merges the
// full-text index, rewrites the file, and empties the write-ahead log. While it works it needs
// about twice the space of the remaining data, and about 20 s per GB. After an error, deleted data
// may still be in the files; the error wraps session.ErrBusy if another program is reading them.
func (s *Store) Scrub(ctx context.Context) error {
	if err := s.here(); err != nil {
		return s.failed("scrub", err)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return s.failed("scrub", err)
	}
	defer func() { _ = conn.Close() }()
	return s.failed("scrub", s.scrub(ctx, conn))
}

func (s *Store) scrub(ctx context.Context, conn *sql.Conn) error {
	// The first step frees space that the others may need. VACUUM writes the new file through
	// the write-ahead log, which is therefore emptied after it.
	for _, text := range []string{"PRAGMA incremental_vacuum", "INSERT INTO entry_fts (entry_fts) VALUES ('optimize')",
		"VACUUM"} {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", scrubWait.Milliseconds())); err != nil {
		return err
	}
	defer func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA busy_timeout = %d", s.wait.Milliseconds()))
	}()
	var busy int
	if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, new(int), new(int)); err != nil {
		return err
	}
	if busy != 0 {
		return fmt.Errorf("what was deleted is still in the file: %w", session.ErrBusy)
	}
	return nil
}

// shrink copies the write-ahead log into the database and truncates it.
func (s *Store) shrink(ctx context.Context) error {
	_, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

func rewriteTx(ctx context.Context, tx *sql.Tx, id string, r store.Rewrite) error {
	pk, err := sessionKey(ctx, tx, id)
	if err != nil {
		return err
	}
	if r.Event != nil {
		if err := rewriteSegments(ctx, tx, pk, r); err != nil {
			return err
		}
	}
	if err := deleteEntries(ctx, tx, pk); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE sessions SET command = ?, prompt = '', messages = 0, turns = 0,
		stored_bytes = (SELECT coalesce(sum(length(data)), 0) FROM segments WHERE session_pk = sessions.pk) WHERE pk = ?`,
		asJSON(r.Command), pk)
	if err != nil {
		return err
	}
	if r.Text != nil {
		if err := rewriteTexts(ctx, tx, pk, r.Text); err != nil {
			return err
		}
	}
	return saveEntries(ctx, tx, pk, store.List(r.Entries))
}

func rewriteTexts(ctx context.Context, tx *sql.Tx, pk int64, change func(string) string) error {
	var title, name, note, cwd string
	err := tx.QueryRowContext(ctx, "SELECT title, name, note, cwd FROM sessions WHERE pk = ?", pk).Scan(&title, &name,
		&note, &cwd)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE sessions SET title = ?, name = ?, note = ?, cwd = ? WHERE pk = ?",
		change(title), change(name), change(note), change(cwd), pk)
	return err
}

// rewriteSegments rewrites one segment at a time, because a long session does not fit into memory.
func rewriteSegments(ctx context.Context, tx *sql.Tx, pk int64, r store.Rewrite) error {
	last := int64(-1)
	for {
		var key int64
		var seg store.Segment
		err := tx.QueryRowContext(ctx,
			"SELECT pk, end_event, data FROM segments WHERE session_pk = ? AND end_event > ? ORDER BY end_event LIMIT 1",
			pk, last).Scan(&key, &seg.EndEvent, &seg.Data)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		last = seg.EndEvent
		data, changed := rewritten(seg.Data, r.Event)
		switch {
		case data == nil && r.Drop:
			_, err = tx.ExecContext(ctx, "DELETE FROM segments WHERE pk = ?", key)
		case changed:
			_, err = tx.ExecContext(ctx, "UPDATE segments SET data = ? WHERE pk = ?", data, key)
		}
		if err != nil {
			return err
		}
	}
}

// rewritten returns a segment with its events changed, or nil if it cannot be read.
func rewritten(data []byte, change func(int64, *session.Event) bool) (out []byte, changed bool) {
	seg, events, err := store.DecodeSegment(data)
	if err != nil {
		return nil, false
	}
	var b store.Builder
	b.Begin(seg.FirstEvent, seg.StartByte)
	for i, ev := range events {
		size := len(ev.Data)
		if change(seg.FirstEvent+int64(i), &ev) {
			changed = true
		}
		if len(ev.Data) != size {
			panic("store: a rewritten event has another length")
		}
		b.Add(ev)
	}
	if !changed {
		return data, false
	}
	return b.Build().Data, true
}
