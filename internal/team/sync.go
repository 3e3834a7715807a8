// Package team sends this machine's sessions to the server of a team. The local database is the
// source of truth; the server has a copy that can be created again.
package team

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/internal/library"
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
var ErrOutside = errors.New("it is outside of the configured folders and agents")

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
