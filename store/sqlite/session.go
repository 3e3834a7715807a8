package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// CreateSession adds a session. It sets an empty ID. A session without EndedAt is live while its
// journal is being written.
func (s *Store) CreateSession(ctx context.Context, sess *session.Session) error {
	if sess.ID == "" {
		sess.ID = store.NewID()
	}
	return s.update(ctx, "create session", func(tx *sql.Tx) error {
		_, err := insertSession(ctx, tx, sess, nil)
		return err
	})
}

func insertSession(ctx context.Context, tx *sql.Tx, sess *session.Session, hash []byte) (int64, error) {
	result, err := tx.ExecContext(ctx, `INSERT INTO sessions
		(id, command, cwd, title, started_at, ended_at, exit_code, cols, rows, agents, content_hash, sandbox, process,
			asked, git, source, continues, private)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		sess.ID, asJSON(sess.Command), sess.Cwd, sess.Title, store.Nanos(sess.StartedAt), nanosOrNull(sess.EndedAt),
		sess.ExitCode,
		sess.Cols, sess.Rows, asJSON(sess.Agents), hash, sess.Sandbox, sess.Process, askedJSON(sess.Asked), gitJSON(sess.Git),
		sourceJSON(sess.Source), sess.Continues, sess.Private)
	if err != nil {
		return 0, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return 0, errors.Join(err, fmt.Errorf("session %s: %w", sess.ID, session.ErrExists))
	}
	return result.LastInsertId()
}

// askedJSON returns the value of the column asked.
func askedJSON(a *session.Asked) string {
	if a == nil {
		return ""
	}
	text, _ := json.Marshal(a) // its fields are strings, numbers and booleans
	return string(text)
}

// SetAsked saves how a program asked for the command to run.
func (s *Store) SetAsked(ctx context.Context, id string, a *session.Asked) error {
	return s.update(ctx, "update session", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE sessions SET asked = ? WHERE id = ?", askedJSON(a), id)
		return err
	})
}

// FinishSession saves a session's end. read means that the entries cover the whole raw log,
// including the part in the journal.
func (s *Store) FinishSession(ctx context.Context, id string, endedAt time.Time, exitCode int, read bool) error {
	return s.updateDurably(ctx, "finish session", s.wait, func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			"UPDATE sessions SET ended_at = ?1, exit_code = ?2, read_end = iif(?3, max(raw_end, ?1 - started_at), read_end) "+
				"WHERE pk = ?4",
			store.Nanos(endedAt), exitCode, read, pk)
		return err
	})
}

// MarkRead records that the entries cover the raw log up to now.
func (s *Store) MarkRead(ctx context.Context, id string) error {
	return s.update(ctx, "update session", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE sessions SET read_end = raw_end WHERE id = ?", id)
		return err
	})
}

// UpdateSession saves the title, folder and agents of an existing session. If the title is the
// user's name for the session, as Sessions and Find return it, the title is not changed.
func (s *Store) UpdateSession(ctx context.Context, sess *session.Session) error {
	return s.update(ctx, "update session", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, sess.ID)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			"UPDATE sessions SET title = iif(?1 = name, title, ?1), cwd = ?, agents = ? WHERE pk = ?",
			sess.Title, sess.Cwd, asJSON(sess.Agents), pk)
		return err
	})
}

// DeleteSession removes a session and everything that belongs to it. Its text may remain in the
// database's files until Scrub is called. The error wraps session.ErrBusy if the session is being
// recorded.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	if err := s.deleteJournals(id); err != nil {
		return s.failed("delete session", err)
	}
	err := s.updateDurably(ctx, "delete session", s.wait, func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := deleteEntries(ctx, tx, pk); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM sessions WHERE pk = ?", pk)
		return err
	})
	if err != nil {
		return err
	}
	return s.removeLeft(id)
}

const infoColumns = `s.pk, s.id, s.command, s.cwd, iif(s.name = '', s.title, s.name), s.started_at, s.ended_at, ` +
	`s.exit_code, s.cols, s.rows, s.agents,
	s.prompt, s.messages, s.turns, s.raw_bytes, s.stored_bytes, s.raw_end, s.name, s.tags, s.note, s.read_end,
	s.sandbox, s.process, s.asked, s.git, s.source, s.continues, s.private, s.revision,
	(SELECT p.state ->> '$.sent' FROM pushes AS p WHERE p.session = s.id),
	(SELECT coalesce(json_group_array(c.id ORDER BY c.started_at), '[]') FROM sessions AS c WHERE c.continues = s.id ` +
	`AND c.continues <> '')`

// merge adds to infos those sessions of beside for which want returns true and that were not added
// to the database meanwhile. The result is in the order of Sessions.
func merge(infos, beside []*store.Info, want func(*store.Info) bool) []*store.Info {
	for _, b := range beside {
		if want(b) && !slices.ContainsFunc(infos, func(i *store.Info) bool { return i.ID == b.ID }) {
			infos = append(infos, b)
		}
	}
	slices.SortStableFunc(infos, func(a, b *store.Info) int { return b.StartedAt.Compare(a.StartedAt) })
	return infos
}

// Sessions returns the sessions that the filter selects, newest first. Sessions that cannot be
// added to the database now are described by their journals. Without a usable database (see
// Beside), there are only these; if there are none, the error says why. If the database is damaged,
// Sessions returns the readable sessions and an error that wraps session.ErrCorrupt.
func (s *Store) Sessions(ctx context.Context, f store.Filter) (infos []*store.Info, err error) {
	beside, _ := s.adopt(ctx)
	where, args := whereOf(f)
	limit := f.Limit
	if limit == 0 || f.Live {
		limit = -1
	}
	err = s.view(ctx, "list sessions", func(tx *sql.Tx) error {
		infos, err = s.infos(ctx, tx, "WHERE "+where+" ORDER BY s.started_at DESC, s.pk DESC LIMIT ?", append(args, limit)...)
		return err
	})
	damaged := s.cause == nil && errors.Is(err, session.ErrCorrupt)
	if damaged {
		infos = s.readable(ctx, where, args, limit)
	}
	if err != nil && !damaged && (s.cause == nil || len(beside) == 0) {
		return infos, err
	}
	if len(beside) > 0 {
		infos = merge(infos, beside, f.Matches)
	}
	if f.Live {
		infos = slices.DeleteFunc(infos, func(i *store.Info) bool { return i.Status != store.Live })
	}
	if f.Limit > 0 && len(infos) > f.Limit {
		infos = infos[:f.Limit]
	}
	if damaged {
		return infos, err
	}
	return infos, nil
}

// idLength is the length of ids, in characters.
const idLength = 36

// Find returns the session that ref names: an id, a beginning or end that no other id has, or
// "last". The session may have only a journal. The error wraps session.ErrNotFound or
// session.ErrAmbiguous.
func (s *Store) Find(ctx context.Context, ref string) (info *store.Info, err error) {
	beside, _ := s.adopt(ctx)
	part := strings.ToLower(ref)
	ids := "SELECT pk FROM sessions WHERE id >= ?1 AND id < ?1 || '~'"
	if len(part) < idLength { // reads the index of ids only
		ids += " UNION SELECT pk FROM sessions WHERE substr(id, -length(?1)) = ?1"
	}
	query, args := "WHERE s.pk IN ("+ids+") ORDER BY s.id <> ?1, s.id LIMIT 3", []any{part}
	if ref == "last" {
		part, query, args = "", "ORDER BY s.started_at DESC, s.pk DESC LIMIT 1", nil
	}
	var infos []*store.Info
	err = s.view(ctx, "find session", func(tx *sql.Tx) (err error) {
		infos, err = s.infos(ctx, tx, query, args...)
		return err
	})
	if err != nil && s.cause == nil {
		return nil, err
	}
	if len(beside) > 0 {
		infos = merge(infos, beside, func(i *store.Info) bool { return session.Matches(i.ID, part) })
	}
	same := slices.IndexFunc(infos, func(i *store.Info) bool { return i.ID == part })
	switch {
	case err != nil && len(infos) == 0:
		return nil, err
	case ref == "" || len(infos) == 0:
		return nil, s.failed("find session", fmt.Errorf("session %q: %w", ref, session.ErrNotFound))
	case same >= 0:
		return infos[same], nil
	case len(infos) > 1 && ref != "last":
		return nil, s.failed("find session", fmt.Errorf("session %q could be %s or %s: %w", ref, infos[0].ID, infos[1].ID,
			session.ErrAmbiguous))
	}
	return infos[0], nil
}

func (s *Store) infos(ctx context.Context, tx *sql.Tx, rest string, args ...any) (infos []*store.Info, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+infoColumns+" FROM sessions AS s "+rest, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		info := &store.Info{}
		if err := scanInfo(rows, info); err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	s.setStatus(infos)
	return infos, rows.Err()
}

// scanInfo scans infoColumns, and any further columns into more.
func scanInfo(rows *sql.Rows, info *store.Info, more ...any) error {
	var command, agents, tags, asked, continuedBy string
	var git, source, sent sql.NullString
	var started int64
	var ended sql.NullInt64
	err := rows.Scan(append([]any{&info.Key, &info.ID, &command, &info.Cwd, &info.Title, &started, &ended, &info.ExitCode,
		&info.Cols, &info.Rows, &agents, &info.Prompt, &info.Messages, &info.Turns, &info.RawBytes, &info.StoredBytes,
		&info.Duration, &info.Name, &tags, &info.Note, &info.ReadEnd, &info.Sandbox, &info.Process, &asked, &git, &source,
		&info.Continues, &info.Private, &info.Revision, &sent, &continuedBy}, more...)...)
	if err != nil {
		return err
	}
	info.StartedAt, info.EndedAt = timeOf(started), timeOrNil(ended)
	if sent.Valid {
		if info.Sent, err = time.Parse(time.RFC3339Nano, sent.String); err != nil {
			return fmt.Errorf("session %s: push: %w: %w", info.ID, session.ErrCorrupt, err)
		}
	}
	if err := json.Unmarshal([]byte(command), &info.Command); err != nil {
		return fmt.Errorf("session %s: command: %w: %w", info.ID, session.ErrCorrupt, err)
	}
	if err := json.Unmarshal([]byte(agents), &info.Agents); err != nil {
		return fmt.Errorf("session %s: agents: %w: %w", info.ID, session.ErrCorrupt, err)
	}
	if err := json.Unmarshal([]byte(tags), &info.Tags); err != nil {
		return fmt.Errorf("session %s: tags: %w: %w", info.ID, session.ErrCorrupt, err)
	}
	if asked != "" {
		if err := json.Unmarshal([]byte(asked), &info.Asked); err != nil {
			return fmt.Errorf("session %s: asked: %w: %w", info.ID, session.ErrCorrupt, err)
		}
	}
	if continuedBy != "[]" {
		if err := json.Unmarshal([]byte(continuedBy), &info.ContinuedBy); err != nil {
			return fmt.Errorf("session %s: continued by: %w: %w", info.ID, session.ErrCorrupt, err)
		}
	}
	if info.Source, err = sourceOf(source); err != nil {
		return fmt.Errorf("session %s: %w", info.ID, err)
	}
	if git.Valid {
		if err := json.Unmarshal([]byte(git.String), &info.Git); err != nil {
			return fmt.Errorf("session %s: git: %w: %w", info.ID, session.ErrCorrupt, err)
		}
	}
	return nil
}

// setStatus sets the status of sessions from their journals.
func (s *Store) setStatus(infos []*store.Info) {
	written := s.addJournals(infos)
	var open []int64
	for _, info := range infos {
		info.Unread = info.ReadEnd < info.Duration
		if info.EndedAt == nil && !written[info] {
			open = append(open, info.Key)
		}
	}
	held := s.heldByOld(open)
	for _, info := range infos {
		switch {
		case written[info] || held[info.Key]:
			info.Status = store.Live
		case info.EndedAt != nil:
			info.Status = store.Ended
		default:
			info.Status = store.Interrupted
		}
	}
}
