package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// loginPath is where browsers get and lose their cookie.
const loginPath = "/api/login"

// cookieAge is how long a browser keeps the cookie: as long as browsers keep any.
const cookieAge = 400 * 24 * time.Hour

// login answers the right token with a cookie, which browsers send from then on; scripts cannot read it, nor pages of other sites send it.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	var o struct {
		Token string `json:"token"`
	}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if !equal(o.Token, s.Token) {
		return errNoToken
	}
	s.setCookie(w, r, s.fromToken("value"), cookieAge)
	return nil
}

// logout takes the cookie back.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	s.setCookie(w, r, "", -time.Second)
	return nil
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, value string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", MaxAge: int(age.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: s.TLS || strings.HasPrefix(r.Header.Get("Origin"), "https:"), // a proxy may speak TLS for us
	})
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) hasCookie(r *http.Request) bool {
	c, err := r.Cookie(s.cookieName())
	return err == nil && s.Token != "" && equal(c.Value, s.fromToken("value"))
}

// cookieName returns a name of this token's own: servers on other ports of a host share its cookies.
func (s *Server) cookieName() string { return "ptyrec-" + s.fromToken("name")[:8] }

// fromToken derives a text from the token, which another token makes void. It does not lead back to the token.
func (s *Server) fromToken(what string) string {
	h := hmac.New(sha256.New, []byte(s.Token))
	_, _ = h.Write([]byte("ptyrec cookie " + what)) // never fails
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
