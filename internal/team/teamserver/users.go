// Package teamserver serves the users and machines of a team, identified by tokens. Package
// store/postgres decides what they may do.
package teamserver

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/store/postgres"
)

// Users identifies the users of a database. It implements server.Users.
type Users struct {
	Store       *postgres.Store
	PublicLinks bool // links may work without a token
}

// Enter returns the context for a request by the token's owner. The error wraps
// session.ErrForbidden if the token is not valid.
func (u Users) Enter(r *http.Request, token string) (context.Context, error) {
	v, err := u.Store.Identify(as(r, postgres.Viewer{}), token)
	if err != nil {
		return nil, err
	}
	return as(r, v), nil
}

// as returns the context for a request by a viewer.
func as(r *http.Request, v postgres.Viewer) context.Context {
	v.Address = r.RemoteAddr // headers of proxies can be forged
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		v.Address = host
	}
	v.Export = strings.HasSuffix(r.URL.Path, "/export") || strings.HasSuffix(r.URL.Path, "/raw") ||
		strings.HasSuffix(r.URL.Path, "/segments")
	return postgres.As(r.Context(), v)
}

// OpenLink returns the context for a request that uses a link, and the id of the session that it
// opens. The errors are those of postgres.Store.OpenLink.
func (u Users) OpenLink(r *http.Request, code string) (ctx context.Context, id string, err error) {
	v, id, err := u.Store.OpenLink(r.Context(), code, u.PublicLinks)
	if err != nil {
		return nil, "", err
	}
	return as(r, v), id, nil
}

// Name returns the name of the context's user.
func (u Users) Name(ctx context.Context) string { return postgres.ViewerOf(ctx).Name }

// Login returns a token for the browser of a user, and how long it is valid.
func (u Users) Login(ctx context.Context) (token string, age time.Duration, err error) {
	return u.Store.Login(ctx)
}

// Logout revokes a token that Login returned.
func (u Users) Logout(ctx context.Context) error { return u.Store.Logout(ctx) }
