package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// LabelHit is a session whose name, tags, note or title a query found.
type LabelHit struct {
	Session *Info
	Snippet Snippet // of the name, the tags and the note; of the title if there is no name
}

// SearchLabels returns the sessions whose name, tags or note match, or the title of a recording without a
// prompt, the newest first. It understands the same queries as Search, of which it takes no account of
// Roles: they are those of messages.
//
// There are few labels, and they change by themselves, so they have no index on disk: one in memory is made
// for each query.
func (s *Store) SearchLabels(ctx context.Context, q Query) (hits []*LabelHit, err error) {
	words := parseQuery(q.Text)
	if len(words.terms) == 0 {
		return nil, nil
	}
	labelled, err := s.labelled(ctx, q.Filter)
	if err != nil || len(labelled) == 0 {
		return nil, err
	}
	texts := make([]string, len(labelled))
	for i, info := range labelled {
		texts[i] = strings.Join(append([]string{info.Title, info.Note}, info.Tags...), "\n")
	}
	limit := q.Filter.Limit
	if limit == 0 {
		limit = defaultHits
	}
	found, err := matching(ctx, words, texts, limit)
	for _, i := range found {
		hits = append(hits, &LabelHit{labelled[i], words.snippetOf(texts[i])})
	}
	return hits, err
}

// labelled returns the sessions of a filter that have a label, the newest first.
func (s *Store) labelled(ctx context.Context, f Filter) (infos []*Info, err error) {
	where, args := f.where()
	err = s.view(ctx, "search labels", func(tx *sql.Tx) error {
		infos, err = s.infos(ctx, tx, "WHERE "+where+` AND (s.name != '' OR s.note != '' OR s.tags != '[]' OR s.title != '' AND s.turns = 0)
			ORDER BY s.started_at DESC, s.pk DESC`, args...)
		return err
	})
	if !f.Live || err != nil {
		return infos, err
	}
	var live []*Info
	for _, info := range infos {
		if info.Status == Live {
			live = append(live, info)
		}
	}
	return live, nil
}

// matching returns which of the texts match, up to limit, in order.
func matching(ctx context.Context, words queryWords, texts []string, limit int) (found []int, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // each connection has a database of its own
	if _, err := db.ExecContext(ctx, "CREATE VIRTUAL TABLE labels USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')"); err != nil {
		return nil, fmt.Errorf("search labels: %w", err)
	}
	spaced := make([]string, len(texts))
	for i, text := range texts {
		spaced[i] = spaceCJK(text)
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO labels (rowid, text) SELECT key, value FROM json_each(?)", asJSON(spaced)); err != nil {
		return nil, fmt.Errorf("search labels: %w", err)
	}
	for _, match := range []string{words.expression(), words.allOf()} {
		found, err = rowids(ctx, db, match, limit)
		if err == nil || !isSyntaxError(err) {
			break // else an operator stands where none can: take it as a word
		}
	}
	return found, err
}

func rowids(ctx context.Context, db *sql.DB, match string, limit int) (ids []int, err error) {
	rows, err := db.QueryContext(ctx, "SELECT rowid FROM labels WHERE labels MATCH ? ORDER BY rowid LIMIT ?", match, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
