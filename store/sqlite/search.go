package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ptyrec/ptyrec/store"
)

// conditions returns the query's filter and roles as a condition on the table e. The sessions are
// selected once, not for each message. It returns "" if the query selects all messages.
func conditions(q store.Query) (cond string, args []any) {
	if where, sessions := whereOf(q.Filter); where != allSessions {
		cond, args = "e.session_pk IN (SELECT s.pk FROM sessions AS s WHERE "+where+")", sessions
	}
	if len(q.Roles) > 0 {
		if cond != "" {
			cond += " AND "
		}
		cond += "e.role IN (SELECT value FROM json_each(?))"
		args = append(args, asJSON(q.Roles))
	}
	return cond, args
}

// Only the newest matches are ranked: ranking a word that is in every message would take seconds.
// With a filter for sessions or roles, each match must be looked up, so fewer are ranked.
const (
	ranked       = 5000
	rankedChosen = 2000
)

// Search returns the matching messages, the best of the newest few thousand matches first. If the
// query contains a prefix*, the newest come first. A query without words matches nothing.
func (s *Store) Search(ctx context.Context, q store.Query) (hits []*store.Hit, err error) {
	words := store.ParseWords(q.Text)
	if len(words.Terms) == 0 {
		return nil, nil
	}
	enough := false
	if words.Begins {
		if hits, enough, err = s.searchNewest(ctx, q, words); err != nil {
			return nil, err
		}
	}
	if !enough {
		hits, err = s.searchIndex(ctx, q, words)
	}
	infos := make([]*store.Info, len(hits))
	for i, hit := range hits {
		infos[i] = hit.Session
	}
	s.setStatus(infos)
	for _, hit := range hits {
		hit.Snippet = words.Snippet(hit.Entry)
	}
	return hits, err
}

// searchIndex searches the index on disk.
func (s *Store) searchIndex(ctx context.Context, q store.Query, words store.Words) (hits []*store.Hit, err error) {
	for _, match := range []string{expression(words), allOf(words)} {
		hits, err = s.search(ctx, q, match, words.Begins)
		if err == nil || !isSyntaxError(err) {
			break // an operator is misplaced: treat it as a word
		}
	}
	return hits, err
}

func (s *Store) search(ctx context.Context, q store.Query, match string, begins bool) (hits []*store.Hit, err error) {
	where, args := conditions(q)
	join, weighed, score := "", ranked, "bm25(entry_fts, 1.0, 0.5)"
	if where != "" {
		join, where = "JOIN entries AS e ON e.pk = entry_fts.rowid", "AND "+where
		weighed = rankedChosen
	}
	args, limit := append([]any{match}, args...), q.Limit()
	if begins { // ranking would collect the matches of all words with that prefix two more times
		score, weighed = "0.0", limit
	}
	err = s.view(ctx, "search", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `WITH
			matches AS MATERIALIZED (SELECT entry_fts.rowid AS pk, `+score+` AS score FROM entry_fts `+join+`
				WHERE entry_fts MATCH ? `+where+` ORDER BY entry_fts.rowid DESC LIMIT ?),
			best AS MATERIALIZED (SELECT pk, score FROM matches ORDER BY score, pk DESC LIMIT ?)
			SELECT `+infoColumns+`, `+entryColumns+` FROM best JOIN entries AS e USING (pk) JOIN sessions AS s ON s.pk = `+
			`e.session_pk
			ORDER BY best.score, e.pk DESC`, append(args, weighed, limit)...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			hit, err := scanHit(rows)
			if err != nil {
				return err
			}
			hits = append(hits, hit)
		}
		return rows.Err()
	})
	return hits, err
}

// scanHit scans infoColumns and entryColumns, and any further columns into more.
func scanHit(rows *sql.Rows, more ...any) (*store.Hit, error) {
	hit, row := &store.Hit{Session: &store.Info{}}, entryRow{}
	if err := scanInfo(rows, hit.Session, append(row.targets(), more...)...); err != nil {
		return nil, err
	}
	var err error
	if hit.Entry, err = row.entry(); err != nil {
		return nil, fmt.Errorf("session %s: %w", hit.Session.ID, err)
	}
	return hit, nil
}
