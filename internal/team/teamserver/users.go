// Package teamserver serves the people and the machines of a team: it knows who asks by their
// tokens. What they may do is decided by store/postgres.
package teamserver

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/store/postgres"
)

// Users are the users of a database. It implements server.Users.
type Users struct {
	Store       *postgres.Store
	PublicLinks bool // links may open sessions to people without a token
}

// Enter returns the context of a request of the token's owner. The error wraps session.ErrForbidden
// if the token is not valid.
func (u Users) Enter(r *http.Request, token string) (context.Context, error) {
	v, err := u.Store.Identify(as(r, postgres.Viewer{}), token)
	if err != nil {
		return nil, err
	}
	return as(r, v), nil
}

// as returns the context of a request of a viewer.
func as(r *http.Request, v postgres.Viewer) context.Context {
	v.Address = r.RemoteAddr // headers of proxies can be forged
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		v.Address = host
	}
	v.Export = strings.HasSuffix(r.URL.Path, "/export") || strings.HasSuffix(r.URL.Path, "/raw") || strings.HasSuffix(r.URL.Path, "/segments")
	return postgres.As(r.Context(), v)
}

// OpenLink returns the context of a request that came by a link, and the session that it opens. The
// errors are those of postgres.Store.OpenLink.
func (u Users) OpenLink(r *http.Request, code string) (ctx context.Context, id string, err error) {
	v, id, err := u.Store.OpenLink(r.Context(), code, u.PublicLinks)
	if err != nil {
		return nil, "", err
	}
	return as(r, v), id, nil
}

// Name returns the name of the user whose context this is.
func (u Users) Name(ctx context.Context) string { return postgres.ViewerOf(ctx).Name }

// Login returns a token for the browser of a user, and how long it is valid.
func (u Users) Login(ctx context.Context) (token string, age time.Duration, err error) {
	return u.Store.Login(ctx)
}

// Logout makes the token void that Login returned.
func (u Users) Logout(ctx context.Context) error { return u.Store.Logout(ctx) }
