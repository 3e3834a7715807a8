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

// Waiting is a login that a user must admit in a browser.
type Waiting struct {
	Code string // shown by the browser, too
	Page string // address of the page on the server
}

const (
	// admitTime is how long a machine waits for a user to admit it.
	admitTime = 10 * time.Minute
	// askEvery is the interval at which a machine asks whether it was admitted.
	askEvery = 2 * time.Second
)

var codeForm = lazy.Regexp(`^[0-9A-Z]{4}-[0-9A-Z]{4}$`)

// errNoBrowserLogin reports that the server does not support login by browser.
var errNoBrowserLogin = errors.New("this server has no login by browser")

// errNotAdmitted reports that no user has admitted the machine in time.
var errNotAdmitted = errors.New("nobody confirmed the login within 10 minutes")

// AskLogin asks the server to admit a machine of this name with s's token. It sends only the
// token's SHA-256.
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
		return w, errNoBrowserLogin
	case err != nil:
		return w, err
	case !codeForm().MatchString(w.Code):
		return w, fmt.Errorf("%w: its code is %q", errNoBrowserLogin, w.Code)
	}
	w.Page = s.url + "/m/" + url.PathEscape(w.Code)
	return w, nil
}

// AwaitLogin waits until a user has admitted the machine after AskLogin, and returns the user's
// name. The token then belongs to that user. The error wraps errNotAdmitted if no user admits it in
// time.
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
	return "", errNotAdmitted
}

// User returns the name of the token's user.
func (s *Server) User(ctx context.Context) (name string, err error) {
	var info struct{ User string }
	err = s.call(ctx, http.MethodGet, "/api/info", "", nil, &info)
	return info.User, err
}

// Logout asks the server to revoke the token, which it does if the token was created by AskLogin.
func (s *Server) Logout(ctx context.Context) error {
	return s.once(ctx, http.MethodDelete, "/api/login", "", nil, nil)
}
