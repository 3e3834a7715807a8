package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Usage returns the usage of the sessions that the filter selects, ignoring its Limit and After, as
// sqlite.Store.Usage does.
func (s *Store) Usage(ctx context.Context, f store.Filter) ([]store.Used, error) {
	f.Limit, f.After = 0, store.Position{}
	var a args
	return s.usage(ctx, where(ctx, f, &a), a)
}

// UsageOf returns the usage of the sessions with these ids, as Usage does.
func (s *Store) UsageOf(ctx context.Context, ids []string) ([]store.Used, error) {
	var a args
	return s.usage(ctx, where(ctx, store.Filter{}, &a)+" AND s.id = ANY ("+a.add(ids)+")", a)
}

func (s *Store) usage(ctx context.Context, where string, a args) (used []store.Used, err error) {
	err = s.inTx(ctx, "read usage", func(tx pgx.Tx) error {
		used = nil
		rows, err := tx.Query(ctx,
			"SELECT s.id, s.cwd, s.usage FROM sessions AS s WHERE s.usage::text <> '[]' AND "+where+" ORDER BY s.started_at "+
				"DESC, s.id DESC", a...)
		if err != nil {
			return err
		}
		var id, cwd string
		var sent []byte
		_, err = pgx.ForEachRow(rows, []any{&id, &cwd, &sent}, func() error {
			var list []session.Usage
			if err := json.Unmarshal(sent, &list); err != nil {
				return fmt.Errorf("session %s: usage: %w: %w", id, session.ErrCorrupt, err)
			}
			for _, u := range list {
				used = append(used, store.Used{Session: id, Cwd: cwd, Usage: u})
			}
			return nil
		})
		if err != nil {
			return err
		}
		return noteList(ctx, tx)
	})
	return used, err
}
