package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// promptSize is the length of Info.Prompt, in characters.
const promptSize = 200

// SaveEntries adds entries to a session, or replaces those that have the same ID. It first deletes
// the entries with the ids gone. It also updates the full-text index.
func (s *Store) SaveEntries(ctx context.Context, id string, entries []*session.Entry, gone ...string) error {
	if len(entries)+len(gone) == 0 {
		return nil
	}
	return s.update(ctx, "save entries", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, id := range gone {
			if err := deleteEntry(ctx, tx, pk, id); err != nil {
				return err
			}
		}
		return saveEntries(ctx, tx, pk, store.List(entries))
	})
}

// deleteEntry removes an entry from the table, the index and the counts. It is not an error if
// there is none.
func deleteEntry(ctx context.Context, tx *sql.Tx, pk int64, id string) error {
	var entry int64
	var typ, role string
	err := tx.QueryRowContext(ctx, "SELECT pk, type, role FROM entries WHERE session_pk = ? AND id = ?", pk,
		id).Scan(&entry, &typ, &role)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	var c counts
	c.add(typ, role, -1)
	for _, q := range []struct {
		text string
		args []any
	}{
		{"DELETE FROM entry_fts WHERE rowid = ?", []any{entry}},
		{"DELETE FROM entries WHERE pk = ?", []any{entry}},
		{"UPDATE sessions SET messages = messages + ?, turns = turns + ? WHERE pk = ?", []any{c.messages, c.turns, pk}},
	} {
		if _, err := tx.ExecContext(ctx, q.text, q.args...); err != nil {
			return err
		}
	}
	return nil
}

// ReplaceEntries replaces all entries of a session. If the iterator yields an error, the session
// stays unchanged and the error is returned.
func (s *Store) ReplaceEntries(ctx context.Context, id string, entries iter.Seq2[*session.Entry, error]) error {
	return s.update(ctx, "replace entries", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := deleteEntries(ctx, tx, pk); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx,
			"UPDATE sessions SET prompt = '', messages = 0, turns = 0, read_end = raw_end WHERE pk = ?", pk); err != nil {
			return err
		}
		return saveEntries(ctx, tx, pk, entries)
	})
}

func deleteEntries(ctx context.Context, tx *sql.Tx, pk int64) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM entry_fts WHERE rowid IN (SELECT pk FROM entries WHERE session_pk = ?)", pk)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM entries WHERE session_pk = ?", pk)
	return err
}

// counts is the change of the counts in a session's row.
type counts struct {
	messages, turns int
	prompt          string
}

// add counts n entries of a type and role.
func (c *counts) add(typ, role string, n int) {
	if typ == session.TypeMessage {
		c.messages += n
	}
	if typ == session.TypeMessage && role == session.RoleUser {
		c.turns += n
	}
}

func saveEntries(ctx context.Context, tx *sql.Tx, pk int64, entries iter.Seq2[*session.Entry, error]) error {
	w, err := newEntryWriter(ctx, tx, pk)
	if err != nil {
		return err
	}
	defer w.close()
	var c counts
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := w.save(ctx, e, &c); err != nil {
			return fmt.Errorf("entry %s: %w", e.ID, err)
		}
		if c.prompt == "" && e.Role == session.RoleUser {
			c.prompt = startOf(e.Text, promptSize)
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE sessions SET messages = messages + ?, turns = turns + ?,
		prompt = CASE WHEN prompt = '' THEN ? ELSE prompt END, revision = revision + 1 WHERE pk = ?`, c.messages, c.turns,
		c.prompt, pk)
	return err
}

func startOf(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n])
	}
	return text
}

const entryColumns = `e.id, e.seq, e.type, e.event, e.role, e.agent, e.conversation, e.text, e.markdown, e.output,
	e.tool, e.data, e.at, e.end_at, e.byte_offset, e.status`

// Entries returns all entries of a session in order.
func (s *Store) Entries(ctx context.Context, id string) (entries []*session.Entry, err error) {
	return s.EntriesAfter(ctx, id, 0)
}

// EntriesAfter returns the entries of a session whose numbers are greater than seq, in order.
func (s *Store) EntriesAfter(ctx context.Context, id string, seq int) (entries []*session.Entry, err error) {
	return s.someAfter(ctx, id, seq, -1)
}

// eachPart is the number of entries that Each reads at a time.
const eachPart = 500

// Each iterates over the entries of a session in order, without loading all of them. It ends after
// an error. It holds no connection while the caller works.
func (s *Store) Each(ctx context.Context, id string) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for seq, more := 0, true; more; {
			entries, err := s.someAfter(ctx, id, seq, eachPart)
			if err != nil {
				yield(nil, err)
				return
			}
			if more = len(entries) == eachPart; more { // several entries can have the same number
				last := entries[len(entries)-1].Seq
				n := slices.IndexFunc(entries, func(e *session.Entry) bool { return e.Seq == last })
				entries = entries[:max(1, n)]
			}
			for _, e := range entries {
				if seq = e.Seq; !yield(e, nil) {
					return
				}
			}
		}
	}
}

// someAfter returns the first n entries after seq, or all if n is negative.
func (s *Store) someAfter(ctx context.Context, id string, seq, n int) (entries []*session.Entry, err error) {
	err = s.view(ctx, "read entries", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		entries, err = entriesOf(ctx, tx, "WHERE e.session_pk = ? AND e.seq > ? ORDER BY e.seq, e.pk LIMIT ?", pk, seq, n)
		return err
	})
	if (errors.Is(err, session.ErrNotFound) || s.cause != nil) && s.hasJournal(id) {
		return nil, nil // the session is not in the database yet
	}
	return entries, err
}

// entriesOf returns the entries that a query selects. rest is the end of the query.
func entriesOf(ctx context.Context, tx *sql.Tx, rest string, args ...any) (entries []*session.Entry, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+entryColumns+" FROM entries AS e "+rest, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var r entryRow
	targets := r.targets()
	for rows.Next() {
		r = entryRow{}
		if err := rows.Scan(targets...); err != nil {
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

// entryRow is a row of the table of entries.
type entryRow struct {
	e                    session.Entry
	seq, conversation    int64 // database/sql passes an int64 unchanged, and converts other types
	markdown, tool, data sql.NullString
	at                   int64
	endAt                sql.NullInt64
}

// targets returns the Scan targets of entryColumns.
func (r *entryRow) targets() []any {
	e := &r.e
	return []any{&e.ID, &r.seq, &e.Type, &e.Event, &e.Role, &e.Agent, &r.conversation, &e.Text, &r.markdown, &e.Output,
		&r.tool, &r.data, &r.at, &r.endAt, &e.Offset, &e.Status}
}

// entry returns the row as an entry, which does not share memory with it.
func (r *entryRow) entry() (*session.Entry, error) {
	e := r.e
	e.Seq, e.Conversation = int(r.seq), int(r.conversation)
	e.At, e.EndAt = timeOf(r.at), timeOrNil(r.endAt)
	e.Markdown = e.Text
	if r.markdown.Valid {
		e.Markdown = r.markdown.String
	}
	if r.tool.Valid {
		if err := json.Unmarshal([]byte(r.tool.String), &e.Tool); err != nil {
			return nil, fmt.Errorf("entry %s: tool: %w: %w", e.ID, session.ErrCorrupt, err)
		}
	}
	if r.data.Valid {
		if err := store.SetData(&e, []byte(r.data.String)); err != nil {
			return nil, err
		}
	}
	return &e, nil
}

// PutExtracted saves what was extracted from a session's raw log. If the entries cannot be saved,
// it saves only the end.
func (s *Store) PutExtracted(ctx context.Context, id string, x store.Extracted) (err error) {
	if x.Entries == nil {
		err = s.MarkRead(ctx, id)
	} else if err = s.ReplaceEntries(ctx, id, x.Entries); err == nil {
		if x.Session != nil {
			err = s.UpdateSession(ctx, x.Session)
		}
		err = errors.Join(err, s.PutScreenUsage(ctx, id, x.Usage))
	}
	if x.End != nil {
		err = errors.Join(err, s.FinishSession(ctx, id, *x.End.EndedAt, *x.End.ExitCode, true))
	}
	return err
}
