package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// promptSize is the length of Info.Prompt, in characters.
const promptSize = 200

// columns holds entries to insert, one slice for each column, so that one statement inserts them.
type columns struct {
	id, typ, event, role, agent, text, output, status []string
	markdown, tool, data                              []*string
	seq, conversation, at, offset                     []int64
	endAt                                             []*int64
	altered                                           []bool
	digest                                            [][]byte
}

func (c *columns) add(e Sent) error {
	altered := false
	text := func(s string) string {
		s, changed := clean(s)
		altered = altered || changed
		return s
	}
	var tool, data, markdown *string
	if e.Tool != nil {
		b, err := json.Marshal(e.Tool)
		if err != nil {
			return err
		}
		s := string(b)
		tool = &s
	}
	if b, err := store.DataOf(e.Entry); err != nil {
		return err
	} else if b != nil {
		s := string(b)
		data = &s
	}
	if e.Markdown != e.Text {
		s := text(e.Markdown)
		markdown = &s
	}
	c.id, c.typ, c.event, c.role = append(c.id, e.ID), append(c.typ, text(e.Type)), append(c.event,
		text(e.Event)), append(c.role, text(e.Role))
	c.agent, c.text, c.output, c.status = append(c.agent, text(e.Agent)), append(c.text, text(e.Text)), append(c.output,
		text(e.Output)), append(c.status, text(e.Status))
	c.markdown, c.tool, c.data = append(c.markdown, markdown), append(c.tool, tool), append(c.data, data)
	c.seq, c.conversation, c.at = append(c.seq, int64(e.Seq)), append(c.conversation,
		int64(e.Conversation)), append(c.at, nanos(e.At))
	c.offset, c.endAt, c.altered = append(c.offset, e.Offset), append(c.endAt, nanosOrNil(e.EndAt)), append(c.altered,
		altered)
	c.digest = append(c.digest, e.Digest[:])
	return nil
}

// wordRows are the rows of the table words for some entries.
type wordRows struct {
	entry, role []string
	words       []pgtype.TSVector
	part        []int32
	at          []int64
}

// add adds the words of a message. Events are not indexed.
func (w *wordRows) add(e *session.Entry) {
	if e.Type != session.TypeMessage {
		return
	}
	role, _ := clean(e.Role)
	list, whole := vectors(store.Indexed(e))
	for i, v := range list {
		part := int32(i + 1)
		if whole {
			part = 0
		}
		w.entry, w.role, w.words = append(w.entry, e.ID), append(w.role, role), append(w.words, v)
		w.part, w.at = append(w.part, part), append(w.at, nanos(e.At))
	}
}

// counts is the change of the counts in a session's row.
type counts struct {
	messages, turns int
	prompt          string
}

func (c *counts) add(typ, role string, n int) {
	if typ == session.TypeMessage {
		c.messages += n
		if role == session.RoleUser {
			c.turns += n
		}
	}
}

// saveEntries adds entries to a session, or replaces those with the same id, after it has deleted
// those with the ids gone. It also writes their words. The session's row must be locked.
func saveEntries(ctx context.Context, tx pgx.Tx, k key, entries []Sent, gone []string) error {
	var cols columns
	var rows wordRows
	var c counts
	for _, e := range lastOfEach(entries) {
		if err := cols.add(e); err != nil {
			return err
		}
		rows.add(e.Entry)
		c.add(e.Type, e.Role, 1)
		if c.prompt == "" && e.Role == session.RoleUser {
			c.prompt, _ = clean(startOf(e.Text, promptSize))
		}
	}
	if err := deleteEntries(ctx, tx, k, append(gone, cols.id...), &c); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO entries (received, session, id, seq, type, event, role, agent, conversation, `+
		`text, markdown, output, tool, data,
			at, end_at, byte_offset, status, altered, digest)
		SELECT $1::date, $2, x.id, x.seq, x.type, x.event, x.role, x.agent, x.conversation, x.text, x.markdown, x.output,
		x.tool::json, x.data::json,
			x.at, x.end_at, x.byte_offset, x.status, x.altered, x.digest
		FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[],
			$11::text[], $12::text[],
			$13::text[], $14::text[], $15::bigint[], $16::bigint[], $17::bigint[], $18::text[], $19::boolean[], $20::bytea[])
			AS x (id, seq, type, event, role, agent, conversation, text, markdown, output, tool, data, at, end_at, `+
		`byte_offset, status, altered, digest)`,
		k.received, k.id, cols.id, cols.seq, cols.typ, cols.event, cols.role, cols.agent, cols.conversation, cols.text,
		cols.markdown, cols.output,
		cols.tool, cols.data, cols.at, cols.endAt, cols.offset, cols.status, cols.altered, cols.digest)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO words (received, session, entry, part, at, owner, space, role, words)
		SELECT $1::date, s.id, x.entry, x.part, x.at, s.owner, s.space, x.role, x.words
		FROM sessions AS s CROSS JOIN unnest($3::text[], $4::int[], $5::bigint[], $6::text[], $7::tsvector[]) AS x `+
		`(entry, part, at, role, words) WHERE s.id = $2`,
		k.received, k.id, rows.entry, rows.part, rows.at, rows.role, rows.words)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE sessions SET messages = messages + $1, turns = turns + $2, prompt = CASE WHEN prompt `+
		`= '' THEN $3 ELSE prompt END
		WHERE id = $4`, c.messages, c.turns, c.prompt, k.id)
	return err
}

// deleteEntries deletes entries and their words, and subtracts them from the counts. Unknown ids
// are ignored.
func deleteEntries(ctx context.Context, tx pgx.Tx, k key, ids []string, c *counts) error {
	rows, err := tx.Query(ctx,
		"DELETE FROM entries WHERE received = $1::date AND session = $2 AND id = ANY ($3) AND left(id, 7) = ANY "+
			"(ARRAY(SELECT left(x, 7) FROM unnest($3::text[]) AS x)) RETURNING type, role", k.received, k.id, ids)
	if err != nil {
		return err
	}
	var typ, role string
	tag, err := pgx.ForEachRow(rows, []any{&typ, &role}, func() error {
		c.add(typ, role, -1)
		return nil
	})
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	_, err = tx.Exec(ctx, "DELETE FROM words WHERE received = $1::date AND session = $2 AND entry = ANY ($3)",
		k.received, k.id, ids)
	return err
}

// lastOfEach returns entries without those that a later one with the same id replaces.
func lastOfEach(entries []Sent) (out []Sent) {
	last := map[string]int{}
	for i, e := range entries {
		last[e.ID] = i
	}
	for i, e := range entries {
		if last[e.ID] == i {
			out = append(out, e)
		}
	}
	return out
}

func startOf(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n])
	}
	return text
}
