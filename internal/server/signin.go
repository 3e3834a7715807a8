package server

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// SignIn lets browsers of users sign in without a token, at an identity provider.
type SignIn interface {
	// Name returns the provider's name to show to people.
	Name() string
	// Begin returns the provider's address for a browser that will come back to redirect, and a
	// secret for the browser to keep until then. The error wraps session.ErrBusy.
	Begin(ctx context.Context, redirect string) (address, secret string, err error)
	// Finish returns a token for the browser that came back to redirect, and how long it is valid.
	// The error wraps session.ErrBusy, or session.ErrForbidden with a reason to show to the person.
	Finish(r *http.Request, redirect, secret string) (token string, age time.Duration, err error)
}

// Paths at which browsers start and finish signing in.
const (
	signInPath   = "/login"
	signedInPath = "/login/callback"
)

// signInCookie contains the secret of SignIn, and the page from which the browser came.
const signInCookie = "ptyrec-login"

// signInTime is how long a person has to sign in.
const signInTime = 10 * time.Minute

// ways responds with the ways to log in besides a token.
func (s *Server) ways(w http.ResponseWriter, _ *http.Request) error {
	provider := ""
	if s.SignIn != nil {
		provider = s.SignIn.Name()
	}
	return writeJSON(w, http.StatusOK, map[string]string{"provider": provider})
}

// base returns the address by which the browser reaches the server. It does not use the headers of
// proxies, which can be forged.
func (s *Server) base(r *http.Request) string {
	switch {
	case s.URL != "":
		return s.URL
	case s.TLS:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// beginSignIn redirects a browser to the provider. It will come back to the page in the request.
func (s *Server) beginSignIn(w http.ResponseWriter, r *http.Request) error {
	address, secret, err := s.SignIn.Begin(r.Context(), s.base(r)+signedInPath)
	if err != nil {
		return s.notSignedIn(w, err)
	}
	to := strings.TrimPrefix(r.URL.Query().Get("to"), "/")
	if !isPage(to) {
		to = ""
	}
	http.SetCookie(w, s.forSignIn(r, secret+"~"+base64.RawURLEncoding.EncodeToString([]byte(to)), signInTime))
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// finishSignIn signs in a browser that comes back from the provider.
func (s *Server) finishSignIn(w http.ResponseWriter, r *http.Request) error {
	var kept string
	if c, err := r.Cookie(signInCookie); err == nil {
		kept = c.Value
	}
	http.SetCookie(w, s.forSignIn(r, "", -time.Second)) // an answer is valid once
	secret, coded, _ := strings.Cut(kept, "~")
	token, age, err := s.SignIn.Finish(r, s.base(r)+signedInPath, secret)
	if err != nil {
		return s.notSignedIn(w, err)
	}
	to, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil || !isPage(string(to)) {
		to = nil
	}
	http.SetCookie(w, s.cookie(r, token, age))
	http.Redirect(w, r, "/"+string(to), http.StatusSeeOther)
	return nil
}

// forSignIn returns the cookie for a browser that signs in. It must be sent with requests that
// another site starts, because the provider's page leads back here.
func (s *Server) forSignIn(r *http.Request, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{Name: signInCookie, Value: value, Path: signInPath, MaxAge: int(age.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.base(r), "https:")}
}

// notSignedIn shows and logs why a browser was not signed in.
func (s *Server) notSignedIn(w http.ResponseWriter, err error) error {
	var status int
	var why string
	switch {
	case errors.Is(err, session.ErrForbidden):
		status, why = http.StatusForbidden, err.Error()
	case errors.Is(err, session.ErrBusy):
		status, why = http.StatusServiceUnavailable, "The identity provider is not responding. Try again later."
		w.Header().Set("Retry-After", "5")
	default:
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" `+
		`content="width=device-width, initial-scale=1"><title>Not signed in</title>`+
		`<link rel="stylesheet" href="/app.css"></head><body><main class="card"><h1>You are not signed in</h1><p>%s</p>`+
		`<p><a class="button" href="%s">Sign in again</a> <a class="button" href="/">Use a `+
		`token</a></p></main></body></html>`, html.EscapeString(why), signInPath)
	return errAnswered{err}
}
