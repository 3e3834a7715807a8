package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

// Protocol serves the clients of another program's protocol. Each has a package of its own below
// this folder. The server keeps the guard: no request of another site's page reaches a protocol's
// handlers, nor one that Access keeps out.
type Protocol struct {
	Handlers
	Access Access
}

// Handlers are what a protocol's package has.
type Handlers interface {
	// Routes returns the protocol's handlers by their patterns (see http.ServeMux). The context
	// of a request ends with the server, which waits for the handlers.
	Routes() map[string]http.Handler
	// Refuse responds to a request that the guard does not let through, in the protocol's form.
	// code is one of those in openapi.yaml.
	Refuse(w http.ResponseWriter, r *http.Request, status int, code, message string)
}

// Access says what the clients of a protocol need.
type Access int

const (
	// RunCommands needs the token and a server that runs commands (Options.AllowRun), and is not
	// for programs inside a recorded session.
	RunCommands Access = iota
	// ReadOnly needs the token, even where anybody may read. The server may be read-only and need
	// not run commands, and a client may run inside a recorded session.
	ReadOnly
	// ShowSessions needs the rights that the server's own API asks for. It is for protocols that
	// only show the sessions that are there, and let clients type into live ones.
	ShowSessions
	// Anybody needs nothing: the protocol decides itself what clients may do who have no token. A
	// wrong one is refused.
	Anybody
)

// restOfAPI is the pattern of the API's paths that nobody has. A protocol may have it, too: it then
// answers for them on a server that runs commands.
const restOfAPI = "/api/"

// addProtocols adds the routes of Options.Protocols.
func (s *Server) addProtocols() {
	s.protocols = map[string]*Protocol{}
	for i := range s.Protocols {
		p := &s.Protocols[i]
		for pattern, h := range p.Routes() {
			if pattern != restOfAPI {
				s.protocols[pattern] = p
				s.mux.Handle(pattern, s.inProtocol(h))
			} else if s.AllowRun {
				s.protocols[pattern] = p
				s.rest = s.inProtocol(h)
			}
		}
	}
}

// inProtocol returns the handler of a protocol as one of the server's.
func (s *Server) inProtocol(h http.Handler) http.Handler {
	return s.handle(func(w http.ResponseWriter, r *http.Request) error {
		leave, err := s.enter()
		if err != nil {
			return err
		}
		defer leave()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		control, ended := http.NewResponseController(w), make(chan struct{})
		stop := context.AfterFunc(s.stopped, func() {
			defer close(ended)
			cancel()
			_ = control.SetWriteDeadline(time.Now().Add(time.Second)) // of a client that does not read
		})
		defer func() {
			if !stop() {
				<-ended // the response writer is the caller's again once the handler returns
			}
		}()
		w.Header().Set(gzhttp.HeaderNoCompression, "true") // output is to leave as it comes
		h.ServeHTTP(w, r.WithContext(ctx))
		return nil
	})
}

// protocolOf returns the protocol that answers a request, or nil.
func (s *Server) protocolOf(r *http.Request) *Protocol {
	_, pattern := s.mux.Handler(r)
	return s.protocols[pattern]
}

// allowProtocol returns an error unless the request may reach a protocol's handlers.
func (s *Server) allowProtocol(r *http.Request, found right) error {
	switch s.protocolOf(r).Access {
	case ReadOnly:
		if found < mayReadWithToken {
			return errNoToken
		}
		return nil
	case ShowSessions:
		return s.allowAPI(r, found)
	case Anybody:
		return nil
	}
	switch {
	case s.ReadOnly && found >= mayRead:
		return problem(http.StatusForbidden, "forbidden", "the server is read-only")
	case found < mayWrite && !s.NoToken:
		return errNoToken
	case !s.AllowRun:
		return problem(http.StatusForbidden, "forbidden", "this server runs no commands; start `ptyrec serve --allow-run`")
	case s.inside(r):
		return errInside
	}
	return nil
}

// takeTokens returns the tokens that clients of protocols show in other ways than those of the
// page: the header X-Api-Key, the password of Basic and, at the upgrade to a WebSocket, the query
// (?token=). It removes the latter from the request, so that no log shows it.
func takeTokens(r *http.Request) []string {
	shown := slices.Clone(r.Header.Values("X-Api-Key"))
	if _, password, ok := r.BasicAuth(); ok {
		shown = append(shown, password)
		r.Header.Del("Authorization")
	}
	if query := r.URL.Query(); query.Has("token") {
		if isUpgrade(r) {
			shown = append(shown, query["token"]...)
		}
		query.Del("token")
		r.URL.RawQuery = query.Encode()
		r.RequestURI = r.URL.RequestURI()
	}
	return shown
}
