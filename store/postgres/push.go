package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
)

// Push describes a session that its machine sends.
type Push struct {
	Session session.Session
	Name    string // set by the user; shown instead of the title
	Note    string
	Tags    []string
	Space   string // empty: only the owner can read it; a push token's space overrides it
	Machine string // name of the sending machine
	Version int64  // of this description; an older one is ignored
	Usage   []session.Usage
	Live    bool     // live: only its conversation is sent; the rest follows when it has ended
	Content *Content // what the machine has of the session; nil if not stated
}

// State is how much of a session the database has.
type State struct {
	ID             string // the session's id here
	Events         int64  // number of raw events
	SHA256         []byte // of the last segment; empty if there is none
	EntriesVersion int64
	Deleted        bool // it was withdrawn or deleted, and is not accepted again
	Equal          bool // another machine of the owner has sent the same, so nothing needs to be sent
}

// Content is everything that a machine has of a session, as digests of what it would send.
type Content struct {
	Events   int64 // number of raw events
	Entries  int64
	Digest   [sha256.Size]byte // result of DigestOf for the entries
	Segments [sha256.Size]byte // result of DigestOf for the segments, in order
}

// ErrConflict reports that the data does not continue what the database has.
var ErrConflict = errors.New("it does not continue what the server has")

// DerivedID returns the id for a session whose id is already taken: a UUIDv8 derived from the id
// and the machine.
func DerivedID(id, machine string) string {
	sum := sha256.Sum256([]byte("ptyrec fork\x00" + id + "\x00" + machine))
	u := uuid.UUID(sum[:16])
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return u.String()
}

// pushed is the row of a session that is being sent.
type pushed struct {
	key
	State
	next    int64 // generation of the raw log that is being sent
	by      int64 // token that sent it first
	machine string
}

const pushedRow = `SELECT id, received::text, generation, next_generation, owner, space, machine, pushed_by, ` +
	`events, raw_sha256, entries_version, deleted_at
	FROM sessions WHERE id = $1`

// find reads the row of a session, or returns nil if there is none.
func find(ctx context.Context, tx pgx.Tx, id string) (*pushed, error) {
	return scanPushed(tx.QueryRow(ctx, pushedRow, id))
}

// lock is like find, and locks the row.
func lock(ctx context.Context, tx pgx.Tx, id string) (*pushed, error) {
	return scanPushed(tx.QueryRow(ctx, pushedRow+" FOR UPDATE", id))
}

func scanPushed(row pgx.Row) (*pushed, error) {
	p := &pushed{}
	var deleted *int64
	err := row.Scan(&p.key.id, &p.received, &p.generation, &p.next, &p.owner, &p.space, &p.machine, &p.by, &p.Events,
		&p.SHA256, &p.EntriesVersion, &deleted)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	p.ID, p.Deleted = p.key.id, deleted != nil
	return p, err
}

// own locks the row of a session that the viewer sends. Other users' sessions count as not found.
func own(ctx context.Context, tx pgx.Tx, id string) (*pushed, error) {
	return ownBy(ctx, tx, id, lock)
}

// ownBy is own, with find or lock as read.
func ownBy(ctx context.Context, tx pgx.Tx, id string,
	read func(context.Context, pgx.Tx, string) (*pushed, error)) (*pushed, error) {
	owner, err := sender(ctx)
	if err != nil {
		return nil, err
	}
	id, altered := clean(id)
	if altered {
		return nil, fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	}
	p, err := read(ctx, tx, id)
	if err == nil && (p == nil || p.owner != owner || p.Deleted) {
		err = fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	}
	return p, err
}

// Begin creates a session or updates its description, and returns how much of it the database has.
// If the id belongs to another owner, or to another machine that sent something else, the session
// gets the DerivedID.
func (s *Store) Begin(ctx context.Context, p Push) (state State, err error) {
	owner, err := sender(ctx)
	if err != nil {
		return state, err
	}
	today, err := s.ensureMonth(ctx)
	if err != nil {
		return state, err
	}
	err = s.inTx(ctx, "begin session", func(tx pgx.Tx) error {
		space, err := sendSpace(ctx, tx, p.Space)
		if err != nil {
			return err
		}
		id, forked := p.Session.ID, ""
		for {
			found, err := insert(ctx, tx, p, key{id: id, received: today, owner: owner, space: space}, forked)
			if err != nil {
				return err
			}
			state = found.State
			if found.owner == owner && found.machine == p.Machine {
				return nil
			}
			if found.owner == owner && found.space == space {
				if state.Equal, err = holds(ctx, tx, found, p.Content); err != nil || state.Equal {
					return err
				}
			}
			if forked != "" {
				return fmt.Errorf("session %s: %w", id, session.ErrExists)
			}
			id, forked = DerivedID(id, fmt.Sprint(owner, p.Machine)), id
		}
	})
	return state, err
}

// holds reports whether the database has exactly the content c of a session.
func holds(ctx context.Context, tx pgx.Tx, p *pushed, c *Content) (bool, error) {
	if c == nil || p.Deleted {
		return false, nil
	}
	n, digest, err := entriesDigest(ctx, tx, p)
	if err != nil || p.Events != c.Events || n != c.Entries || !bytes.Equal(digest, c.Digest[:]) {
		return false, err
	}
	err = tx.QueryRow(ctx, "SELECT sha256(coalesce(string_agg(coalesce(sha256, sha256(data)), ''::bytea ORDER BY "+
		"end_event), '')) FROM segments WHERE received = $1::date AND session = $2 AND generation = $3",
		p.received, p.ID, p.next).Scan(&digest)
	return err == nil && bytes.Equal(digest, c.Segments[:]), err
}

// entriesDigest returns the number of a session's entries and their DigestOf.
func entriesDigest(ctx context.Context, tx pgx.Tx, p *pushed) (n int64, digest []byte, err error) {
	err = tx.QueryRow(ctx, "SELECT count(*), sha256(coalesce(string_agg(digest, ''::bytea ORDER BY id), '')) FROM "+
		"entries WHERE received = $1::date AND session = $2",
		p.received, p.ID).Scan(&n, &digest)
	return n, digest, err
}

// sendSpace returns the id of the space into which the viewer sends.
func sendSpace(ctx context.Context, tx pgx.Tx, name string) (id int64, err error) {
	v := ViewerOf(ctx)
	if v.Kind == KindPush {
		return v.Space, mayPushInto(ctx, tx, v.User, v.Space)
	}
	id, err = spaceID(ctx, tx, name)
	if errors.Is(err, ErrUnknown) {
		return 0, session.ErrForbidden // the same as for a space that exists
	}
	if err == nil {
		err = mayPushInto(ctx, tx, v.User, id)
	}
	return id, err
}

// insert adds a session, or updates the existing one with its id, and returns its row.
func insert(ctx context.Context, tx pgx.Tx, p Push, k key, forked string) (*pushed, error) {
	_, err := tx.Exec(ctx, `INSERT INTO sessions (id, owner, space, machine, forked_from, received, description, cwd, `+
		`title, started_at, version, pushed_by)
		VALUES ($1, $2, $3, $4, $5, $6::date, '{}', '', '', 0, -1, $7) ON CONFLICT DO NOTHING`, k.id, k.owner, k.space,
		p.Machine, forked, k.received, ViewerOf(ctx).Token)
	if err != nil {
		return nil, err
	}
	found, err := lock(ctx, tx, k.id)
	if err != nil || found == nil || found.owner != k.owner || found.machine != p.Machine || found.Deleted {
		return found, err
	}
	return found, update(ctx, tx, p, found, k.space)
}

// update updates the description of a session.
func update(ctx context.Context, tx pgx.Tx, p Push, found *pushed, space int64) error {
	p.Session.ID = found.ID
	p.Session.Command, p.Session.Agents = append([]string{}, p.Session.Command...), append([]session.Agent{},
		p.Session.Agents...)
	description, altered, err := cleanJSON(p.Session)
	if err != nil {
		return err
	}
	tags := append([]string{}, p.Tags...)
	usage, _, err := cleanJSON(append([]session.Usage{}, p.Usage...))
	if err != nil {
		return err
	}
	texts := []*string{&p.Name, &p.Note, &p.Session.Cwd, &p.Session.Title}
	for i := range tags {
		texts = append(texts, &tags[i])
	}
	for _, text := range texts {
		var changed bool
		*text, changed = clean(*text)
		altered = altered || changed
	}
	tag, err := tx.Exec(ctx,
		`UPDATE sessions SET description = $1, altered = $2, cwd = $3, title = $4, name = $5, note = $6, tags = $7, `+
			`started_at = $8,
		ended_at = $9, space = $10, version = $11, usage = $13, live_at = CASE WHEN $14 THEN $15 ELSE live_at END WHERE `+
			`id = $12 AND version < $11`, description, altered, p.Session.Cwd, p.Session.Title,
		p.Name, p.Note, tags, nanos(p.Session.StartedAt), nanosOrNil(p.Session.EndedAt), space, p.Version, found.ID, usage,
		p.Live, time.Now().UnixNano())
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE words SET space = $1 WHERE received = $2::date AND session = $3 AND space <> $1",
		space, found.received, found.ID)
	return err
}

// Whole describes the complete session that a sender has.
type Whole struct {
	EndedAt  *time.Time // nil if unknown
	ExitCode *int       // of the command; nil leaves the one passed to Begin
	Events   int64      // number of raw events
	Entries  int64
	Digest   [sha256.Size]byte // result of DigestOf for the entries
}

// DigestOf returns a digest of a session's entries, or of its segments. sums are their digests;
// those of entries are in the order of their ids.
func DigestOf(sums [][sha256.Size]byte) [sha256.Size]byte {
	h := sha256.New()
	for _, sum := range sums {
		_, _ = h.Write(sum[:]) // never fails
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// End records that the database has all of a session, and shows readers a raw log that replaces an
// older one. If something is missing, the error wraps ErrConflict.
func (s *Store) End(ctx context.Context, id string, whole Whole) error {
	return s.inTx(ctx, "end session", func(tx pgx.Tx) error {
		p, err := own(ctx, tx, id)
		if err != nil {
			return err
		}
		n, digest, err := entriesDigest(ctx, tx, p)
		if err != nil {
			return err
		}
		if p.Events != whole.Events || n != whole.Entries || !bytes.Equal(digest, whole.Digest[:]) {
			return ErrConflict
		}
		if p.next != p.generation {
			if err := s.showNext(ctx, tx, p); err != nil {
				return err
			}
		}
		return setEnd(ctx, tx, p.ID, whole)
	})
}

// setEnd records when and how the command of a session ended.
func setEnd(ctx context.Context, tx pgx.Tx, id string, whole Whole) error {
	var description []byte
	if err := tx.QueryRow(ctx, "SELECT description FROM sessions WHERE id = $1", id).Scan(&description); err != nil {
		return err
	}
	var s session.Session
	if err := json.Unmarshal(description, &s); err != nil {
		return fmt.Errorf("%w: %w", session.ErrCorrupt, err)
	}
	s.EndedAt, s.ExitCode = whole.EndedAt, cmp.Or(whole.ExitCode, s.ExitCode)
	text, _, err := cleanJSON(s)
	if err == nil {
		_, err = tx.Exec(ctx, "UPDATE sessions SET ended_at = $1, description = $2, live_at = 0 WHERE id = $3",
			nanosOrNil(whole.EndedAt), text, id)
	}
	return err
}

// Withdraw deletes a session except for its id, which is not accepted again. A push token can
// withdraw only what it sent itself. Withdrawing a session twice is not an error.
func (s *Store) Withdraw(ctx context.Context, id string) error {
	return s.inTx(ctx, "withdraw session", func(tx pgx.Tx) error {
		owner, err := sender(ctx)
		if err != nil {
			return err
		}
		if id, altered := clean(id); altered {
			return fmt.Errorf("session %q: %w", id, session.ErrNotFound)
		}
		p, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		v := ViewerOf(ctx)
		if p == nil || p.owner != owner || v.Kind == KindPush && p.by != v.Token {
			return fmt.Errorf("session %q: %w", id, session.ErrNotFound)
		}
		if p.Deleted {
			return nil
		}
		if err := s.remove(ctx, tx, p.key); err != nil {
			return err
		}
		return note(ctx, tx, didDelete, p.ID, "")
	})
}
