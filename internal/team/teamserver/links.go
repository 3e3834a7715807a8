package teamserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// Limits of links.
const (
	linkTime    = 7 * 24 * time.Hour   // default lifetime of a link
	maxLinkTime = 366 * 24 * time.Hour // maximum
	maxLinkBody = 1 << 10              // in bytes
)

// Links is the API for links to sessions. Its access is server.ShowSessions.
type Links struct {
	*Push
	public bool
}

// NewLinks returns the API for links to the sessions of a database. public allows links that work
// without a token.
func NewLinks(p *Push, public bool) *Links { return &Links{p, public} }

// Routes implements server.Handlers.
func (l *Links) Routes() map[string]http.Handler {
	return map[string]http.Handler{"POST /api/sessions/{id}/links": l.handle(l.add),
		"DELETE /api/sessions/{id}/links": l.handle(l.revoke)}
}

func (l *Links) handle(h func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch err := h(w, r); {
		case errors.Is(err, session.ErrForbidden):
			l.Refuse(w, r, http.StatusForbidden, "forbidden", "only the owner of a session can share it")
		case err != nil:
			l.fail(w, r, err)
		}
	})
}

// add creates a link.
func (l *Links) add(w http.ResponseWriter, r *http.Request) error {
	body, err := l.read(w, r, maxLinkBody)
	if err != nil {
		return err
	}
	o := team.Share{Seconds: int64(linkTime / time.Second)}
	if err := json.Unmarshal(body, &o); err != nil {
		return bad("%v", err)
	}
	if o.Seconds < 1 || o.Seconds > int64(maxLinkTime/time.Second) {
		return bad("a link must be valid for 1 second to 366 days")
	}
	if o.Anyone && !l.public {
		return bad("this server opens links only to people who have signed in; `ptyrec team serve --public-links` opens " +
			"them to anyone")
	}
	expires := time.Now().Add(time.Duration(o.Seconds) * time.Second).UTC()
	code, err := l.store.AddLink(r.Context(),
		postgres.NewLink{Session: r.PathValue("id"), Expires: expires, Anyone: o.Anyone})
	if err == nil {
		writeJSON(w, http.StatusCreated, team.Link{Path: "/l/" + code, Expires: expires, Anyone: o.Anyone})
	}
	return err
}

// revoke revokes all links to a session.
func (l *Links) revoke(w http.ResponseWriter, r *http.Request) error {
	n, err := l.store.RevokeLinks(r.Context(), r.PathValue("id"))
	if err == nil {
		writeJSON(w, http.StatusOK, team.Revoked{Revoked: int(n)})
	}
	return err
}
