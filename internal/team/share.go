package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/store"
)

// Link is a link to a session on the server.
type Link struct {
	URL     string
	Expires time.Time
	Anyone  bool // works without a token, too
}

// ErrNotSent reports that the server does not have the session.
var ErrNotSent = errors.New("the session was not sent")

// Sent reports whether the server has the session in its current state.
func (s *Syncer) Sent(ctx context.Context, info *store.Info) (bool, error) {
	pushes, err := s.Store.Pushes(ctx)
	p := pushes[info.ID]
	return p.Server == s.Server.URL() && p.Remote != "" && p.Seen == s.Look(info), err
}

// linkForm matches a valid path of a link.
var linkForm = lazy.Regexp(`^/l/[A-Za-z0-9_-]{16,64}$`)

// Share creates a link to a session that was sent. valid is its lifetime, rounded to seconds.
func (s *Syncer) Share(ctx context.Context, id string, valid time.Duration, anyone bool) (l Link, err error) {
	path, err := s.linksPath(ctx, id)
	if err != nil {
		return l, err
	}
	body, err := json.Marshal(team.Share{Seconds: int64(valid / time.Second), Anyone: anyone})
	if err != nil {
		return l, err
	}
	var made team.Link
	if err := s.Server.call(ctx, http.MethodPost, path, jsonType, body, &made); err != nil {
		return l, err
	}
	if !linkForm().MatchString(made.Path) || made.Anyone != anyone {
		return l, errors.New("the server's answer is not that of a link")
	}
	return Link{s.Server.URL() + made.Path, made.Expires, made.Anyone}, nil
}

// Revoke revokes all links to a session, and returns their number.
func (s *Syncer) Revoke(ctx context.Context, id string) (n int, err error) {
	path, err := s.linksPath(ctx, id)
	if err != nil {
		return 0, err
	}
	var done team.Revoked
	err = s.Server.call(ctx, http.MethodDelete, path, "", nil, &done)
	return done.Revoked, err
}

// linksPath returns the path for the links of a session, which may have another id on the server.
func (s *Syncer) linksPath(ctx context.Context, id string) (string, error) {
	pushes, err := s.Store.Pushes(ctx)
	if err != nil {
		return "", err
	}
	p := pushes[id]
	if p.Remote == "" || p.Server != s.Server.URL() {
		return "", fmt.Errorf("session %s: %w to %s", id, ErrNotSent, s.Server.URL())
	}
	return "/api/sessions/" + url.PathEscape(p.Remote) + "/links", nil
}
