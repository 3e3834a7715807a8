package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ptyrec/ptyrec/store"
)

// maxFacets is the maximum number of values that Facets returns for a filter.
const maxFacets = 200

// facetValues are the table and column of each filter's values.
var facetValues = [3]struct{ table, value string }{
	{"sessions AS s, json_each(s.agents) AS a", "a.value ->> 'name'"},
	{"sessions AS s", "s.cwd"},
	{"sessions AS s, json_each(s.tags) AS t", "t.value"},
}

// Count returns the number of sessions that match the filter, ignoring its Limit and After.
func (s *Store) Count(ctx context.Context, f store.Filter) (n int, err error) {
	where, args, err := s.countable(ctx, f)
	if err != nil {
		return 0, err
	}
	err = s.view(ctx, "count sessions", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM sessions AS s WHERE "+where, args...).Scan(&n)
	})
	return n, err
}

// Facets counts the sessions that match the filter, ignoring its Limit and After. Each list is
// sorted by descending count and has at most 200 values.
func (s *Store) Facets(ctx context.Context, f store.Filter) (facets store.Facets, err error) {
	where, args, err := s.countable(ctx, f)
	if err != nil {
		return facets, err
	}
	err = s.view(ctx, "count sessions", func(tx *sql.Tx) error {
		var first, last sql.NullInt64
		err := tx.QueryRowContext(ctx,
			"SELECT count(*), min(s.started_at), max(s.started_at) FROM sessions AS s WHERE "+where, args...).
			Scan(&facets.Sessions, &first, &last)
		if err != nil {
			return err
		}
		if first.Valid {
			facets.First, facets.Last = timeOf(first.Int64), timeOf(last.Int64)
		}
		for i, list := range []*[]store.Facet{&facets.Agents, &facets.Folders, &facets.Tags} {
			if *list, err = countBy(ctx, tx, facetValues[i].table, facetValues[i].value, where, args); err != nil {
				return err
			}
		}
		return nil
	})
	return facets, err
}

// countable returns a filter as an SQL condition, as whereOf does. The database does not know which
// sessions are live, so it selects these by their keys.
func (s *Store) countable(ctx context.Context, f store.Filter) (string, []any, error) {
	f.Limit, f.After = 0, store.Position{}
	where, args := whereOf(f)
	if !f.Live {
		return where, args, nil
	}
	infos, err := s.Sessions(ctx, f)
	keys := make([]int64, len(infos))
	for i, info := range infos {
		keys[i] = info.Key
	}
	return "s.pk IN (SELECT value FROM json_each(?))", []any{asJSON(keys)}, err
}

func countBy(ctx context.Context, tx *sql.Tx, table, value, where string, args []any) (facets []store.Facet,
	err error) {
	rows, err := tx.QueryContext(ctx, fmt.Sprintf(`SELECT %s AS v, count(DISTINCT s.pk) AS n FROM %s WHERE %s
		GROUP BY v HAVING v <> '' ORDER BY n DESC, v LIMIT %d`, value, table, where, maxFacets), args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	facets = []store.Facet{}
	for rows.Next() {
		var f store.Facet
		if err := rows.Scan(&f.Value, &f.Sessions); err != nil {
			return nil, err
		}
		facets = append(facets, f)
	}
	return facets, rows.Err()
}
