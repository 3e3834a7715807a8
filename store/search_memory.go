package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/ptyrec/ptyrec/session"
)

// For a prefix that occurs in most messages, FTS5 would merge most of its index. The newest
// messages contain enough hits for such a prefix: a bounded number of them is indexed in memory for
// the query.
var (
	newestMessages = 2000
	newestBytes    = 1 << 20
)

// searchNewest searches the newest messages only. It reports false if these hold fewer hits than
// the query asks for.
func (s *Store) searchNewest(ctx context.Context, q Query, words queryWords) (hits []*Hit, enough bool, err error) {
	where, args := q.conditions()
	var newest []*Hit
	var indexed [][2]string
	err = s.view(ctx, "search", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `WITH newest AS MATERIALIZED (SELECT pk FROM entries WHERE type = 'message' ORDER BY pk DESC LIMIT ?)
			SELECT `+infoColumns+`, `+entryColumns+` FROM newest JOIN entries AS e USING (pk) JOIN sessions AS s ON s.pk = e.session_pk
			WHERE `+where+` ORDER BY e.pk DESC`, append([]any{newestMessages}, args...)...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for size := 0; size < newestBytes && rows.Next(); {
			hit, err := scanHit(rows)
			if err != nil {
				return err
			}
			text := indexedOf(hit.Entry)
			newest, indexed = append(newest, hit), append(indexed, text)
			size += len(text[0]) + len(text[1])
		}
		return rows.Err()
	})
	if err != nil {
		return nil, false, err
	}
	found, err := matching(ctx, words, indexed, q.limit())
	for _, i := range found {
		hits = append(hits, newest[i])
	}
	return hits, len(hits) == q.limit(), err
}

// SearchEntries is Search in entries of a session that the database does not have. The hits are in
// the order of the entries. Of the query's filter, only the limit counts.
func SearchEntries(ctx context.Context, q Query, info *Info, entries []*session.Entry) (hits []*Hit, err error) {
	words := parseQuery(q.Text)
	if len(words.terms) == 0 {
		return nil, nil
	}
	var chosen []*session.Entry
	var indexed [][2]string
	for _, e := range entries {
		if e.Type == session.TypeMessage && (len(q.Roles) == 0 || slices.Contains(q.Roles, e.Role)) {
			chosen, indexed = append(chosen, e), append(indexed, indexedOf(e))
		}
	}
	found, err := matching(ctx, words, indexed, q.limit())
	for _, i := range found {
		hits = append(hits, &Hit{info, chosen[i], words.snippet(chosen[i])})
	}
	return hits, err
}

// matching returns the indices of the texts that match, in order and at most limit. Each text has
// two columns, as in the index on disk.
func matching(ctx context.Context, words queryWords, texts [][2]string, limit int) (found []int, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // each connection would have its own database
	_, err = db.ExecContext(ctx, `CREATE VIRTUAL TABLE memory USING fts5 (text, output, content = '', tokenize = 'unicode61 remove_diacritics 2');
		INSERT INTO memory (rowid, text, output) SELECT key, value ->> 0, value ->> 1 FROM json_each(?)`, asJSON(texts))
	if err != nil {
		return nil, fmt.Errorf("search in memory: %w", err)
	}
	for _, match := range []string{words.expression(), words.allOf()} {
		found, err = rowids(ctx, db, match, limit)
		if err == nil || !isSyntaxError(err) {
			break // an operator is misplaced: take it as a word
		}
	}
	return found, err
}

func rowids(ctx context.Context, db *sql.DB, match string, limit int) (ids []int, err error) {
	rows, err := db.QueryContext(ctx, "SELECT rowid FROM memory WHERE memory MATCH ? ORDER BY rowid LIMIT ?", match, limit)
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
