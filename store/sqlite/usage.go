package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// PutScreenUsage replaces the token counts that the agents of a session printed.
func (s *Store) PutScreenUsage(ctx context.Context, id string, used []session.Usage) error {
	return s.update(ctx, "save usage", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM usage WHERE session_pk = ? AND source = 'screen'", pk); err != nil {
			return err
		}
		keyed := make([]session.Usage, len(used))
		for i, u := range used {
			keyed[i] = u
			keyed[i].Key = id + "/" + u.Key // keys are unique only within a session
		}
		return putUsage(ctx, tx, pk, keyed)
	})
}

// Usage returns the usage of the sessions that the filter selects, ignoring its Limit and After. If
// an agent's log of a session was imported, what the agent printed there is left out, because it
// repeats the log.
func (s *Store) Usage(ctx context.Context, f store.Filter) (used []store.Used, err error) {
	where, args, err := s.countable(ctx, f)
	if err != nil {
		return nil, err
	}
	return s.usage(ctx, where, args)
}

// UsageOf returns the usage of the sessions with these ids, as Usage does.
func (s *Store) UsageOf(ctx context.Context, ids []string) ([]store.Used, error) {
	return s.usage(ctx, "s.id IN (SELECT value FROM json_each(?))", []any{asJSON(ids)})
}

func (s *Store) usage(ctx context.Context, where string, args []any) (used []store.Used, err error) {
	const quarter = int64(15 * time.Minute)
	err = s.view(ctx, "read usage", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			`SELECT s.id, s.cwd, u.source, u.agent, u.model, u.at / ?1 AS quarter, sum(u.input), sum(u.cache_read), `+
				`sum(u.cache_write),
				sum(u.output), sum(u.reasoning), sum(u.total), sum(u.cost)
			FROM sessions AS s JOIN usage AS u ON u.session_pk = s.pk
			WHERE (u.source = 'log' OR NOT EXISTS (SELECT 1 FROM usage AS l WHERE l.session_pk = s.pk AND l.source = 'log' `+
				`AND l.agent = u.agent)) AND `+where+`
			GROUP BY s.pk, u.source, u.agent, u.model, quarter, u.cost IS NULL ORDER BY s.started_at DESC, s.pk DESC, `+
				`u.agent, u.model, quarter`,
			append([]any{quarter}, args...)...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var u store.Used
			var at int64
			var cost sql.NullFloat64
			err := rows.Scan(&u.Session, &u.Cwd, &u.Source, &u.Agent, &u.Model, &at, &u.Input, &u.CacheRead, &u.CacheWrite,
				&u.Output, &u.Reasoning, &u.Total, &cost)
			if err != nil {
				return err
			}
			if u.At = timeOf(at * quarter); cost.Valid {
				u.Cost = &cost.Float64
			}
			used = append(used, u)
		}
		return rows.Err()
	})
	return used, err
}
