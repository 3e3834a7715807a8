package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Pushes returns the state of sending each session that is sent to a team's server, by session id.
func (s *Store) Pushes(ctx context.Context) (pushes map[string]store.Push, err error) {
	pushes = map[string]store.Push{}
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
			var p store.Push
			if err := json.Unmarshal([]byte(state), &p); err != nil {
				return fmt.Errorf("session %s: push: %w: %w", id, session.ErrCorrupt, err)
			}
			pushes[id] = p
		}
		return rows.Err()
	})
	return pushes, err
}

// SavePush durably saves the state of sending a session.
func (s *Store) SavePush(ctx context.Context, id string, p store.Push) error {
	state, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.updateDurably(ctx, "note push", s.wait, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT INTO pushes (session, state) VALUES (?1, ?2) ON CONFLICT (session) DO UPDATE SET state = ?2", id,
			string(state))
		return err
	})
}

// sumSize is how many bytes of an entry's digest are kept. That is enough to notice a change; at
// the end, the complete digest is compared with the server's.
const sumSize = 8

// PushedEntries returns the truncated digests of the entries of a session that the server has, by
// entry id. The map is empty if they are unknown.
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

// SavePushedEntries saves the digests of the entries that the server has of a session, by entry id.
// SavePush must have been called for the session.
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
