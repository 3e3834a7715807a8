package server

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/session"
)

// Users identifies the users of a server by their tokens. A Store finds the user in the context of
// a request, and returns what that user may see.
type Users interface {
	// Enter returns the context for a request by the token's owner. The error wraps
	// session.ErrForbidden if the token is not valid.
	Enter(r *http.Request, token string) (context.Context, error)
	// Login returns a token for the browser of the context's user, and how long it is valid.
	Login(ctx context.Context) (token string, age time.Duration, err error)
	// OpenLink returns the context for a request by a link with this code, and the id of the
	// session that the link opens. The error wraps session.ErrForbidden if the client must present
	// a token first, and session.ErrNotFound if the link is revoked.
	OpenLink(r *http.Request, code string) (ctx context.Context, id string, err error)
	// Name returns the name of the context's user.
	Name(ctx context.Context) string
	// Logout revokes a token that Login returned.
	Logout(ctx context.Context) error
}

// userCookie is the name of the cookie that contains a browser's token.
const userCookie = "ptyrec-user"

// enterUser returns the request with the context of its user, and what the client may attempt: the
// Store decides about each session. A cookie that is no longer valid is ignored.
func (s *Server) enterUser(r *http.Request, tokens []string) (*http.Request, right, error) {
	shown, err := shownTokens(r, tokens)
	if err != nil {
		return r, mayNothing, err
	}
	cookie := len(shown) == 0
	if c, err := r.Cookie(userCookie); cookie && err == nil && s.fromUs(r) {
		shown = []string{c.Value}
	}
	switch len(slices.Compact(shown)) {
	case 0:
		return r, mayNothing, nil
	case 1:
	default:
		return r, mayNothing, errNoToken
	}
	ctx, err := s.Users.Enter(r, shown[0])
	switch {
	case errors.Is(err, session.ErrForbidden) && cookie:
		return r, mayNothing, nil
	case errors.Is(err, session.ErrForbidden):
		return r, mayNothing, errNoToken
	case err != nil:
		return r, mayNothing, err
	case s.ReadOnly:
		return r.WithContext(ctx), mayReadWithToken, nil
	}
	return r.WithContext(ctx), mayWrite, nil
}

// shownTokens returns the tokens that a client presents, except its cookie.
func shownTokens(r *http.Request, shown []string) ([]string, error) {
	for _, header := range r.Header.Values("Authorization") {
		token, ok := strings.CutPrefix(header, "Bearer ")
		if !ok {
			return nil, errNoToken
		}
		shown = append(shown, token)
	}
	for _, coded := range bearers(r) {
		token, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(coded, client.TokenPrefix))
		if err != nil {
			return nil, errNoToken
		}
		shown = append(shown, string(token))
	}
	return shown, nil
}

// loginUser exchanges the token of a user for a cookie with another token.
func (s *Server) loginUser(w http.ResponseWriter, r *http.Request, token string) error {
	ctx, err := s.Users.Enter(r, token)
	if err == nil {
		var age time.Duration
		if token, age, err = s.Users.Login(ctx); err == nil {
			http.SetCookie(w, s.cookie(r, token, age))
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
	}
	if errors.Is(err, session.ErrForbidden) {
		return errNoToken
	}
	return err
}
