package postgres

import (
	"context"
	"crypto/sha256"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
)

// Sent is an entry as its machine sent it.
type Sent struct {
	*session.Entry
	Digest [sha256.Size]byte // SHA-256 of its JSON
}

// Batch is a set of changes to a session's entries.
type Batch struct {
	Version int64  // number of the batch
	After   *int64 // version that it continues; nil: any
	Entries []Sent
	Gone    []string // ids of deleted entries
	All     bool     // Entries replace all existing ones
}

// SaveEntries adds entries to a session, or replaces those with the same id, after it has deleted
// those in Gone. It ignores a version that is not newer than the last one. If the batch does not
// continue what the database has, the error wraps ErrConflict.
func (s *Store) SaveEntries(ctx context.Context, id string, b Batch) error {
	return s.inTx(ctx, "save entries", func(tx pgx.Tx) error {
		p, err := own(ctx, tx, id)
		if err != nil || b.Version <= p.EntriesVersion {
			return err
		}
		if b.After != nil && *b.After != p.EntriesVersion {
			return ErrConflict
		}
		if _, err := tx.Exec(ctx, "UPDATE sessions SET entries_version = $1 WHERE id = $2", b.Version, p.ID); err != nil {
			return err
		}
		if b.All {
			if err := dropEntries(ctx, tx, p.key); err != nil {
				return err
			}
		}
		return saveEntries(ctx, tx, p.key, b.Entries, b.Gone)
	})
}

// dropEntries deletes all entries of a session.
func dropEntries(ctx context.Context, tx pgx.Tx, k key) error {
	for _, table := range []string{"entries", "words"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE received = $1::date AND session = $2", k.received,
			k.id); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "UPDATE sessions SET messages = 0, turns = 0, prompt = '' WHERE id = $1", k.id)
	return err
}
