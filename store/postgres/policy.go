package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
)

// AddPattern adds a pattern of secrets to remove from what machines send. The error wraps a
// *PatternError or ErrTaken.
func (s *Store) AddPattern(ctx context.Context, p redact.Pattern) error {
	if _, err := redact.New(redact.Options{Patterns: []redact.Pattern{p}}); err != nil {
		return &PatternError{err}
	}
	return s.administer(ctx, "add pattern", didPolicy, p.Name+" added", func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx,
			"INSERT INTO patterns (name, regexp, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", p.Name, p.Regexp,
			time.Now().UnixNano()))(p.Name, ErrTaken)
	})
}

// PatternError reports an invalid pattern.
type PatternError struct{ Err error }

func (e *PatternError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *PatternError) Unwrap() error { return e.Err }

// RemovePattern removes a pattern.
func (s *Store) RemovePattern(ctx context.Context, name string) error {
	return s.administer(ctx, "remove pattern", didPolicy, name+" removed", func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "DELETE FROM patterns WHERE name = $1", name))(name, ErrUnknown)
	})
}

// Patterns returns the patterns, sorted by name. Every token may read them: machines must not send
// what they match.
func (s *Store) Patterns(ctx context.Context) (patterns []redact.Pattern, err error) {
	if v := ViewerOf(ctx); v.User == 0 && !v.Operator {
		return nil, session.ErrForbidden
	}
	err = s.inTx(ctx, "read policy", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT name, regexp FROM patterns ORDER BY name")
		if err == nil {
			patterns, err = pgx.CollectRows(rows, pgx.RowToStructByPos[redact.Pattern])
		}
		return err
	})
	return patterns, err
}
