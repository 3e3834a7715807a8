package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// KnownLogs returns the agents' logs that were imported before, by agent and path.
func (s *Store) KnownLogs(ctx context.Context) (known map[[2]string]store.KnownLog, err error) {
	known = map[[2]string]store.KnownLog{}
	err = s.view(ctx, "list agents' logs", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			"SELECT l.agent, l.path, l.id, l.state, s.id FROM agent_logs AS l JOIN sessions AS s ON s.pk = l.session_pk")
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var key [2]string
			var l store.KnownLog
			if err := rows.Scan(&key[0], &key[1], &l.ID, &l.State, &l.Session); err != nil {
				return err
			}
			known[key] = l
		}
		return rows.Err()
	})
	return known, err
}

// PutAgentLog adds the session of an agent's log. If a session of a log has this id, its contents
// are replaced, and the user's labels stay.
func (s *Store) PutAgentLog(ctx context.Context, l store.AgentLog) error {
	return s.update(ctx, "import a log", func(tx *sql.Tx) error {
		pk, err := putLogSession(ctx, tx, l)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO agent_logs (agent, id, path, state, session_pk) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (agent, id) DO UPDATE SET path = excluded.path, state = excluded.state, session_pk = `+
			`excluded.session_pk`,
			l.Agent, l.ID, l.Path, l.State, pk)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM agent_logs WHERE agent = ? AND id = ? AND path = ?", l.Agent, l.Was,
			l.Path); err != nil {
			return err
		}
		for _, path := range l.Parts {
			if err := removePart(ctx, tx, l.Agent, path, pk); err != nil {
				return err
			}
		}
		if l.Session != nil {
			if err := removeUsage(ctx, tx, l, pk); err != nil {
				return err
			}
		}
		for id, used := range l.Of {
			of := pk
			if id != "" {
				if of, err = sessionKey(ctx, tx, id); err != nil {
					return err
				}
			}
			if err := putUsage(ctx, tx, of, used); err != nil {
				return err
			}
		}
		return nil
	})
}

// putLogSession writes the session and its entries, if there is a session. It returns the key of
// the session that holds the conversation.
func putLogSession(ctx context.Context, tx *sql.Tx, l store.AgentLog) (pk int64, err error) {
	sess := l.Session
	if sess == nil {
		return sessionKey(ctx, tx, l.Recorded)
	}
	err = tx.QueryRowContext(ctx, "SELECT pk FROM sessions WHERE source IS NOT NULL AND id = ?", sess.ID).Scan(&pk)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		pk, err = insertSession(ctx, tx, sess, nil)
	case err == nil:
		err = deleteEntries(ctx, tx, pk)
	}
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx,
		`UPDATE sessions SET cwd = ?, title = ?, started_at = ?, ended_at = ?, agents = ?, source = ?, private = private `+
			`OR ?9,
		prompt = '', messages = 0, turns = 0, raw_end = ?8, read_end = ?8 WHERE pk = ?7`,
		sess.Cwd, sess.Title, store.Nanos(sess.StartedAt), nanosOrNull(sess.EndedAt), asJSON(sess.Agents),
		sourceJSON(sess.Source), pk, l.Active.Nanoseconds(), sess.Private)
	if err != nil {
		return 0, err
	}
	return pk, saveEntries(ctx, tx, pk, l.Entries)
}

// removePart removes the session of a log whose entries are now part of another session. If the
// user has labelled it, only its usage is removed.
func removePart(ctx context.Context, tx *sql.Tx, agent, path string, whole int64) error {
	var pk int64
	var named bool
	err := tx.QueryRowContext(ctx,
		`SELECT s.pk, s.name <> '' OR s.note <> '' OR s.tags <> '[]' FROM agent_logs AS l JOIN sessions AS s ON s.pk = `+
			`l.session_pk
		WHERE l.agent = ? AND l.path = ? AND s.source ->> 'path' = l.path AND s.pk <> ?`, agent, path, whole).Scan(&pk,
		&named)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if named {
		_, err := tx.ExecContext(ctx, "DELETE FROM usage WHERE session_pk = ? AND source = 'log'", pk)
		return err
	}
	if err := deleteEntries(ctx, tx, pk); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM sessions WHERE pk = ?", pk)
	return err
}

// removeUsage removes the usage that was read from the log before, unless other logs have added to
// it.
func removeUsage(ctx context.Context, tx *sql.Tx, l store.AgentLog, pk int64) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM usage WHERE session_pk = ?1 AND source = 'log' AND agent = ?2
		AND NOT EXISTS (SELECT 1 FROM agent_logs WHERE session_pk = ?1 AND (agent <> ?2 OR id <> ?3))`, pk, l.Agent, l.ID)
	return err
}

// putUsage writes usage. A request that another session already counts is not counted again. If a
// different request has the same key, this one gets a new key.
func putUsage(ctx context.Context, tx *sql.Tx, pk int64, used []session.Usage) error {
	put, err := tx.PrepareContext(ctx,
		`INSERT INTO usage (source, agent, key, session_pk, model, at, input, cache_read, cache_write, output, reasoning, `+
			`total, cost)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (source, agent, key) DO UPDATE SET model = excluded.model, input = excluded.input,
		cache_read = excluded.cache_read,
			cache_write = excluded.cache_write, output = excluded.output, reasoning = excluded.reasoning, total = `+
			`excluded.total, cost = excluded.cost
		WHERE session_pk = excluded.session_pk
			OR (model, at, input, cache_read, cache_write, output) = (excluded.model, excluded.at, excluded.input, `+
			`excluded.cache_read, excluded.cache_write, excluded.output)`)
	if err != nil {
		return err
	}
	defer func() { _ = put.Close() }()
	for _, u := range used {
		for _, key := range []string{u.Key, fmt.Sprintf("%s/%d", u.Key, pk)} {
			result, err := put.ExecContext(ctx, u.Source, u.Agent, key, pk, u.Model, store.Nanos(u.At), u.Input, u.CacheRead,
				u.CacheWrite, u.Output, u.Reasoning, u.Total, u.Cost)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil {
				return err
			} else if n > 0 {
				break
			}
		}
	}
	return nil
}

// Said returns the messages between the user and an agent in a session, in order. Each is cut after
// size characters.
func (s *Store) Said(ctx context.Context, id, agent string, size int) (messages []store.Said, err error) {
	err = s.view(ctx, "read messages", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT at, role, substr(text, 1, ?) FROM entries
			WHERE session_pk = ? AND role IN ('user', 'assistant') AND agent = ? ORDER BY seq`, size, pk, agent)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var at int64
			var m store.Said
			if err := rows.Scan(&at, &m.Role, &m.Text); err != nil {
				return err
			}
			m.At = timeOf(at)
			messages = append(messages, m)
		}
		return rows.Err()
	})
	return messages, err
}

// Visits returns the folders that the entries of a session mention.
func (s *Store) Visits(ctx context.Context, id string) ([]store.Visit, error) {
	return s.visits(ctx, id, "true")
}

// AgentFolders returns the folders that an agent showed at its starts in a session.
func (s *Store) AgentFolders(ctx context.Context, id, agent string) (folders []string, err error) {
	visits, err := s.visits(ctx, id, "event = 'cli:newSession' AND agent = ?", agent)
	for _, v := range visits {
		folders = append(folders, v.Folder)
	}
	return folders, err
}

// visits returns the folders that a session's entries mention, for the entries that meet a
// condition.
func (s *Store) visits(ctx context.Context, id, condition string, args ...any) (visits []store.Visit, err error) {
	err = s.view(ctx, "read folders", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			`SELECT DISTINCT data ->> 'cwd', type = 'event' FROM entries WHERE session_pk = (SELECT pk FROM sessions WHERE `+
				`id = ?)
			AND data ->> 'cwd' <> '' AND `+condition, append([]any{id}, args...)...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var v store.Visit
			if err := rows.Scan(&v.Folder, &v.Shown); err != nil {
				return err
			}
			visits = append(visits, v)
		}
		return rows.Err()
	})
	return visits, err
}

// sourceJSON returns the value of the column source.
func sourceJSON(src *session.Source) any {
	if src == nil {
		return nil
	}
	text, _ := json.Marshal(src) // its fields are strings
	return string(text)
}

// sourceOf parses the value of the column source.
func sourceOf(text sql.NullString) (*session.Source, error) {
	if !text.Valid {
		return nil, nil //nolint:nilnil // it was recorded, not imported
	}
	var src session.Source
	if err := json.Unmarshal([]byte(text.String), &src); err != nil {
		return nil, fmt.Errorf("source: %w: %w", session.ErrCorrupt, err)
	}
	return &src, nil
}
