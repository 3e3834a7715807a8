package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Push is what a machine knows of a session that it sends to the server of a team. It is written
// before something is sent and after it was accepted, so that a sender that was killed, or whose
// answer was lost, can go on.
type Push struct {
	Server   string    `json:"server,omitempty"`   // its URL
	Remote   string    `json:"remote,omitempty"`   // the session's id there
	Machine  string    `json:"machine,omitempty"`  // the name under which it is sent
	Version  int64     `json:"version,omitempty"`  // of the description
	Entries  int64     `json:"entries,omitempty"`  // version of the entries that the server has
	Next     int64     `json:"next,omitempty"`     // version of those that it is about to have
	Segments []string  `json:"segments,omitempty"` // SHA-256 of the segments that the server has, or is about to have
	Digest   string    `json:"digest,omitempty"`   // of the entries that the server has
	Events   int64     `json:"events,omitempty"`   // of the raw log that the server has
	Seen     string    `json:"seen,omitempty"`     // what the session looked like when all of it had been sent
	Sent     time.Time `json:"sent,omitzero"`      // when that was
	Compared time.Time `json:"compared,omitzero"`  // when the server was asked whether it still has it
	Waits    time.Time `json:"waits,omitzero"`     // since when it waits; zero: it does not
	Failed   string    `json:"failed,omitempty"`   // why
	Never    bool      `json:"never,omitempty"`    // it is never sent
	Deleted  bool      `json:"deleted,omitempty"`  // the server does not take it any more
}

// Pushes returns what is known of the sessions that are sent, by their ids.
func (s *Store) Pushes(ctx context.Context) (pushes map[string]Push, err error) {
	pushes = map[string]Push{}
	err = s.view(ctx, "read pushes", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT session, state FROM pushes")
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id, state string
			if err := rows.Scan(&id, &state); err != nil {
				return err
			}
			var p Push
			if err := json.Unmarshal([]byte(state), &p); err != nil {
				return fmt.Errorf("session %s: push: %w: %w", id, session.ErrCorrupt, err)
			}
			pushes[id] = p
		}
		return rows.Err()
	})
	return pushes, err
}

// SavePush notes what is known of a session that is sent. A power loss after it does not undo it.
func (s *Store) SavePush(ctx context.Context, id string, p Push) error {
	state, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.updateDurably(ctx, "note push", s.wait, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO pushes (session, state) VALUES (?1, ?2) ON CONFLICT (session) DO UPDATE SET state = ?2", id, string(state))
		return err
	})
}

// sumSize is how much of an entry's digest is kept, in bytes: a change is noticed, and what the
// server has at the end is compared as a whole.
const sumSize = 8

// PushedEntries returns the beginnings of the digests of the entries that the server has of a
// session, by their ids; nothing if they are not known.
func (s *Store) PushedEntries(ctx context.Context, id string) (sums map[string][8]byte, err error) {
	var blob []byte
	err = s.view(ctx, "read pushes", func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, "SELECT entries FROM pushes WHERE session = ?", id).Scan(&blob)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return err
	})
	sums = map[string][8]byte{}
	for err == nil && len(blob) > 0 {
		n, size := binary.Uvarint(blob)
		if size <= 0 || n > uint64(len(blob)) || uint64(size)+n+sumSize > uint64(len(blob)) {
			return nil, fmt.Errorf("session %s: push: %w", id, session.ErrCorrupt)
		}
		end := size + int(n)
		sums[string(blob[size:end])] = [sumSize]byte(blob[end:])
		blob = blob[end+sumSize:]
	}
	return sums, err
}

// SavePushedEntries notes which entries the server has of a session: their ids and digests. A row
// of the session is there.
func (s *Store) SavePushedEntries(ctx context.Context, id string, sums map[string][32]byte) error {
	blob := make([]byte, 0, len(sums)*32)
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		sum := sums[id]
		blob = append(binary.AppendUvarint(blob, uint64(len(id))), id...)
		blob = append(blob, sum[:sumSize]...)
	}
	return s.update(ctx, "note push", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE pushes SET entries = ? WHERE session = ?", blob, id)
		return err
	})
}
