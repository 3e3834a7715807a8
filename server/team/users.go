// Package team serves the people and the machines of a team: it knows who asks by their tokens.
// What they may do is decided by store/pg.
package team

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/store/pg"
)

// Users are the users of a database. It implements server.Users.
type Users struct {
	Store *pg.Store
}

// Enter returns the context of a request of the token's owner. The error wraps session.ErrForbidden
// if the token is not valid.
func (u Users) Enter(r *http.Request, token string) (context.Context, error) {
	v, err := u.Store.Identify(r.Context(), token)
	if err != nil {
		return nil, err
	}
	v.Address = r.RemoteAddr // headers of proxies can be forged
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		v.Address = host
	}
	v.Export = strings.HasSuffix(r.URL.Path, "/export") || strings.HasSuffix(r.URL.Path, "/raw")
	return pg.As(r.Context(), v), nil
}

// Login returns a token for the browser of a user, and how long it is valid.
func (u Users) Login(ctx context.Context) (token string, age time.Duration, err error) {
	return u.Store.Login(ctx)
}

// Logout makes the token void that Login returned.
func (u Users) Logout(ctx context.Context) error { return u.Store.Logout(ctx) }
