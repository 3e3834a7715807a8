package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"
)

// loginPath is the path at which browsers get and delete their cookie.
const loginPath = "/api/login"

// cookieAge is how long a browser keeps the cookie: the maximum that browsers allow.
const cookieAge = 400 * 24 * time.Hour

// login exchanges the token for a cookie. Scripts cannot read it, and other sites cannot send it.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	var o struct {
		Token string `json:"token"`
	}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if s.Users != nil {
		return s.loginUser(w, r, o.Token)
	}
	if !equal(o.Token, s.Token) {
		return errNoToken
	}
	http.SetCookie(w, s.cookie(r, s.fromToken("value"), cookieAge))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// openPath is the path at which a browser that this machine's user has opened is logged in.
const openPath = "/open"

// onceTime is how long the browser has to request openPath.
const onceTime = time.Minute

// once is a secret that one browser can use once. Unlike the token it may appear on a command line,
// which other users can see.
type once struct {
	mu    sync.Mutex // guards the fields below
	code  string
	until time.Time
}

// OpenPath returns a path that logs in one browser, within the next minute.
func (s *Server) OpenPath() string {
	s.once.mu.Lock()
	defer s.once.mu.Unlock()
	s.once.code, s.once.until = rand.Text(), time.Now().Add(onceTime)
	return openPath + "?once=" + s.once.code
}

// open redirects a browser to the page, and sets the cookie if the secret is valid.
func (s *Server) open(w http.ResponseWriter, r *http.Request) error {
	s.once.mu.Lock()
	known := equal(r.URL.Query().Get("once"), s.once.code) && time.Now().Before(s.once.until)
	if known {
		s.once.code = ""
	}
	s.once.mu.Unlock()
	if known {
		http.SetCookie(w, s.cookie(r, s.fromToken("value"), cookieAge))
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// logout deletes the cookie.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	if s.Users != nil {
		if err := s.Users.Logout(r.Context()); err != nil {
			return err
		}
	}
	http.SetCookie(w, s.cookie(r, "", -time.Second))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) cookie(r *http.Request, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", MaxAge: int(age.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
		// A proxy may terminate TLS.
		Secure: strings.HasPrefix(s.base(r), "https:") || strings.HasPrefix(r.Header.Get("Origin"), "https:"),
	}
}

func (s *Server) hasCookie(r *http.Request) bool {
	c, err := r.Cookie(s.cookieName())
	return err == nil && s.Token != "" && equal(c.Value, s.fromToken("value"))
}

// cookieName returns a name that depends on the token, because servers on other ports of a host
// share its cookies.
func (s *Server) cookieName() string {
	if s.Users != nil {
		return userCookie
	}
	return "ptyrec-" + s.fromToken("name")[:8]
}

// fromToken derives a text from the token, from which the token cannot be recovered. It changes
// with the token.
func (s *Server) fromToken(what string) string {
	h := hmac.New(sha256.New, []byte(s.Token))
	_, _ = h.Write([]byte("ptyrec cookie " + what)) // never fails
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
