package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/session"
)

// Session states.
const (
	Live        = "live"        // somebody records it
	Ended       = "ended"       // its end was seen
	Interrupted = "interrupted" // its recorder is gone and left no end
)

// Info is a session as the store knows it.
type Info struct {
	session.Session

	Status      string        // Live, Ended or Interrupted
	Prompt      string        // the start of the first prompt; may be empty
	Messages    int           // entries that are messages
	Turns       int           // messages of the user
	RawBytes    int64         // output bytes in the raw log
	StoredBytes int64         // bytes that the raw log takes
	Duration    time.Duration // time of the last event of the raw log
	Name        string        // the user's; then Title is the same
	Tags        []string      // the user's, sorted
	Note        string        // the user's
	Owner       string        // in a team's database: whose it is
	Space       string        // likewise: whose members read it; empty: only the owner
	ForkedFrom  string        // likewise: the id that another machine's session has, of which this one is a copy that went on
	ContinuedBy []string      // ids of the sessions that continue its conversation, the oldest first
	Beside      bool          // it is not in the database, which takes nothing now: its journal is all there is
	Sent        time.Time     // when the server of a team had all of it as it was then; zero: it has not got all of it
	Revision    int64         // grows when entries or the raw log are replaced
	Hidden      bool          // this user may not read a journal of it: it may be live, and there may be more of it
	Unread      bool          // the entries may not be all that the raw log holds: MarkRead was not called for its end

	key      int64
	recorded bool          // its journal is being written
	readEnd  time.Duration // the time up to which the raw log has been extracted
}

// Recorded reports whether there is a recording: a session from an agent's own log has none, nor
// has one of a team whose raw log was not sent.
func (i *Info) Recorded() bool { return i.Session.Recorded() && (i.Owner == "" || i.StoredBytes > 0) }

// NewID returns an id for a new session: a UUIDv7, so that ids sort by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// CreateSession adds a session. It sets an empty ID. A session without EndedAt is live while its
// journal is being written.
func (s *Store) CreateSession(ctx context.Context, sess *session.Session) error {
	if sess.ID == "" {
		sess.ID = NewID()
	}
	return s.update(ctx, "create session", func(tx *sql.Tx) error {
		_, err := insertSession(ctx, tx, sess, nil)
		return err
	})
}

func insertSession(ctx context.Context, tx *sql.Tx, sess *session.Session, hash []byte) (int64, error) {
	result, err := tx.ExecContext(ctx, `INSERT INTO sessions
		(id, command, cwd, title, started_at, ended_at, exit_code, cols, rows, agents, content_hash, sandbox, process, asked, git, source, continues, private)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		sess.ID, asJSON(sess.Command), sess.Cwd, sess.Title, nanos(sess.StartedAt), nanosOrNull(sess.EndedAt), sess.ExitCode,
		sess.Cols, sess.Rows, asJSON(sess.Agents), hash, sess.Sandbox, sess.Process, askedJSON(sess.Asked), gitJSON(sess.Git), sourceJSON(sess.Source), sess.Continues, sess.Private)
	if err != nil {
		return 0, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return 0, errors.Join(err, fmt.Errorf("session %s: %w", sess.ID, session.ErrExists))
	}
	return result.LastInsertId()
}

// askedJSON returns what the column asked holds.
func askedJSON(a *session.Asked) string {
	if a == nil {
		return ""
	}
	text, _ := json.Marshal(a) // its fields are strings, numbers and booleans
	return string(text)
}

// SetAsked writes how a program asked for the command.
func (s *Store) SetAsked(ctx context.Context, id string, a *session.Asked) error {
	return s.update(ctx, "update session", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE sessions SET asked = ? WHERE id = ?", askedJSON(a), id)
		return err
	})
}

// FinishSession writes a session's end. read means that the entries cover the whole raw log,
// including what is still in its journal.
func (s *Store) FinishSession(ctx context.Context, id string, endedAt time.Time, exitCode int, read bool) error {
	return s.updateDurably(ctx, "finish session", s.wait, func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET ended_at = ?1, exit_code = ?2, read_end = iif(?3, max(raw_end, ?1 - started_at), read_end) WHERE pk = ?4",
			nanos(endedAt), exitCode, read, pk)
		return err
	})
}

// MarkRead notes that the entries are all that the raw log holds until now.
func (s *Store) MarkRead(ctx context.Context, id string) error {
	return s.update(ctx, "update session", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE sessions SET read_end = raw_end WHERE id = ?", id)
		return err
	})
}

// UpdateSession writes the title, folder and agents of a session that is there. The user's name for
// it, which Sessions and Find give as its title, is not taken for one.
func (s *Store) UpdateSession(ctx context.Context, sess *session.Session) error {
	return s.update(ctx, "update session", func(tx *sql.Tx) error {
		pk, err := sessionKey(ctx, tx, sess.ID)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET title = iif(?1 = name, title, ?1), cwd = ?, agents = ? WHERE pk = ?",
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

// Filter chooses sessions; its zero value chooses all.
type Filter struct {
	Agent     string    // name of an agent that was seen
	Command   string    // part of the command line
	Cwd       string    // this folder or one in it
	Tag       string    // a tag of the user's
	Owner     string    // whose it is, in a team's database; others have no such session
	Space     string    // likewise: whose members read it
	Branch    string    // started or ended on this branch
	Commit    string    // started or ended at this commit, or made it: the beginning of its id, in lower case
	Sandbox   string    // commands that programs asked for under this name
	Outside   bool      // only those that no program asked for
	Processes bool      // only commands that programs asked for
	Since     time.Time // started then or later
	Until     time.Time // started before
	Live      bool      // only those being recorded
	Unread    bool      // only those whose raw log was not read out to its end
	ID        string    // only this session
	After     Position  // only sessions that Sessions lists after it
	Limit     int       // 0: no limit
}

// Position is the place of a session in the order of Sessions. It is unique and does not change.
// The zero value comes before the first session.
type Position struct {
	startedAt int64  // nanoseconds since 1970
	key       int64  // 0: the id counts instead
	id        string // of a session without a key
}

// Position returns the session's place in the order of Sessions.
func (i *Info) Position() Position {
	p := Position{startedAt: nanos(i.StartedAt), key: i.key}
	if p.key == 0 {
		p.id = i.ID
	}
	return p
}

// Behind returns what comes before the sessions after p: the time of a start, in nanoseconds since
// 1970, and the id of a session that started then. It is for other databases than SQLite's.
func (p Position) Behind() (startedAt int64, id string) { return p.startedAt, p.id }

// MarshalText implements encoding.TextMarshaler.
func (p Position) MarshalText() ([]byte, error) {
	if p.id != "" {
		return fmt.Appendf(nil, "%d.%s", p.startedAt, p.id), nil
	}
	return fmt.Appendf(nil, "%d.%d", p.startedAt, p.key), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Position) UnmarshalText(text []byte) error {
	started, key, _ := strings.Cut(string(text), ".")
	var err, keyErr error
	p.startedAt, err = strconv.ParseInt(started, 10, 64)
	if uuid.Validate(key) == nil {
		p.id = key
	} else {
		p.key, keyErr = strconv.ParseInt(key, 10, 64)
	}
	return errors.Join(err, keyErr)
}

// allSessions is the condition of a filter that takes all sessions.
const allSessions = "true"

// where returns the filter as an SQL condition on the table s.
func (f Filter) where() (string, []any) {
	cond, args := []string{allSessions}, []any(nil)
	add := func(c string, a ...any) { cond, args = append(cond, c), append(args, a...) }
	if f.Agent != "" {
		add("EXISTS (SELECT 1 FROM json_each(s.agents) WHERE value ->> 'name' = ?)", f.Agent)
	}
	if f.Command != "" {
		add("EXISTS (SELECT 1 FROM json_each(s.command) WHERE instr(value, ?) > 0)", f.Command)
	}
	if f.Cwd != "" {
		dir := strings.TrimRight(f.Cwd, "/")
		add("(s.cwd = ? OR substr(s.cwd, 1, ?) = ?)", f.Cwd, len([]rune(dir))+1, dir+"/")
	}
	if f.Tag != "" {
		add("EXISTS (SELECT 1 FROM json_each(s.tags) WHERE value = ?)", f.Tag)
	}
	if f.Owner != "" || f.Space != "" {
		add("false")
	}
	if f.Branch != "" {
		add("? IN (s.git ->> '$.start.branch', s.git ->> '$.end.branch')", f.Branch)
	}
	if f.Commit != "" {
		add("EXISTS (SELECT 1 FROM json_tree(s.git) WHERE (key = 'commit' OR path = '$.commits') AND substr(atom, 1, ?) = ?)", len(f.Commit), f.Commit)
	}
	if f.Sandbox != "" {
		add("s.sandbox = ?", f.Sandbox)
	}
	if f.Outside {
		add("s.sandbox = ''")
	}
	if f.Processes {
		add("s.sandbox <> ''")
	}
	if !f.Since.IsZero() {
		add("s.started_at >= ?", nanos(f.Since))
	}
	if !f.Until.IsZero() {
		add("s.started_at < ?", nanos(f.Until))
	}
	if f.Live {
		add("s.ended_at IS NULL")
	}
	if f.Unread {
		add("s.read_end < s.raw_end")
	}
	if f.ID != "" {
		add("s.id = ?", f.ID)
	}
	if f.After != (Position{}) {
		add("(s.started_at, s.pk) < (?, ?)", f.After.startedAt, f.After.key)
	}
	return strings.Join(cond, " AND "), args
}

const infoColumns = `s.pk, s.id, s.command, s.cwd, iif(s.name = '', s.title, s.name), s.started_at, s.ended_at, s.exit_code, s.cols, s.rows, s.agents,
	s.prompt, s.messages, s.turns, s.raw_bytes, s.stored_bytes, s.raw_end, s.name, s.tags, s.note, s.read_end,
	s.sandbox, s.process, s.asked, s.git, s.source, s.continues, s.private, s.revision,
	(SELECT p.state ->> '$.sent' FROM pushes AS p WHERE p.session = s.id),
	(SELECT coalesce(json_group_array(c.id ORDER BY c.started_at), '[]') FROM sessions AS c WHERE c.continues = s.id AND c.continues <> '')`

// matches reports whether the filter chooses a session that is not in the database.
func (f Filter) matches(i *Info) bool {
	named := func(a session.Agent) bool { return a.Name == f.Agent }
	holds := func(arg string) bool { return strings.Contains(arg, f.Command) }
	return (f.Agent == "" || slices.ContainsFunc(i.Agents, named)) &&
		(f.Command == "" || slices.ContainsFunc(i.Command, holds)) &&
		(f.Cwd == "" || i.Cwd == f.Cwd || strings.HasPrefix(i.Cwd, strings.TrimRight(f.Cwd, "/")+"/")) &&
		f.Tag == "" && f.Owner == "" && f.Space == "" && f.Branch == "" && f.Commit == "" &&
		(f.Sandbox == "" || i.Sandbox == f.Sandbox) &&
		(!f.Processes || i.Sandbox != "") &&
		(!f.Outside || i.Sandbox == "") &&
		(f.Since.IsZero() || !i.StartedAt.Before(f.Since)) &&
		(f.Until.IsZero() || i.StartedAt.Before(f.Until)) &&
		(!f.Live || i.EndedAt == nil) &&
		(!f.Unread || i.Unread) &&
		(f.ID == "" || i.ID == f.ID) &&
		(f.After == Position{} || nanos(i.StartedAt) < f.After.startedAt)
}

// merge adds those of beside to infos that want chooses and that were not added to the database
// meanwhile. The result is in the order of Sessions.
func merge(infos, beside []*Info, want func(*Info) bool) []*Info {
	for _, b := range beside {
		if want(b) && !slices.ContainsFunc(infos, func(i *Info) bool { return i.ID == b.ID }) {
			infos = append(infos, b)
		}
	}
	slices.SortStableFunc(infos, func(a, b *Info) int { return b.StartedAt.Compare(a.StartedAt) })
	return infos
}

// Sessions returns the sessions that the filter chooses, the newest first. Those that the database
// does not take now are described by their journals. Without a usable database (see Beside) there
// are no others, and without them the error says why. If the database is damaged, Sessions returns
// those that can be read, and an error that wraps session.ErrCorrupt.
func (s *Store) Sessions(ctx context.Context, f Filter) (infos []*Info, err error) {
	beside, _ := s.adopt(ctx)
	where, args := f.where()
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
		infos = merge(infos, beside, f.matches)
	}
	if f.Live {
		infos = slices.DeleteFunc(infos, func(i *Info) bool { return i.Status != Live })
	}
	if f.Limit > 0 && len(infos) > f.Limit {
		infos = infos[:f.Limit]
	}
	if damaged {
		return infos, err
	}
	return infos, nil
}

// Find returns the session that ref names: an id, the start of one that no other session shares, or
// "last". It may be one that only its journal describes. The error wraps session.ErrNotFound or
// session.ErrAmbiguous.
func (s *Store) Find(ctx context.Context, ref string) (info *Info, err error) {
	beside, _ := s.adopt(ctx)
	prefix := strings.ToLower(ref)
	query, args := "WHERE s.id >= ?1 AND s.id < ?1 || '~' ORDER BY s.id LIMIT 3", []any{prefix}
	if ref == "last" {
		prefix, query, args = "", "ORDER BY s.started_at DESC, s.pk DESC LIMIT 1", nil
	}
	var infos []*Info
	err = s.view(ctx, "find session", func(tx *sql.Tx) (err error) {
		infos, err = s.infos(ctx, tx, query, args...)
		return err
	})
	if err != nil && s.cause == nil {
		return nil, err
	}
	if len(beside) > 0 {
		infos = merge(infos, beside, func(i *Info) bool { return strings.HasPrefix(i.ID, prefix) })
	}
	same := slices.IndexFunc(infos, func(i *Info) bool { return i.ID == prefix })
	switch {
	case err != nil && len(infos) == 0:
		return nil, err
	case ref == "" || len(infos) == 0:
		return nil, s.failed("find session", fmt.Errorf("session %q: %w", ref, session.ErrNotFound))
	case same >= 0:
		return infos[same], nil
	case len(infos) > 1 && ref != "last":
		return nil, s.failed("find session", fmt.Errorf("session %q could be %s or %s: %w", ref, infos[0].ID, infos[1].ID, session.ErrAmbiguous))
	}
	return infos[0], nil
}

func (s *Store) infos(ctx context.Context, tx *sql.Tx, rest string, args ...any) (infos []*Info, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+infoColumns+" FROM sessions AS s "+rest, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		info := &Info{}
		if err := scanInfo(rows, info); err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	s.setStatus(infos)
	return infos, rows.Err()
}

// scanInfo reads infoColumns, and what follows them into more.
func scanInfo(rows *sql.Rows, info *Info, more ...any) error {
	var command, agents, tags, asked, continuedBy string
	var git, source, sent sql.NullString
	var started int64
	var ended sql.NullInt64
	err := rows.Scan(append([]any{&info.key, &info.ID, &command, &info.Cwd, &info.Title, &started, &ended, &info.ExitCode,
		&info.Cols, &info.Rows, &agents, &info.Prompt, &info.Messages, &info.Turns, &info.RawBytes, &info.StoredBytes,
		&info.Duration, &info.Name, &tags, &info.Note, &info.readEnd, &info.Sandbox, &info.Process, &asked, &git, &source, &info.Continues, &info.Private, &info.Revision, &sent, &continuedBy}, more...)...)
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
func (s *Store) setStatus(infos []*Info) {
	s.addJournals(infos)
	var open []int64
	for _, info := range infos {
		info.Unread = info.readEnd < info.Duration
		if info.EndedAt == nil && !info.recorded {
			open = append(open, info.key)
		}
	}
	held := s.heldByOld(open)
	for _, info := range infos {
		switch {
		case info.recorded || held[info.key]:
			info.Status = Live
		case info.EndedAt != nil:
			info.Status = Ended
		default:
			info.Status = Interrupted
		}
	}
}
