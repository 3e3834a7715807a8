package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// entryWriter holds the prepared statements for writing entries.
type entryWriter struct {
	pk                                   int64
	find, insert, update, index, unindex *sql.Stmt
}

func newEntryWriter(ctx context.Context, tx *sql.Tx, pk int64) (w *entryWriter, err error) {
	w = &entryWriter{pk: pk}
	for _, s := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.find, "SELECT pk, type, role, text, output, coalesce(tool, '') FROM entries WHERE session_pk = ? AND id = ?"},
		{&w.insert, `INSERT INTO entries (session_pk, id, seq, type, event, role, agent, conversation, text, markdown, ` +
			`output, tool,
			data, at, end_at, byte_offset, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (session_pk, id) DO NOTHING`},
		{&w.update, `UPDATE entries SET session_pk = ?, id = ?, seq = ?, type = ?, event = ?, role = ?, agent = ?, ` +
			`conversation = ?,
			text = ?, markdown = ?, output = ?, tool = ?, data = ?, at = ?, end_at = ?, byte_offset = ?, status = ? WHERE pk ` +
			`= ?`},
		{&w.index, "INSERT INTO entry_fts (rowid, text, output) VALUES (?, ?, ?)"},
		{&w.unindex, "DELETE FROM entry_fts WHERE rowid = ?"},
	} {
		if *s.stmt, err = tx.PrepareContext(ctx, s.text); err != nil { //nolint:sqlclosecheck // close closes it
			w.close()
			return nil, err
		}
	}
	return w, nil
}

func (w *entryWriter) close() {
	for _, stmt := range []*sql.Stmt{w.find, w.insert, w.update, w.index, w.unindex} {
		if stmt != nil {
			_ = stmt.Close() // the transaction's end closes it anyway
		}
	}
}

// save adds an entry, or replaces the one with its id.
func (w *entryWriter) save(ctx context.Context, e *session.Entry, c *counts) error {
	args, err := w.args(e)
	if err != nil {
		return err
	}
	result, err := w.insert.ExecContext(ctx, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return w.replace(ctx, e, args, c)
	}
	pk, err := result.LastInsertId()
	if err != nil {
		return err
	}
	c.add(e.Type, e.Role, 1)
	return w.addIndex(ctx, pk, e)
}

func (w *entryWriter) replace(ctx context.Context, e *session.Entry, args []any, c *counts) error {
	var pk int64
	var old session.Entry
	var oldTool string
	err := w.find.QueryRowContext(ctx, w.pk, e.ID).Scan(&pk, &old.Type, &old.Role, &old.Text, &old.Output, &oldTool)
	if err != nil {
		return err
	}
	if _, err := w.update.ExecContext(ctx, append(args, pk)...); err != nil {
		return err
	}
	c.add(old.Type, old.Role, -1)
	c.add(e.Type, e.Role, 1)
	if old.Text == e.Text && old.Output == e.Output && old.Type == e.Type && oldTool == toolOf(args) {
		return nil
	}
	if old.Type == session.TypeMessage {
		if _, err := w.unindex.ExecContext(ctx, pk); err != nil {
			return err
		}
	}
	return w.addIndex(ctx, pk, e)
}

// addIndex adds a message to the index. Events are not indexed.
func (w *entryWriter) addIndex(ctx context.Context, pk int64, e *session.Entry) error {
	if e.Type != session.TypeMessage {
		return nil
	}
	indexed := store.Indexed(e)
	_, err := w.index.ExecContext(ctx, pk, indexed[0], indexed[1])
	return err
}

// toolArg is the index of the tool in args.
const toolArg = 11

func toolOf(args []any) string {
	return args[toolArg].(sql.NullString).String
}

// args returns the columns of an entry in the order of the statements insert and update.
func (w *entryWriter) args(e *session.Entry) ([]any, error) {
	var markdown, tool, data sql.NullString
	if e.Markdown != e.Text {
		markdown = sql.NullString{String: e.Markdown, Valid: true}
	}
	if e.Tool != nil {
		b, err := json.Marshal(e.Tool)
		if err != nil {
			return nil, err
		}
		tool = sql.NullString{String: string(b), Valid: true}
	}
	if b, err := store.DataOf(e); err != nil {
		return nil, err
	} else if b != nil {
		data = sql.NullString{String: string(b), Valid: true}
	}
	return []any{w.pk, e.ID, e.Seq, e.Type, e.Event, e.Role, e.Agent, e.Conversation, e.Text, markdown, e.Output, tool,
		data,
		store.Nanos(e.At), nanosOrNull(e.EndAt), e.Offset, e.Status}, nil
}
