package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ptyrec/ptyrec/session"
)

// Query asks the full-text index.
type Query struct {
	// Text holds words, "phrases", prefix*, AND, OR, NOT and parentheses. Words side by side
	// must all be there. Case and accents do not count; a run of CJK characters is found
	// anywhere in a sentence.
	Text   string
	Roles  []string // any of these; none: all
	Filter Filter   // of the session; Limit counts the hits, 0 means 50
}

// Snippet returns the part of e that shows why the query finds it.
func (q Query) Snippet(e *session.Entry) Snippet { return parseQuery(q.Text).snippet(e) }

// SnippetOf returns the part of a text that shows why the query finds it.
func (q Query) SnippetOf(text string) Snippet { return parseQuery(q.Text).snippetOf(text) }

// HasWords reports whether there is anything in the query to search for.
func (q Query) HasWords() bool { return len(parseQuery(q.Text).terms) > 0 }

func (q Query) limit() int {
	if q.Filter.Limit == 0 {
		return defaultHits
	}
	return q.Filter.Limit
}

// conditions returns the filter and the roles of the query as a condition on the table e. The
// sessions are chosen once, not for each message. It returns "" if the query takes all messages.
func (q Query) conditions() (cond string, args []any) {
	if where, sessions := q.Filter.where(); where != allSessions {
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

// Hit is one message that a query found.
type Hit struct {
	Session *Info
	Entry   *session.Entry
	Snippet Snippet
}

const (
	defaultHits = 50
	// ranked is how many of the newest matches are ranked: to rank a word that is in every
	// message would take seconds. With a filter for sessions or roles, each match must be
	// looked up, so fewer are ranked.
	ranked       = 5000
	rankedChosen = 2000
)

// Search returns the matching messages, the best of the newest few thousand matches first. If the
// query contains a prefix*, the newest come first. A query without a word finds nothing.
func (s *Store) Search(ctx context.Context, q Query) (hits []*Hit, err error) {
	words := parseQuery(q.Text)
	if len(words.terms) == 0 {
		return nil, nil
	}
	enough := false
	if words.begins {
		if hits, enough, err = s.searchNewest(ctx, q, words); err != nil {
			return nil, err
		}
	}
	if !enough {
		hits, err = s.searchIndex(ctx, q, words)
	}
	infos := make([]*Info, len(hits))
	for i, hit := range hits {
		infos[i] = hit.Session
	}
	s.setStatus(infos)
	for _, hit := range hits {
		hit.Snippet = words.snippet(hit.Entry)
	}
	return hits, err
}

// searchIndex searches the index on disk.
func (s *Store) searchIndex(ctx context.Context, q Query, words queryWords) (hits []*Hit, err error) {
	for _, match := range []string{words.expression(), words.allOf()} {
		hits, err = s.search(ctx, q, match, words.begins)
		if err == nil || !isSyntaxError(err) {
			break // an operator is misplaced: take it as a word
		}
	}
	return hits, err
}

func (s *Store) search(ctx context.Context, q Query, match string, begins bool) (hits []*Hit, err error) {
	where, args := q.conditions()
	join, weighed, score := "", ranked, "bm25(entry_fts, 1.0, 0.5)"
	if where != "" {
		join, where = "JOIN entries AS e ON e.pk = entry_fts.rowid", "AND "+where
		weighed = rankedChosen
	}
	args, limit := append([]any{match}, args...), q.limit()
	if begins { // ranking would collect the matches of all words with that prefix twice more
		score, weighed = "0.0", limit
	}
	err = s.view(ctx, "search", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `WITH
			matches AS MATERIALIZED (SELECT entry_fts.rowid AS pk, `+score+` AS score FROM entry_fts `+join+`
				WHERE entry_fts MATCH ? `+where+` ORDER BY entry_fts.rowid DESC LIMIT ?),
			best AS MATERIALIZED (SELECT pk, score FROM matches ORDER BY score, pk DESC LIMIT ?)
			SELECT `+infoColumns+`, `+entryColumns+` FROM best JOIN entries AS e USING (pk) JOIN sessions AS s ON s.pk = e.session_pk
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

// scanHit reads infoColumns and entryColumns, and what follows them into more.
func scanHit(rows *sql.Rows, more ...any) (*Hit, error) {
	hit, row := &Hit{Session: &Info{}}, entryRow{}
	if err := scanInfo(rows, hit.Session, append(row.targets(), more...)...); err != nil {
		return nil, err
	}
	var err error
	if hit.Entry, err = row.entry(); err != nil {
		return nil, fmt.Errorf("session %s: %w", hit.Session.ID, err)
	}
	return hit, nil
}
