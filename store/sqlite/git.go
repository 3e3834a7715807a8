package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/ptyrec/ptyrec/session"
)

// gitJSON returns the value of the column git.
func gitJSON(g *session.Git) any {
	if g == nil {
		return nil
	}
	text, _ := json.Marshal(g) // its fields are strings and booleans
	return string(text)
}

// SetGit sets the state of the repository in a session's folder.
func (s *Store) SetGit(ctx context.Context, id string, g session.Git) error {
	return s.update(ctx, "update session", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		return stateGit(ctx, tx, pk, &g)
	})
}

// stateGit writes g to a session's row, if it is not nil.
func stateGit(ctx context.Context, tx *sql.Tx, key int64, g *session.Git) error {
	if g == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE sessions SET git = ? WHERE pk = ?", gitJSON(g), key)
	return err
}
