package team

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/protocol/team"
)

// NewToken returns a token of 160 random bits, which no server knows yet.
func NewToken() string {
	bits := make([]byte, 20)
	_, _ = rand.Read(bits) // never fails
	return "ptr_" + strings.ToLower(base32.StdEncoding.EncodeToString(bits))
}

// Waiting is a login that somebody has to admit in a browser.
type Waiting struct {
	Code string // the browser shows it, too
	Page string // address of the page there
}

const (
	// admitTime is how long a server waits for somebody to admit a machine.
	admitTime = 10 * time.Minute
	// askEvery is how long a machine waits before it asks again whether it was admitted.
	askEvery = 2 * time.Second
)

var codeForm = lazy.Regexp(`^[0-9A-Z]{4}-[0-9A-Z]{4}$`)

// ErrNoBrowserLogin says that a server admits no machines by a browser.
var ErrNoBrowserLogin = errors.New("this server has no login by browser")

// ErrNotAdmitted says that nobody admitted the machine in time.
var ErrNotAdmitted = errors.New("nobody confirmed the login within 10 minutes")

// AskLogin asks the server to let a machine of this name in with s's token, of which it tells the
// SHA-256 only.
func (s *Server) AskLogin(ctx context.Context, name string) (w Waiting, err error) {
	sum := sha256.Sum256([]byte(s.token))
	body, err := json.Marshal(team.Login{Hash: hex.EncodeToString(sum[:]), Name: name})
	if err != nil {
		return w, err
	}
	nobody := *s
	nobody.token = ""
	err = nobody.call(ctx, http.MethodPost, "/api/logins", jsonType, body, &w)
	var refused *statusError
	switch {
	case errors.As(err, &refused) && (refused.Status == http.StatusUnauthorized || refused.Status == http.StatusNotFound):
		return w, ErrNoBrowserLogin
	case err != nil:
		return w, err
	case !codeForm().MatchString(w.Code):
		return w, fmt.Errorf("%w: its code is %q", ErrNoBrowserLogin, w.Code)
	}
	w.Page = s.url + "/m/" + url.PathEscape(w.Code)
	return w, nil
}

// AwaitLogin waits until somebody has admitted the machine that asked, and returns who: from then
// on the token is that user's. The error wraps ErrNotAdmitted if nobody does in time.
func (s *Server) AwaitLogin(ctx context.Context) (user string, err error) {
	until := time.Now().Add(admitTime)
	for time.Now().Before(until) {
		if err := s.pause(ctx, askEvery); err != nil {
			return "", err
		}
		user, err = s.User(ctx)
		var refused *statusError
		if unknown := errors.As(err, &refused) && refused.Status == http.StatusUnauthorized; err == nil || !unknown {
			if _, passing := Passing(err); err == nil || !passing {
				return user, err
			}
		}
	}
	return "", ErrNotAdmitted
}

// User returns the name of the token's user.
func (s *Server) User(ctx context.Context) (name string, err error) {
	var info struct{ User string }
	err = s.call(ctx, http.MethodGet, "/api/info", "", nil, &info)
	return info.User, err
}

// Logout asks the server to make the token void, which it does if the token was made by AskLogin.
func (s *Server) Logout(ctx context.Context) error {
	return s.once(ctx, http.MethodDelete, "/api/login", "", nil, nil)
}
