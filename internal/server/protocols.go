package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

// Protocol serves the clients of another program's protocol. Each has its own package below this
// folder. The server still checks the requests: neither requests from pages of other sites nor
// requests without Access reach the protocol's handlers.
type Protocol struct {
	Handlers
	Access Access
}

// Handlers are the handlers of a protocol's package.
type Handlers interface {
	// Routes returns the protocol's handlers by pattern (see http.ServeMux). The context of a
	// request ends with the server, which waits for the handlers.
	Routes() map[string]http.Handler
	// Refuse responds to a request that the server rejects, in the protocol's form. code is one of
	// those in openapi.yaml.
	Refuse(w http.ResponseWriter, r *http.Request, status int, code, message string)
}

// Access is the access that clients of a protocol need.
type Access int

const (
	// RunCommands needs the token and a server that runs commands (Options.AllowRun). Programs
	// inside a recorded session are refused.
	RunCommands Access = iota
	// ReadOnly needs the token, even if anyone may read. The server may be read-only and need not
	// run commands, and a client may run inside a recorded session.
	ReadOnly
	// ShowSessions needs the same rights as the server's own API. It is for protocols that only
	// show existing sessions and let clients type into live ones.
	ShowSessions
	// Anybody needs nothing: the protocol itself decides what clients without a token may do. A
	// wrong token is rejected.
	Anybody
)

// restOfAPI is the pattern of all other paths of the API. A protocol may have it, too: then the
// protocol responds for these paths if the server runs commands.
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

// inProtocol wraps the handler of a protocol.
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
			_ = control.SetWriteDeadline(time.Now().Add(time.Second)) // unblocks a write to a client that does not read
		})
		defer func() {
			if !stop() {
				<-ended // the response writer must not be used after the handler has returned
			}
		}()
		w.Header().Set(gzhttp.HeaderNoCompression, "true") // output must be sent at once
		h.ServeHTTP(w, r.WithContext(ctx))
		return nil
	})
}

// protocolOf returns the protocol that handles a request, or nil.
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
		return problem(http.StatusForbidden, "forbidden", "this server runs no commands; run `ptyrec sandbox`")
	case s.inside(r):
		return errInside
	}
	return nil
}

// takeTokens returns the tokens that clients of protocols present in further ways: in the header
// X-Api-Key, as the password of Basic and, when a WebSocket is opened, in the query (?token=). It
// removes the latter from the request, so that it does not appear in logs.
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
