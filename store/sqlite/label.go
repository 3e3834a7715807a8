package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
)

// Labels are set by the user: a name, a note and tags. A recording's own title is kept next to the
// name.

// Rename sets a session's name, which is shown instead of its title. An empty name restores the
// title.
func (s *Store) Rename(ctx context.Context, id, name string) error {
	return s.label(ctx, "rename", id, "UPDATE sessions SET name = ? WHERE pk = ?", name)
}

// SetNote sets a session's note. An empty note removes it.
func (s *Store) SetNote(ctx context.Context, id, note string) error {
	return s.label(ctx, "set note", id, "UPDATE sessions SET note = ? WHERE pk = ?", note)
}

func (s *Store) label(ctx context.Context, what, id, query, text string) error {
	return s.update(ctx, what, func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, query, text, pk)
		return err
	})
}

// Tag adds and removes tags. It returns the session's tags afterwards, sorted.
func (s *Store) Tag(ctx context.Context, id string, add, remove []string) (tags []string, err error) {
	err = s.update(ctx, "tag", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		var text string
		if err := tx.QueryRowContext(ctx, "SELECT tags FROM sessions WHERE pk = ?", pk).Scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &tags); err != nil {
			return fmt.Errorf("session %s: tags: %w: %w", id, session.ErrCorrupt, err)
		}
		tags = slices.DeleteFunc(append(tags, add...), func(t string) bool { return slices.Contains(remove, t) })
		slices.Sort(tags)
		tags = slices.Compact(tags)
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET tags = ? WHERE pk = ?", asJSON(tags), pk)
		return err
	})
	return tags, err
}

// IDs returns the ids of all sessions, sorted, including those that have only a journal.
func (s *Store) IDs(ctx context.Context) (ids []string, err error) {
	err = s.view(ctx, "read ids", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id FROM sessions ORDER BY id")
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return rows.Err()
	})
	files, listErr := journal.List(JournalFolder(s.path))
	if s.cause != nil {
		err = listErr
	}
	for _, file := range files {
		ids = append(ids, file.Session)
	}
	slices.Sort(ids)
	return slices.Compact(ids), err
}
