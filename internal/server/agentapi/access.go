package agentapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Access is who may use an API that has its own server. Its zero value admits no one.
type Access struct {
	Hosts   []string // names of the server, without ports; "*": any
	Origins []string // whose pages may use the API, as scheme://host[:port]; "*": any
	Token   string   // required for everything; empty: no token is needed
	// Own, if set, reports whether the client of a connection needs no token.
	Own func(client, server netip.AddrPort) bool
}

// ownKey is the context key of a connection for a func() bool that returns the result of
// Access.Own.
type ownKey struct{}

// connContext makes the requests of a connection share one call of Own, which takes long.
func (o Access) connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, ownKey{}, sync.OnceValue(func() bool {
		client, clientErr := netip.ParseAddrPort(c.RemoteAddr().String())
		server, serverErr := netip.ParseAddrPort(c.LocalAddr().String())
		return o.Own != nil && clientErr == nil && serverErr == nil && o.Own(client, server)
	}))
}

// isOwn reports whether the client of a request needs no token.
func isOwn(r *http.Request) bool {
	own, ok := r.Context().Value(ownKey{}).(func() bool)
	return ok && own()
}

// DefaultHosts returns the hosts that agentapi accepts.
func DefaultHosts() []string { return []string{"localhost", "127.0.0.1", "[::1]"} }

// DefaultOrigins returns the origins that agentapi accepts.
func DefaultOrigins() []string {
	return []string{"http://localhost:3284", "http://localhost:3000", "http://localhost:3001"}
}

// CheckHosts converts hosts to the form of Access.
func CheckHosts(list []string) ([]string, error) {
	if err := checkList(list); err != nil || slices.Contains(list, "*") {
		return []string{"*"}, err
	}
	hosts := make([]string, 0, len(list))
	for _, item := range list {
		if strings.Contains(item, "://") {
			return nil, fmt.Errorf("%q must be a host without http:// or https://", item)
		}
		u, err := url.Parse("http://" + item)
		if err != nil || u.Hostname() == "" {
			return nil, fmt.Errorf("%q is not a host", item)
		}
		if u.Port() != "" {
			return nil, fmt.Errorf("%q must be a host without a port", item)
		}
		hosts = append(hosts, strings.ToLower(u.Hostname()))
	}
	return hosts, nil
}

// CheckOrigins converts origins to the form of Access.
func CheckOrigins(list []string) ([]string, error) {
	if err := checkList(list); err != nil || slices.Contains(list, "*") {
		return []string{"*"}, err
	}
	origins := make([]string, 0, len(list))
	for _, item := range list {
		u, err := url.Parse(item)
		if err != nil || u.Scheme == "" || u.Host == "" {
			return nil, fmt.Errorf("%q is not an origin, as http://localhost:3284", item)
		}
		origins = append(origins, strings.ToLower(u.Scheme+"://"+u.Host))
	}
	return origins, nil
}

// checkList returns an error if a name in the list contains a separator: lists are separated by
// commas in flags and by spaces in the environment.
func checkList(list []string) error {
	if len(list) == 0 {
		return fmt.Errorf("the list must not be empty")
	}
	for _, item := range list {
		switch {
		case strings.ContainsFunc(item, unicode.IsSpace):
			return fmt.Errorf("%q contains white space", item)
		case strings.Contains(item, ","):
			return fmt.Errorf("%q contains a comma", item)
		}
	}
	return nil
}

// Guarded returns the handler of the API for the clients that access admits.
func (a *API) Guarded(access Access) http.Handler {
	next := a.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !access.knowsHost(r.Host) {
			a.fail(w, r, failed(http.StatusBadRequest, "Invalid host header. Allowed hosts: "+strings.Join(access.Hosts, ", ")))
			return
		}
		if access.cors(w, r) {
			return
		}
		isWrite := r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions
		switch {
		case isWrite && !access.mayWrite(r):
			a.fail(w, r, failed(http.StatusForbidden, "a page of this origin may not write: see --allowed-origins"))
		case !access.hasToken(r) && !isOwn(r):
			askForToken(w)
			a.fail(w, r, failed(http.StatusUnauthorized,
				"this requires the token, as Bearer or as the password with any user name"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// askForToken sets the header that tells how to present a token.
func askForToken(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Basic realm="agentapi", charset="UTF-8"`)
	w.Header().Add("WWW-Authenticate", "Bearer")
}

func (o Access) knowsHost(hostport string) bool {
	if slices.Contains(o.Hosts, "*") {
		return true
	}
	u, err := url.Parse("http://" + hostport)
	return err == nil && hostport != "" && slices.Contains(o.Hosts, strings.ToLower(u.Hostname()))
}

func (o Access) knowsOrigin(origin string) bool {
	return slices.Contains(o.Origins, "*") || slices.Contains(o.Origins, strings.ToLower(origin))
}

// corsMethods are the methods that pages of other origins may use, as in agentapi.
var corsMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions}

// corsHeaders are the headers that pages of other origins may send.
var corsHeaders = []string{"Origin", "Accept", "Authorization", "Content-Type", "X-Csrf-Token"}

// cors sets the headers that let pages of accepted origins read the response. done is true if the
// request asked only for these headers.
func (o Access) cors(w http.ResponseWriter, r *http.Request) (done bool) {
	h := w.Header()
	origin, method := r.Header.Get("Origin"), r.Header.Get("Access-Control-Request-Method")
	preflight := r.Method == http.MethodOptions && method != ""
	h.Add("Vary", "Origin")
	if preflight {
		h.Add("Vary", "Access-Control-Request-Method")
		h.Add("Vary", "Access-Control-Request-Headers")
	}
	if origin == "" || !o.knowsOrigin(origin) {
		if preflight {
			w.WriteHeader(http.StatusOK)
		}
		return preflight
	}
	allowed := origin
	if slices.Contains(o.Origins, "*") {
		allowed = "*"
	}
	if !preflight {
		h.Set("Access-Control-Allow-Origin", allowed)
		h.Set("Access-Control-Expose-Headers", "Link")
		h.Set("Access-Control-Allow-Credentials", "true")
		return false
	}
	if headers, ok := askedHeaders(r); ok && slices.Contains(corsMethods, strings.ToUpper(method)) {
		h.Set("Access-Control-Allow-Origin", allowed)
		h.Set("Access-Control-Allow-Methods", strings.ToUpper(method))
		if len(headers) > 0 {
			h.Set("Access-Control-Allow-Headers", strings.Join(headers, ", "))
		}
		h.Set("Access-Control-Allow-Credentials", "true")
		h.Set("Access-Control-Max-Age", "300")
	}
	w.WriteHeader(http.StatusOK)
	return true
}

// askedHeaders returns the headers that a page wants to send. ok is false if one is not allowed.
func askedHeaders(r *http.Request) (headers []string, ok bool) {
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		if name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name == "" {
			continue
		}
		if !slices.Contains(corsHeaders, name) {
			return nil, false
		}
		headers = append(headers, name)
	}
	return headers, true
}

// mayWrite reports whether a request is not from a page, or from one of our own or of an accepted
// origin.
func (o Access) mayWrite(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		site := r.Header.Get("Sec-Fetch-Site")
		return site == "" || site == "same-origin" || site == "none"
	}
	if len(origins) > 1 {
		return false
	}
	if o.knowsOrigin(origins[0]) {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// hasToken reports whether a request presents the token, as Bearer or as the password of Basic.
func (o Access) hasToken(r *http.Request) bool {
	if o.Token == "" {
		return true
	}
	shown, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, shown, ok = r.BasicAuth()
	}
	a, b := sha256.Sum256([]byte(shown)), sha256.Sum256([]byte(o.Token))
	return ok && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
