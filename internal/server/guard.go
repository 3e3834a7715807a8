package server

import (
	"context"
	"crypto/sha256"
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
	mayReadWithToken // the client has the token, but the server is read-only
	mayWrite
)

type rightKey struct{}

// rightOf returns what a client may do, as determined by the guard.
func rightOf(r *http.Request) right {
	found, _ := r.Context().Value(rightKey{}).(right)
	return found
}

// guard rejects requests with an unknown host, requests that a browser sends from a page of another
// origin, and requests without the token if one is needed. If unknown hosts were accepted, a page
// of another site could make its own name point here (DNS rebinding).
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.secure(w.Header())
		var tokens []string
		if s.protocolOf(r) != nil {
			tokens = takeTokens(r)
		}
		if err := s.check(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		var found right
		var err error
		if s.Users != nil {
			r, found, err = s.enterUser(r, tokens)
		} else {
			found, err = s.rightOf(r, tokens)
		}
		if err == nil {
			err = s.allow(r, found)
		}
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		patience := writeTimeout
		if s.protocolOf(r) != nil {
			patience = protocolWriteTimeout
		}
		next.ServeHTTP(&patient{w, http.NewResponseController(w), patience},
			r.WithContext(context.WithValue(r.Context(), rightKey{}, found)))
	})
}

// check rejects foreign hosts and origins.
func (s *Server) check(r *http.Request) error {
	if !s.knowsHost(r.Host) {
		return problem(http.StatusMisdirectedRequest, "forbidden",
			"unknown host %q; to accept it, start the server with --host NAME", r.Host)
	}
	if (isWriting(r) || isUpgrade(r)) && !s.fromUs(r) {
		return problem(http.StatusForbidden, "forbidden", "requests from pages of other sites are refused")
	}
	return nil
}

// knowsHost reports whether a Host header is one of our names. An IP address is accepted because it
// cannot be rebound.
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

// fromUs reports whether the request may come from our own page. It does not if the browser reports
// another origin.
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

// withPort adds the scheme's default port if hostport has none.
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

// errNoToken is the response to a client that has not presented the token.
var errNoToken = problem(http.StatusUnauthorized, "unauthorized",
	"this requires the token: open the address that `ptyrec serve` printed, or see its --help")

// rightOf determines what the client may do. tokens are tokens presented in further ways. A wrong
// token is an error even if no token is needed.
func (s *Server) rightOf(r *http.Request, tokens []string) (right, error) {
	known, err := s.knows(r, tokens)
	switch {
	case err != nil:
		return mayNothing, err
	case known && !s.ReadOnly:
		return mayWrite, nil
	case known:
		return mayReadWithToken, nil
	case s.OpenReading:
		return mayRead, nil
	}
	return mayNothing, nil
}

// allow returns an error if right does not suffice for the request. The page's files are always
// allowed: they contain no secrets, and the page asks for the token itself.
func (s *Server) allow(r *http.Request, found right) error {
	if s.protocolOf(r) != nil {
		return s.allowProtocol(r, found)
	}
	path := r.URL.Path
	inPage := !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/ws/")
	if path == loginPath || s.Health != nil && path == healthPath || s.Users != nil && isLink(r) ||
		inPage && !isWriting(r) {
		return nil
	}
	return s.allowAPI(r, found)
}

// allowAPI returns an error if right does not suffice for a request to the API.
func (s *Server) allowAPI(r *http.Request, found right) error {
	switch {
	case found == mayNothing, isWriting(r) && found < mayWrite && !s.ReadOnly:
		return errNoToken
	case isWriting(r) && s.ReadOnly:
		return problem(http.StatusForbidden, "forbidden", "the server is read-only")
	}
	return nil
}

// knows reports whether the client presents the token: in the Authorization header, in a WebSocket
// subprotocol (browsers cannot set that header there), or in the cookie. Every token that it
// presents must be correct. tokens are those that it presents in the ways of a protocol. The cookie
// counts only for pages of our own origin, because browsers send it to every port of a host, with
// requests from pages of any port.
func (s *Server) knows(r *http.Request, tokens []string) (bool, error) {
	for _, token := range tokens {
		if !equal(token, s.Token) {
			return false, errNoToken
		}
	}
	shown := len(tokens)
	for _, header := range r.Header.Values("Authorization") {
		if token, ok := strings.CutPrefix(header, "Bearer "); !ok || !equal(token, s.Token) {
			return false, errNoToken
		}
		shown++
	}
	for _, coded := range bearers(r) {
		token, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(coded, client.TokenPrefix))
		if err != nil || !equal(string(token), s.Token) {
			return false, errNoToken
		}
		shown++
	}
	return shown > 0 || s.hasCookie(r) && s.fromUs(r), nil
}

// bearers returns the tokens in the subprotocols.
func bearers(r *http.Request) []string {
	return slices.DeleteFunc(subprotocols(r),
		func(offered string) bool { return !strings.HasPrefix(offered, client.TokenPrefix) })
}

func subprotocols(r *http.Request) (offered []string) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for word := range strings.SplitSeq(line, ",") {
			offered = append(offered, strings.TrimSpace(word))
		}
	}
	return offered
}

// equal compares secrets in constant time. An empty secret equals nothing.
func equal(shown, secret string) bool {
	a, b := sha256.Sum256([]byte(shown)), sha256.Sum256([]byte(secret))
	return secret != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// secure sets the security headers of every response. Inline styles are allowed because xterm.js
// needs them; inline scripts are not.
func (s *Server) secure(h http.Header) {
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "+
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

// patient sets a new deadline for each write.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

// Write implements io.Writer.
func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.timeout)) // without a deadline it may block
	return p.ResponseWriter.Write(b)
}

// Flush implements http.Flusher.
func (p *patient) Flush() {
	_ = p.control.Flush() // an error is returned by the next Write
}

// Unwrap is for http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// isJSON reports whether a request declares its body as JSON, which a form on another site cannot
// do.
func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
