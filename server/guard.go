package server

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
)

// right is what a client may do.
type right int

const (
	mayNothing right = iota
	mayRead
	mayWrite
)

type rightKey struct{}

// rightOf gives what the guard found that a client may do.
func rightOf(r *http.Request) right {
	found, _ := r.Context().Value(rightKey{}).(right)
	return found
}

// guard lets only requests through that come by a known name (else a page of another site could have its own name lead here: DNS
// rebinding), from our own pages where a browser says from which, and with the token where one is needed.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.secure(w.Header())
		if err := s.check(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		found := s.rightOf(r)
		if err := s.allow(r, found); err != nil {
			s.refuse(w, r, err)
			return
		}
		next.ServeHTTP(&patient{w, http.NewResponseController(w)}, r.WithContext(context.WithValue(r.Context(), rightKey{}, found)))
	})
}

// check refuses foreign hosts and origins.
func (s *Server) check(r *http.Request) error {
	if !s.knowsHost(r.Host) {
		return problem(http.StatusMisdirectedRequest, "forbidden", "this server is not called %q; start it with --host NAME where it is", r.Host)
	}
	if (isWriting(r) || isUpgrade(r)) && !s.fromUs(r) {
		return problem(http.StatusForbidden, "forbidden", "requests from pages of other sites are refused")
	}
	return nil
}

// knowsHost tells that a Host header names us. An IP address cannot be rebound.
func (s *Server) knowsHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	return host == "localhost" || slices.Contains(s.Hosts, host)
}

// fromUs tells that no browser says that a page of another origin asks.
func (s *Server) fromUs(r *http.Request) bool {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
	default:
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	if len(origins) > 1 || err != nil || u.Scheme != "https" && (u.Scheme != "http" || s.TLS) {
		return false
	}
	return withPort(strings.ToLower(u.Host), u.Scheme) == withPort(strings.ToLower(r.Host), u.Scheme)
}

// withPort adds the scheme's own port where none is named.
func withPort(host, scheme string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return host + map[string]string{"http": ":80", "https": ":443"}[scheme]
}

func isWriting(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions
}

func isUpgrade(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// rightOf finds the client's right by its token.
func (s *Server) rightOf(r *http.Request) right {
	switch {
	case s.hasToken(r) && !s.ReadOnly:
		return mayWrite
	case s.hasToken(r) || !s.ReadToken:
		return mayRead
	}
	return mayNothing
}

// allow refuses what the right does not reach to.
func (s *Server) allow(r *http.Request, found right) error {
	path := r.URL.Path
	shown := !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/ws/") // the page holds no secrets
	_, named := r.Header["Authorization"]
	switch {
	case named && !s.hasToken(r):
		return problem(http.StatusUnauthorized, "unauthorized", "this is not the token that `ptyrec serve` printed")
	case path == "/api/info" || shown && !isWriting(r):
		return nil
	case found == mayNothing, isWriting(r) && found < mayWrite && !s.ReadOnly:
		return problem(http.StatusUnauthorized, "unauthorized", "this needs the token that `ptyrec serve` printed")
	case isWriting(r) && s.ReadOnly:
		return problem(http.StatusForbidden, "forbidden", "the server is read-only")
	}
	return nil
}

// hasToken looks for the token in the Authorization header and, as browsers cannot set that there, in a WebSocket's subprotocols.
func (s *Server) hasToken(r *http.Request) bool {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return equal(bearer, s.Token)
	}
	for _, offered := range subprotocols(r) {
		if coded, ok := strings.CutPrefix(offered, client.TokenPrefix); ok {
			token, err := base64.RawURLEncoding.DecodeString(coded)
			return err == nil && equal(string(token), s.Token)
		}
	}
	return false
}

func subprotocols(r *http.Request) (offered []string) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for word := range strings.SplitSeq(line, ",") {
			offered = append(offered, strings.TrimSpace(word))
		}
	}
	return offered
}

func equal(a, b string) bool {
	return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// secure sets the headers of every answer. Styles may stand inline because xterm.js draws with them; scripts may not.
func (s *Server) secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if s.TLS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// patient gives each write its own time.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Write implements io.Writer.
func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // where there is none it waits
	return p.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// isJSON tells that a body says that it is JSON, which no form of another site can.
func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
