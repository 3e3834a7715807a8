package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

const entryColumns = `e.id, e.seq, e.type, e.event, e.role, e.agent, e.conversation, e.text, e.markdown, e.output,
	e.tool, e.data, e.at, e.end_at, e.byte_offset, e.status`

// entryRow is a row of the table of entries.
type entryRow struct {
	e          session.Entry
	markdown   *string
	tool, data []byte
	at         int64
	endAt      *int64
}

// targets returns the Scan targets of entryColumns.
func (r *entryRow) targets() []any {
	e := &r.e
	return []any{&e.ID, &e.Seq, &e.Type, &e.Event, &e.Role, &e.Agent, &e.Conversation, &e.Text, &r.markdown, &e.Output,
		&r.tool, &r.data, &r.at, &r.endAt, &e.Offset, &e.Status}
}

func (r *entryRow) entry() (*session.Entry, error) {
	e := r.e
	e.At, e.EndAt, e.Markdown = timeOf(r.at), timeOrNil(r.endAt), e.Text
	if r.markdown != nil {
		e.Markdown = *r.markdown
	}
	if r.tool != nil {
		if err := json.Unmarshal(r.tool, &e.Tool); err != nil {
			return nil, fmt.Errorf("entry %s: tool: %w: %w", e.ID, session.ErrCorrupt, err)
		}
	}
	if r.data != nil {
		if err := store.SetData(&e, r.data); err != nil {
			return nil, err
		}
	}
	return &e, nil
}

// entriesOf returns the entries that a query selects. rest is the end of the query.
func entriesOf(ctx context.Context, tx pgx.Tx, rest string, a ...any) (entries []*session.Entry, err error) {
	rows, err := tx.Query(ctx, "SELECT "+entryColumns+" FROM entries AS e "+rest, a...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r entryRow
		if err := rows.Scan(r.targets()...); err != nil {
			return nil, err
		}
		e, err := r.entry()
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

const (
	// inOrder sorts the entries of a session. The index groups them by 128 numbers, so no more
	// groups are read than are needed.
	inOrder = "ORDER BY e.seq >> 7, e.seq, e.id"
	// ofSession is the end of a query for a session's entries after a number. Its last argument is
	// the maximum number of entries.
	ofSession = "WHERE e.received = $1::date AND e.session = $2 AND e.seq > $3 AND e.seq >> 7 >= $3::bigint >> 7 " +
		inOrder + " LIMIT $4"
)

// EntriesAfter returns the entries of a session whose numbers are greater than seq, in order.
func (s *Store) EntriesAfter(ctx context.Context, id string, seq int) ([]*session.Entry, error) {
	return s.someAfter(ctx, id, seq, nil)
}

func (s *Store) someAfter(ctx context.Context, id string, seq int, limit *int) (entries []*session.Entry, err error) {
	err = s.inTx(ctx, "read entries", func(tx pgx.Tx) error {
		k, err := s.readKey(ctx, tx, id)
		if err != nil {
			return err
		}
		entries, err = entriesOf(ctx, tx, ofSession, k.received, k.id, seq, limit)
		return err
	})
	return entries, err
}

// eachPart is the number of entries that Each reads at a time.
const eachPart = 500

// Each iterates over the entries of a session in order, without loading all of them. It ends after
// an error. It holds no connection while the caller works.
func (s *Store) Each(ctx context.Context, id string) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		part, seq, last := eachPart, 0, ""
		for more := true; more; {
			var entries []*session.Entry
			err := s.inTx(ctx, "read entries", func(tx pgx.Tx) error {
				k, err := s.readKey(ctx, tx, id)
				if err != nil {
					return err
				}
				entries, err = entriesOf(ctx, tx,
					"WHERE e.received = $1::date AND e.session = $2 AND (e.seq, e.id) > ($3, $4) AND e.seq >> 7 >= $3::bigint >> "+
						"7 "+inOrder+" LIMIT $5",
					k.received, k.id, seq, last, part)
				return err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			more = len(entries) == part
			for _, e := range entries {
				if seq, last = e.Seq, e.ID; !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Page returns a span of the entries of a session, in order.
func (s *Store) Page(ctx context.Context, id string, span store.Span) (page store.Page, err error) {
	err = s.inTx(ctx, "read entries", func(tx pgx.Tx) error {
		k, err := s.readKey(ctx, tx, id)
		if err != nil {
			return err
		}
		page = store.Page{}
		err = tx.QueryRow(ctx, "SELECT count(*) FROM entries WHERE received = $1::date AND session = $2", k.received,
			k.id).Scan(&page.Total)
		if err != nil {
			return err
		}
		start, n, err := span.Bounds(page.Total, func(seq int) (n int, err error) {
			err = tx.QueryRow(ctx,
				"SELECT count(*) FROM entries WHERE received = $1::date AND session = $2 AND seq < $3 AND seq >> 7 <= "+
					"$3::bigint >> 7", k.received, k.id, seq).Scan(&n)
			return n, err
		})
		if err != nil {
			return err
		}
		page.Start = start
		page.Entries, err = entriesOf(ctx, tx,
			"WHERE e.received = $1::date AND e.session = $2 "+inOrder+" LIMIT $3 OFFSET $4", k.received, k.id, n, start)
		return err
	})
	return page, err
}
