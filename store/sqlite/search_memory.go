package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/ptyrec/ptyrec/store"
)

// For a prefix that occurs in most messages, FTS5 would merge most of its index. The newest
// messages contain enough hits for such a prefix, so they are indexed in memory for the query, in
// batches of doubling size. Once a batch shows that newestMessages contain too few hits, the prefix
// is rare enough for the index on disk.
var (
	firstBatch     = 50
	newestMessages = 2000
	newestBytes    = 1 << 20 // of a batch
)

// fewMessages is the number of messages up to which looking them up by session and sorting them is
// faster than scanning all messages.
const fewMessages = 20_000

// searchNewest searches only the newest messages. ok is false if there are older ones and the
// newest contain fewer hits than the query asks for.
func (s *Store) searchNewest(ctx context.Context, q store.Query, words store.Words) (hits []*store.Hit, enough bool,
	err error) {
	chosen, err := s.chosen(ctx, q)
	if err != nil || chosen == 0 {
		return nil, err == nil, err
	}
	below, seen := int64(math.MaxInt64), 0
	for n := firstBatch; seen < newestMessages; n *= 2 {
		b, err := s.messagesBelow(ctx, q, below, n, chosen <= fewMessages)
		if err != nil {
			return nil, false, err
		}
		found, err := matching(ctx, words, b.indexed, q.Limit()-len(hits))
		if err != nil {
			return nil, false, err
		}
		for _, i := range found {
			hits = append(hits, b.hits[i])
		}
		if len(hits) == q.Limit() || b.last {
			return hits, true, nil
		}
		if below, seen = b.start, seen+len(b.hits); len(hits)*newestMessages < q.Limit()*seen {
			break
		}
	}
	return nil, false, nil
}

// chosen returns the number of messages in the sessions that the query's filter selects.
func (s *Store) chosen(ctx context.Context, q store.Query) (n int, err error) {
	where, args := whereOf(q.Filter)
	err = s.view(ctx, "search", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT coalesce(sum(messages), 0) FROM sessions AS s WHERE "+where, args...).Scan(&n)
	})
	return n, err
}

// batch is a range of the messages that the query selects, newest first.
type batch struct {
	hits    []*store.Hit
	indexed [][2]string
	start   int64 // the key of the oldest
	last    bool  // whether there are no older ones
}

// messagesBelow returns the n newest messages whose keys are less than below, or fewer if they are
// large. few is set if the query's sessions contain at most fewMessages messages.
func (s *Store) messagesBelow(ctx context.Context, q store.Query, below int64, n int, few bool) (b batch, err error) {
	where, args := conditions(q)
	if where != "" {
		where = "AND " + where
	}
	from, order := "entries AS e NOT INDEXED", "e.pk"
	if few {
		from, order = "entries AS e", "+e.pk" // by the index of sessions, then sorted
	}
	args = append(append([]any{below}, args...), n)
	err = s.view(ctx, "search", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `WITH newest AS MATERIALIZED (SELECT e.pk FROM `+from+`
				WHERE e.type = 'message' AND `+order+` < ? `+where+` ORDER BY `+order+` DESC LIMIT ?)
			SELECT `+infoColumns+`, `+entryColumns+`, e.pk FROM newest JOIN entries AS e USING (pk) JOIN sessions AS s ON `+
			`s.pk = e.session_pk
			ORDER BY e.pk DESC`, args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for size := 0; size < newestBytes && rows.Next(); {
			hit, err := scanHit(rows, &b.start)
			if err != nil {
				return err
			}
			text := store.Indexed(hit.Entry)
			b.hits, b.indexed = append(b.hits, hit), append(b.indexed, text)
			size += len(text[0]) + len(text[1])
			b.last = size < newestBytes && len(b.hits) < n
		}
		b.last = b.last || len(b.hits) == 0
		return rows.Err()
	})
	return b, err
}

// matching returns the indices of the texts that match, in order and at most limit. Each text has
// two columns, as in the index on disk.
func matching(ctx context.Context, words store.Words, texts [][2]string, limit int) (found []int, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // each connection would have its own database
	_, err = db.ExecContext(ctx,
		`CREATE VIRTUAL TABLE memory USING fts5 (text, output, content = '', tokenize = 'unicode61 remove_diacritics 2');
		INSERT INTO memory (rowid, text, output) SELECT key, value ->> 0, value ->> 1 FROM json_each(?)`, asJSON(texts))
	if err != nil {
		return nil, fmt.Errorf("search in memory: %w", err)
	}
	for _, match := range []string{expression(words), allOf(words)} {
		found, err = rowids(ctx, db, match, limit)
		if err == nil || !isSyntaxError(err) {
			break // an operator is misplaced: treat it as a word
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
