package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/fts"
)

const (
	defaultHits = 50
	// ranked is the number of the newest matches to rank.
	ranked = 5000
	// rank weights a match in what was said by 1, and one in output by 0.5. The weights are for D,
	// C, B and A.
	rank = "ts_rank('{0,0,0.5,1}', w.words, %s)"
)

func limitOf(q store.Query) int {
	if q.Filter.Limit == 0 {
		return defaultHits
	}
	return q.Filter.Limit
}

// match is a message that matches.
type match struct {
	Received, Session, Entry string
	At                       int64
	Score                    float32
}

// Search returns the messages that match, the best of the newest 5,000 first. A query without words
// matches nothing.
func (s *Store) Search(ctx context.Context, q store.Query) (hits []*store.Hit, err error) {
	expr := q.Expr()
	if expr == nil {
		return nil, nil
	}
	err = s.inSearch(ctx, "search", func(tx pgx.Tx) error {
		found, err := s.wholeMatches(ctx, tx, q, expr)
		if err != nil {
			return err
		}
		more, err := partMatches(ctx, tx, q, expr)
		if err != nil {
			return err
		}
		found = append(found, more...)
		slices.SortStableFunc(found, func(a, b match) int {
			switch {
			case a.Score != b.Score && a.Score > b.Score, a.Score == b.Score && a.At > b.At:
				return -1
			case a.Score == b.Score && a.At == b.At:
				return strings.Compare(a.Session+a.Entry, b.Session+b.Entry)
			}
			return 1
		})
		var others bool
		if hits, others, err = hitsOf(ctx, tx, found[:min(len(found), limitOf(q))]); err == nil && others {
			err = noteOnce(ctx, tx, didSearch, "")
		}
		return err
	})
	for _, hit := range hits {
		hit.Snippet = q.Snippet(hit.Entry)
	}
	return hits, err
}

// searchTime is the time limit of a search, unless the connection string has a statement_timeout.
const searchTime = 5 * time.Second

// inSearch runs fn in a transaction with searchTime. The error wraps session.ErrSlow if it takes
// too long.
func (s *Store) inSearch(ctx context.Context, what string, fn func(pgx.Tx) error) error {
	err := s.inTx(ctx, what, func(tx pgx.Tx) error {
		if s.searchTime > 0 {
			if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", s.searchTime.Milliseconds())); err != nil {
				return err
			}
		}
		// A scan of the whole table would read the vectors of all messages, also of those that the viewer
		// may not read; the planner does not know their size. The newest matches are sorted in memory.
		if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off; SET LOCAL work_mem = '16MB'"); err != nil {
			return err
		}
		return fn(tx)
	})
	if hasCode(err, codeCanceled) {
		return fmt.Errorf("%w: %w", session.ErrSlow, err)
	}
	return err
}

// conditions returns a query's filter and roles as a condition on the table w. It includes the
// rights of the viewer.
func conditions(ctx context.Context, q store.Query, a *args) string {
	cond := visible(ctx, "w", a)
	if chooses(q.Filter) {
		f := q.Filter
		f.Limit, f.After = 0, store.Position{}
		cond += " AND w.session IN (SELECT s.id FROM sessions AS s WHERE " + where(ctx, f, a) + ")"
	}
	if len(q.Roles) > 0 {
		cond += " AND w.role = ANY (" + a.add(q.Roles) + ")"
	}
	return cond
}

// wholeMatches returns the best of the messages whose words are in one vector. It searches the
// newest month first, then doubles the number of months until it has enough matches: a common word
// has too many matches to sort them all.
func (s *Store) wholeMatches(ctx context.Context, tx pgx.Tx, q store.Query, expr *fts.Expr) (found []match, err error) {
	if tsquery(expr) == "" {
		return nil, nil
	}
	months, err := monthsOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	begun, rest, until := time.Now(), ranked, ""
	for size := 1; len(months) > 0 && rest > 0; size *= 2 {
		if s.searchTime > 0 && time.Since(begun) > s.searchTime {
			return nil, session.ErrSlow
		}
		n := min(size, len(months))
		since := months[n-1]
		some, all, err := matchesIn(ctx, tx, q, expr, rest, since, until)
		if err != nil {
			return nil, err
		}
		found, rest, until, months = append(found, some...), rest-all, since, months[n:]
	}
	return found, nil
}

// monthsOf returns the first days of the months that have a partition, newest first.
func monthsOf(ctx context.Context, tx pgx.Tx) (months []string, err error) {
	rows, err := tx.Query(ctx,
		"SELECT right(c.relname, 7) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = "+
			"'words'::regclass ORDER BY 1 DESC")
	if err != nil {
		return nil, err
	}
	var name string
	_, err = pgx.ForEachRow(rows, []any{&name}, func() error {
		month, err := time.Parse("2006_01", name)
		months = append(months, month.Format(time.DateOnly))
		return err
	})
	return months, err
}

// matchesIn returns the best of the newest most matches received in [since, until); an empty until
// means no limit. all is the number of matches, at most most.
func matchesIn(ctx context.Context, tx pgx.Tx, q store.Query, expr *fts.Expr, most int, since,
	until string) (found []match, all int, err error) {
	var a args
	p := a.add(tsquery(expr)) + "::tsquery"
	when := "w.received >= '" + since + "'" // as a constant, so that the planner can leave out partitions
	if until != "" {
		when += " AND w.received < '" + until + "'"
	}
	rows, err := tx.Query(ctx,
		`WITH newest AS MATERIALIZED (SELECT w.received, w.session, w.entry, w.at, w.words FROM words AS w
			WHERE w.words @@ `+p+" AND w.part = 0 AND "+when+" AND "+conditions(ctx, q,
			&a)+` ORDER BY w.at DESC LIMIT `+fmt.Sprint(most)+`)
		SELECT w.received::text, w.session, w.entry, w.at, `+fmt.Sprintf(rank,
			p)+` AS score, (SELECT count(*) FROM newest) FROM newest AS w
		ORDER BY score DESC, w.at DESC, w.session, w.entry LIMIT `+a.add(limitOf(q)), a...)
	if err != nil {
		return nil, 0, err
	}
	var m match
	_, err = pgx.ForEachRow(rows, []any{&m.Received, &m.Session, &m.Entry, &m.At, &m.Score, &all}, func() error {
		found = append(found, m)
		return nil
	})
	return found, all, err
}

// looked is the number of messages to read at a time.
const looked = 10

// candidate is a message with several vectors that may match.
type candidate struct {
	match
	Sure bool // its vectors suffice to know that it matches
}

// partMatches returns the newest matches among the messages with several vectors.
func partMatches(ctx context.Context, tx pgx.Tx, q store.Query, expr *fts.Expr) (found []match, err error) {
	candidates, err := candidatesOf(ctx, tx, q, expr)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(candidates, looked) {
		var unsure []match
		for _, c := range part {
			if c.Sure {
				found = append(found, c.match)
			} else {
				unsure = append(unsure, c.match)
			}
		}
		if len(unsure) > 0 {
			matching, err := lookInto(ctx, tx, unsure, expr)
			if err != nil {
				return nil, err
			}
			found = append(found, matching...)
		}
		if len(found) >= limitOf(q) {
			break
		}
	}
	return found, nil
}

// candidatesOf returns the newest of the messages with several vectors that may match.
func candidatesOf(ctx context.Context, tx pgx.Tx, q store.Query, expr *fts.Expr) ([]candidate, error) {
	query, all := anyOf(expr)
	if query == "" && !all {
		return nil, nil
	}
	var a args
	score, cond := "0::real", conditions(ctx, q, &a)
	if query != "" {
		p := a.add(query) + "::tsquery"
		score = "max(" + fmt.Sprintf(rank, p) + ")"
		if !all {
			cond += " AND w.words @@ " + p
		}
	}
	yes, no := certainty(expr, &a)
	rows, err := tx.Query(ctx,
		"SELECT w.received::text, w.session, w.entry, w.at, "+score+", "+yes+" FROM words AS w WHERE w.part > 0 AND "+cond+
			" GROUP BY w.received, w.session, w.entry, w.at HAVING NOT ("+no+") ORDER BY w.at DESC LIMIT "+fmt.Sprint(ranked),
		a...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c candidate, err error) {
		return c, row.Scan(&c.Received, &c.Session, &c.Entry, &c.At, &c.Score, &c.Sure)
	})
}

// lookInto returns the messages whose texts match.
func lookInto(ctx context.Context, tx pgx.Tx, some []match, expr *fts.Expr) (found []match, err error) {
	hits, _, err := hitsOf(ctx, tx, some)
	for _, hit := range hits {
		texts := store.Indexed(hit.Entry)
		if expr.Match(fts.NewText(texts[0]), fts.NewText(texts[1])) {
			i := slices.IndexFunc(some, func(m match) bool { return m.Session == hit.Session.ID && m.Entry == hit.Entry.ID })
			found = append(found, some[i])
		}
	}
	return found, err
}

// hitsOf reads the matching messages, in their order. others reports whether one belongs to another
// user than the viewer.
func hitsOf(ctx context.Context, tx pgx.Tx, found []match) (hits []*store.Hit, others bool, err error) {
	received, sessions, entries := make([]string, len(found)), make([]string, len(found)), make([]string, len(found))
	for i, m := range found {
		received[i], sessions[i], entries[i] = m.Received, m.Session, m.Entry
	}
	a := args{received, sessions, entries}
	rows, err := tx.Query(ctx,
		"SELECT "+infoColumns+", "+entryColumns+` FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k `+
			`(received, session, entry, n)
		JOIN entries AS e ON e.received = k.received::date AND e.session = k.session AND e.id = k.entry AND left(e.id,
			7) = left(k.entry, 7)
		JOIN sessions AS s ON s.id = k.session WHERE `+visible(ctx, "s", &a)+" ORDER BY k.n", a...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		var er entryRow
		if err := rows.Scan(append(r.targets(), er.targets()...)...); err != nil {
			return nil, false, err
		}
		hit := &store.Hit{}
		if hit.Session, err = r.session(); err != nil {
			return nil, false, err
		}
		if hit.Entry, err = er.entry(); err != nil {
			return nil, false, fmt.Errorf("session %s: %w", hit.Session.ID, err)
		}
		hits, others = append(hits, hit), others || r.owner != ViewerOf(ctx).User
	}
	if err := rows.Err(); err != nil {
		return nil, false, err
	}
	infos := make([]*store.Info, len(hits))
	for i, hit := range hits {
		infos[i] = hit.Session
	}
	return hits, others, setContinued(ctx, tx, infos)
}

// SearchLabels returns the sessions whose name, tags or note match, newest first. If a session has
// no labels, its title is searched. It accepts the same queries as Search but ignores Roles.
func (s *Store) SearchLabels(ctx context.Context, q store.Query) (hits []*store.LabelHit, err error) {
	expr := q.Expr()
	if expr == nil {
		return nil, nil
	}
	var a args
	query := "WHERE " + where(ctx, q.Filter,
		&a) + ` AND (s.name <> '' OR s.note <> '' OR s.tags <> '{}' OR s.title <> '' AND s.turns = 0)
		ORDER BY s.started_at DESC, s.id DESC`
	err = s.inSearch(ctx, "search labels", func(tx pgx.Tx) error {
		infos, owners, err := sessionsOf(ctx, tx, query, a)
		hits = nil
		others := false
		for i, info := range infos {
			text := info.Labels()
			if len(hits) < limitOf(q) && expr.Match(fts.NewText(store.Indexed(&session.Entry{Text: text})[0])) {
				hits = append(hits, &store.LabelHit{Session: info, Snippet: q.SnippetOf(text)})
				others = others || owners[i] != ViewerOf(ctx).User
			}
		}
		if err == nil && others {
			err = noteOnce(ctx, tx, didSearch, "")
		}
		return err
	})
	return hits, err
}

// SearchAll returns the sessions that SearchLabels finds and the messages that Search finds.
// Together they do not exceed the query's limit, as in store.SearchAll.
func (s *Store) SearchAll(ctx context.Context, q store.Query) ([]*store.LabelHit, []*store.Hit, error) {
	return store.SearchBoth(ctx, s, q)
}
