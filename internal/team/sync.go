// Package team sends this machine's sessions to the server of a team. The local database is the
// source of truth; the server has a copy that can be created again.
package team

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Syncer sends sessions.
type Syncer struct {
	Store   *sqlite.Store
	Library *library.Library // must have redaction enabled
	Server  *Server
	Rules   Rules
	Home    string // replaced by ~

	policy  policy               // of the server
	running map[string]*sentLive // what was sent of live sessions, by id
}

// ErrRedactionOff reports that nothing is sent while redaction is off.
var ErrRedactionOff = errors.New("nothing is sent while redaction is off")

// ErrOutside reports that the rules exclude a session.
var ErrOutside = errors.New("it is outside the folders and agents that are sent")

// ErrPrivate reports that the user has excluded a session, or one that it continues, when it was
// recorded.
var ErrPrivate = errors.New("it is private: recorded with --private, or it continues a session that is never sent")

// ErrNever reports that a session is excluded.
var ErrNever = errors.New("excluded from sync: withdrawn, or deleted on the server")

// Waiting returns the sessions that are not sent in their current state, oldest first.
func (s *Syncer) Waiting(ctx context.Context) (infos []*store.Info, pushes map[string]store.Push, err error) {
	all, err := s.Store.Sessions(ctx, store.Filter{})
	if err != nil {
		return nil, nil, err
	}
	if pushes, err = s.Store.Pushes(ctx); err != nil {
		return nil, nil, err
	}
	for _, info := range slices.Backward(all) {
		p := pushes[info.ID]
		if info.Status == store.Live || p.Never || p.Deleted || p.Server == s.Server.URL() && p.Seen == s.Look(info) ||
			!s.Rules.Sends(info) {
			continue
		}
		private, err := s.private(ctx, info, pushes)
		if err != nil {
			return nil, nil, err
		}
		visits, err := s.Store.Visits(ctx, info.ID)
		if err != nil {
			return nil, nil, err
		}
		if !private && s.Rules.stray(visits, s.Home) == "" {
			infos = append(infos, info)
		}
	}
	return infos, pushes, nil
}

// private reports whether a session is private or excluded, or continues and thus repeats one that
// is.
func (s *Syncer) private(ctx context.Context, info *store.Info, pushes map[string]store.Push) (bool, error) {
	seen := map[string]bool{}
	for !info.Private && info.Continues != "" && !seen[info.ID] {
		if pushes[info.Continues].Never {
			return true, nil
		}
		seen[info.ID] = true
		before, err := s.Store.Find(ctx, info.Continues)
		if errors.Is(err, session.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		info = before
	}
	return info.Private, nil
}

// Runs reports whether a live session may be sent when it has ended.
func (s *Syncer) Runs(ctx context.Context) (bool, error) {
	live, err := s.Store.Sessions(ctx, store.Filter{Live: true})
	rules := s.Rules
	rules.Agents = nil // an agent may still appear
	return slices.ContainsFunc(live, func(i *store.Info) bool { return !i.Private && rules.Sends(i) }), err
}

// Look returns the state of a session without reading all of it. If it has changed, there may be
// something to send.
func (s *Syncer) Look(info *store.Info) string {
	// plain values
	text, _ := json.Marshal([]any{info.Session, info.Name, info.Note, info.Tags, info.Messages, info.Turns, info.RawBytes,
		info.Revision, info.Unread, info.Duration, s.Rules.spaceOf(info), s.Rules.Raw})
	return sumOf(text)
}

// Send sends a session, or what is new in it.
func (s *Syncer) Send(ctx context.Context, info *store.Info) error {
	switch {
	case s.Library.Redact.Redactor == nil:
		return ErrRedactionOff
	case !s.Rules.Sends(info):
		return ErrOutside
	case info.Status == store.Live && s.Rules.Live:
		return s.SendLive(ctx, info)
	case info.Status == store.Live:
		return ErrRuns
	}
	p, err := s.push(ctx, info)
	if err != nil {
		return err
	}
	if p.Waits.IsZero() {
		p.Waits = time.Now()
	}
	look := s.Look(info)
	l, err := s.masked(ctx)
	var c *content
	if err == nil {
		c, err = read(ctx, l, info, s.Home, s.rawFolder())
	}
	if err == nil {
		defer c.raw.close()
		if been := s.Rules.stray(c.visits, s.Home); been != "" {
			return fmt.Errorf("%w: it was in %s", ErrOutside, been)
		}
		c.usage, err = s.usage(ctx, info.ID)
	}
	if err == nil {
		err = s.send(ctx, c, &p)
	}
	if err != nil {
		p.Failed = err.Error()
		return errors.Join(err, s.Store.SavePush(context.WithoutCancel(ctx), info.ID, p))
	}
	p.Seen, p.Sent, p.Waits, p.Failed = look, time.Now(), time.Time{}, ""
	if now, err := s.Store.Find(ctx, info.ID); err == nil { // it may have been extracted meanwhile
		p.Seen = s.Look(now)
	}
	return s.Store.SavePush(ctx, info.ID, p)
}

// rawFolder returns the folder for the file of a raw log to send, next to the database. It is empty
// if raw logs are not sent.
func (s *Syncer) rawFolder() string {
	if !s.Rules.Raw {
		return ""
	}
	return filepath.Dir(s.Store.Path())
}

// push returns the state of sending a session. The error tells why it may not be sent.
func (s *Syncer) push(ctx context.Context, info *store.Info) (p store.Push, err error) {
	pushes, err := s.Store.Pushes(ctx)
	if err != nil {
		return p, err
	}
	p = pushes[info.ID]
	private, err := s.private(ctx, info, pushes)
	switch {
	case err != nil:
		return p, err
	case private:
		return p, ErrPrivate
	case p.Never || p.Deleted:
		return p, ErrNever
	}
	if p.Server != s.Server.URL() {
		p = store.Push{Server: s.Server.URL(), Machine: rand.Text()}
	}
	return p, nil
}

// usage returns the usage of a session.
func (s *Syncer) usage(ctx context.Context, id string) ([]session.Usage, error) {
	used, err := s.Store.UsageOf(ctx, []string{id})
	out := make([]session.Usage, len(used))
	for i, u := range used {
		out[i] = u.Usage
	}
	return out, err
}

// attempts is the maximum number of attempts for a session if the server's state differs from the
// expected one, because it was restored from a backup, or a clone of this machine sends the session
// at the same time.
const attempts = 5

// send sends what the server lacks.
func (s *Syncer) send(ctx context.Context, c *content, p *store.Push) (err error) {
	for range attempts {
		if err = s.sendOnce(ctx, c, p); !isConflict(err) {
			return err
		}
		p.Digest = "" // send all entries
	}
	return err
}

// sendOnce sends what the server lacked at the start.
func (s *Syncer) sendOnce(ctx context.Context, c *content, p *store.Push) error {
	have, err := s.open(ctx, c, p)
	if err != nil || have.Equal {
		return err
	}
	if err := s.sendRaw(ctx, c, p, have); err != nil {
		return err
	}
	if err := s.sendNew(ctx, c, p, have.Version); err != nil {
		return err
	}
	if err = s.end(ctx, c, p); err == nil {
		err = s.Store.SavePushedEntries(ctx, c.info.ID, c.sums)
	}
	if err == nil {
		p.Segments = nil
		for _, seg := range c.raw.list {
			p.Segments = append(p.Segments, seg.hash())
		}
	}
	return err
}

// open registers the session on the server, and returns how much of it the server has. If it has
// everything, nothing needs to be sent.
func (s *Syncer) open(ctx context.Context, c *content, p *store.Push) (have team.State, err error) {
	p.Version++
	if err := s.Store.SavePush(ctx, c.info.ID, *p); err != nil {
		return have, err
	}
	if have, err = s.begin(ctx, c, p); err != nil {
		return have, err
	}
	if !have.Equal && !ours(have, p, c.raw) { // a clone of this machine sends a session with the same id
		p.Machine, p.Segments, p.Entries, p.Next, p.Digest = rand.Text(), nil, 0, 0, ""
		if have, err = s.begin(ctx, c, p); err != nil {
			return have, err
		}
	}
	p.Remote = have.ID
	if have.Deleted {
		p.Deleted, p.Sent = true, time.Time{}
		return have, ErrNever
	}
	p.Entries = max(p.Entries, have.Version)
	return have, nil
}

// sendNew sends the entries that the server lacks. have is the version of its entries.
func (s *Syncer) sendNew(ctx context.Context, c *content, p *store.Push, have int64) (err error) {
	if p.Digest == c.digest && p.Entries == have {
		return nil
	}
	had := map[string][8]byte{}
	if p.Digest != "" && p.Entries == have {
		if had, err = s.Store.PushedEntries(ctx, c.info.ID); err != nil {
			return err
		}
	}
	return s.sendEntries(ctx, c, p, have, had)
}

// ours reports whether everything on the server was sent by this machine.
func ours(have team.State, p *store.Push, raw *pieces) bool {
	return (have.Version <= p.Entries || have.Version == p.Next) &&
		(have.Events == 0 || slices.Contains(p.Segments, have.SHA256) || raw.next(have) > 0)
}

func path(p *store.Push, id, rest string) string {
	if p.Remote != "" {
		id = p.Remote
	}
	return "/api/push/" + url.PathEscape(id) + rest
}

const jsonType = "application/json"

// begin registers the session on the server.
func (s *Syncer) begin(ctx context.Context, c *content, p *store.Push) (have team.State, err error) {
	o := team.Begin{
		Session: c.session, Name: c.name, Note: c.note, Tags: c.tags, Space: s.Rules.spaceOf(c.info), Machine: p.Machine,
		Version: p.Version,
		Usage:   c.usage, Live: c.live,
	}
	if !c.live {
		o.Content = &team.Content{Events: c.raw.events(), Entries: int64(len(c.entries)), Digest: c.digest,
			Segments: c.raw.digest()}
	}
	body, err := json.Marshal(o)
	if err == nil {
		err = s.Server.call(ctx, http.MethodPut, "/api/push/"+url.PathEscape(c.info.ID), jsonType, body, &have)
	}
	return have, err
}

// sendRaw sends the segments that the server lacks. If the server has a different raw log, because
// secrets were removed from the session, it is replaced.
func (s *Syncer) sendRaw(ctx context.Context, c *content, p *store.Push, have team.State) error {
	next := c.raw.next(have)
	if next == 0 && have.Events > 0 {
		if err := s.Server.call(ctx, http.MethodDelete, path(p, c.info.ID, "/raw"), "", nil, nil); err != nil {
			return err
		}
	}
	for _, seg := range c.raw.list[next:] {
		data, err := c.raw.data(seg)
		if err != nil {
			return err
		}
		p.Segments = append(p.Segments, seg.hash())
		if err := s.Store.SavePush(ctx, c.info.ID, *p); err != nil {
			return err
		}
		err = s.Server.call(ctx, http.MethodPut, path(p, c.info.ID, "/raw?event="+strconv.FormatInt(seg.firstEvent, 10)),
			"application/octet-stream", data, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// Limits of the entries in one call.
const (
	maxBatch = 3 << 20 // in bytes
	maxCount = 10_000
)

// versionStep is the maximum step of the entries' version. The step is random, so that two clones
// of a machine that send the same session notice each other.
const versionStep = 1 << 20

// sendEntries sends the entries that the server lacks, judged by the truncated digests. If these
// are unknown, it sends all entries.
func (s *Syncer) sendEntries(ctx context.Context, c *content, p *store.Push, version int64,
	had map[string][8]byte) error {
	b := team.Batch{All: len(had) == 0}
	c.keep(had)
	rest := make([]json.RawMessage, 0, len(c.entries))
	for i, id := range c.ids {
		sum := c.sums[id]
		if got, ok := had[id]; !ok || got != [8]byte(sum[:]) {
			rest = append(rest, c.entries[i])
		}
	}
	for id := range had {
		if _, ok := c.sums[id]; !ok {
			b.Gone = append(b.Gone, id)
		}
	}
	if len(b.Gone) > maxCount { // the same limit as for entries
		b.All, b.Gone, rest = true, nil, c.entries
	}
	for first := b.All || len(b.Gone) > 0; first || len(rest) > 0; first = false {
		n, size := 0, 0
		for n < len(rest) && n < maxCount && (n == 0 || size+len(rest[n]) < maxBatch) {
			size += len(rest[n])
			n++
		}
		p.Next, p.Digest = p.Entries+1+mathrand.Int64N(versionStep), ""
		if err := s.Store.SavePush(ctx, c.info.ID, *p); err != nil {
			return err
		}
		b.Version, b.After, b.Entries = p.Next, version, append([]json.RawMessage{}, rest[:n]...)
		body, err := json.Marshal(b)
		if err != nil {
			return err
		}
		if err := s.Server.call(ctx, http.MethodPost, path(p, c.info.ID, "/entries"), jsonType, body, nil); err != nil {
			return err
		}
		p.Entries, version = p.Next, p.Next
		b.All, b.Gone, rest = false, nil, rest[n:]
	}
	return nil
}

// end makes the server compare what it has.
func (s *Syncer) end(ctx context.Context, c *content, p *store.Push) error {
	body, err := json.Marshal(team.End{
		EndedAt: c.session.EndedAt, ExitCode: c.session.ExitCode, Events: c.raw.events(), Entries: int64(len(c.entries)),
		Digest: c.digest,
	})
	if err == nil {
		err = s.Server.call(ctx, http.MethodPost, path(p, c.info.ID, "/end"), jsonType, body, nil)
	}
	if err == nil {
		p.Digest, p.Events = c.digest, c.raw.events()
	}
	return err
}

// Withdraw deletes a session from the server. It is never sent again.
func (s *Syncer) Withdraw(ctx context.Context, id string) error {
	pushes, err := s.Store.Pushes(ctx)
	if err != nil {
		return err
	}
	p := pushes[id]
	if p.Server != "" && p.Server != s.Server.URL() {
		return fmt.Errorf("it was sent to %s", p.Server)
	}
	p.Never = true
	if err := s.Store.SavePush(ctx, id, p); err != nil {
		return err
	}
	err = s.Server.call(ctx, http.MethodDelete, path(&p, id, ""), "", nil, nil)
	var refused *statusError
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound && p.Remote == "" {
		err = nil // the server did not have it
	}
	if err != nil {
		return err
	}
	p.Sent = time.Time{}
	return s.Store.SavePush(ctx, id, p)
}

// Never excludes a session from sending. What the server has of it stays there.
func Never(ctx context.Context, db *sqlite.Store, id string) error {
	pushes, err := db.Pushes(ctx)
	if err != nil {
		return err
	}
	p := pushes[id]
	p.Never = true
	return db.SavePush(ctx, id, p)
}
