package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// Options say what is shown, and to whom. Store, Live and Token are needed.
type Options struct {
	Store Store
	Live  *client.Client // this machine's sessions
	Page  fs.FS          // the web page's files, with index.html; nil: none
	Log   *slog.Logger   // nil: slog.Default()

	Token       string   // required; without it no client has access
	OpenReading bool     // anybody may read
	Hosts       []string // accepted in Host, besides IP addresses and localhost
	TLS         bool     // clients reach the server by https only
	ReadOnly    bool     // nobody may write
	AllowRun    bool     // clients may start commands of their choice
	NoToken     bool     // clients of Protocols need no token
	Version     string   // of the program

	// Inside, if set, reports whether the client of a connection was started in a recorded
	// session, or may have been.
	Inside func(client, server netip.AddrPort) bool
	// Start runs a command in a new detached session and returns the session's id. nil: no
	// session can be started.
	Start func(ctx context.Context, o StartOptions) (id string, err error)
	// Bridge is the command of /ws/pty; empty: there is no bridge, unless BridgeServer is set.
	Bridge []string
	// BridgeServer, if set, is the management server whose sessions are the terminals of /ws/pty.
	// "main" is started if it is not there; so are others, with the command Bridge, unless that is
	// empty.
	BridgeServer *client.Client
	// BridgeTTL is how long a session of the bridge without clients lives; 0: 30 s.
	BridgeTTL time.Duration

	// Health, if set, returns an error unless the database answers. Then anybody may ask for
	// GET /api/health; otherwise a protocol may have that path.
	Health func(ctx context.Context) error

	// Users, if set, are the people who use the server. Then Token and OpenReading do not count.
	Users Users
	// SignIn, if set, is where their browsers sign in without a token.
	SignIn SignIn
	// URL is https://HOST, by which browsers reach the server if a proxy speaks TLS for it; empty:
	// they name it themselves.
	URL string

	// AgentRedact hides secrets in the screens at /ws/agent; nil: hides nothing.
	AgentRedact *redact.Redactor
	// Usage, if set, returns what sessions used, by their ids, as the API shows it.
	Usage     func(ctx context.Context, infos []*store.Info) map[string]any
	Past      Past
	Protocols []Protocol // of other programs' clients
}

// Store has the sessions. *sqlite.Store is one.
type Store interface {
	store.Reader
	store.Writer
	store.Counter
}

// StartOptions describe a session to start.
type StartOptions struct {
	Command    []string
	Cwd        string // empty: the server's
	Cols, Rows int    // cells
	Name       string // of the bridge's session; empty: the session is not the bridge's
}

// Past reads what is stored, without secrets if redaction is on.
type Past interface {
	// Page returns entries of a session in order. It first reads the raw log if that has not been
	// done to its end. If that takes long, it returns the entries up to now, of which the last may
	// still change, and how much of the raw log was read; otherwise nil.
	Page(ctx context.Context, info *store.Info, span store.Span) (store.Page, *store.Reading, error)
	// Screen returns the screen at a time since the start in seconds, or the last one if at is
	// infinite. seq is the number of bytes of output before it.
	Screen(ctx context.Context, info *store.Info, at float64) (s screen.Screen, seq int64, err error)
	// Export writes a part of a session in one of the formats of the API. The error is ErrPart if
	// there is no such part.
	Export(ctx context.Context, w io.Writer, format string, info *store.Info, part Part) error
}

// Part chooses what is exported of a session, as the flags of `ptyrec export` do. Its zero value is
// all of it.
type Part struct {
	From, To, Only string
	Animate        bool // svg: a film
}

// ErrPart says that there is no such part of a session.
var ErrPart = errors.New("no such part")

// Server is the handler of all requests. Close it when no more come.
type Server struct {
	Options
	log           *slog.Logger
	headerTimeout time.Duration
	connections   atomic.Int64
	most          int64 // connections at a time
	mux           *http.ServeMux
	handler       http.Handler         // mux, guarded and compressed
	protocols     map[string]*Protocol // by the patterns of their routes
	rest          http.Handler         // a protocol's handler, for the rest of the API's paths; may be nil
	files         map[string]pageFile
	once          once
	states        states
	watch         watch
	bridges       bridges
	streams       chan struct{}  // holds a value for each WebSocket and event stream
	gate          sync.Mutex     // is held while one is let in, or all are told to leave
	running       sync.WaitGroup // those who are in, and the bridge's sessions
	stop          context.CancelFunc
	stopped       context.Context
}

// maxConnections is how many connections there may be at a time; more are closed at once. One takes
// about 20 KiB.
const maxConnections = 4000

// count counts connections, and closes those that are too many.
func (s *Server) count(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if s.connections.Add(1) > s.most {
			_ = c.Close()
		}
	case http.StateClosed, http.StateHijacked: // WebSockets are streams
		s.connections.Add(-1)
	}
}

// maxStreams is how many WebSockets and event streams there may be at a time.
const maxStreams = 1000

// New makes a server.
func New(o Options) *Server {
	s := &Server{Options: o, log: o.Log, mux: http.NewServeMux(), streams: make(chan struct{}, maxStreams), headerTimeout: 10 * time.Second, most: maxConnections}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.watch.init(s)
	s.bridges.init(s)
	s.routes()
	s.addProtocols()
	s.handler = s.guard(compressed(s.mux))
	var err error
	if s.files, err = loadPage(o.Page); err != nil {
		s.log.Error("the page cannot be read", "error", err)
	}
	return s
}

// compressed compresses responses for clients that accept it (gzip, zstd).
func compressed(next http.Handler) http.Handler {
	wrapped := gzhttp.GzipHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isUpgrade(r) {
			next.ServeHTTP(w, r) // a WebSocket takes over the connection
			return
		}
		wrapped.ServeHTTP(w, r)
	})
}

// routes maps paths to handlers. openapi.yaml describes those of the API.
func (s *Server) routes() {
	for pattern, h := range map[string]handler{
		"GET /api/info":                   s.info,
		"GET /api/login":                  s.ways,
		"POST /api/login":                 s.login,
		"DELETE /api/login":               s.logout,
		"GET /api/events":                 s.watchSessions,
		"GET /api/sessions":               s.listSessions,
		"POST /api/sessions":              s.startSession,
		"GET /api/sessions/{id}":          s.getSession,
		"PATCH /api/sessions/{id}":        s.labelSession,
		"DELETE /api/sessions/{id}":       s.deleteSession,
		"GET /api/sessions/{id}/entries":  s.listEntries,
		"GET /api/sessions/{id}/events":   s.watchSession,
		"GET /api/sessions/{id}/screen":   s.getScreen,
		"GET /api/sessions/{id}/raw":      s.getRaw,
		"GET /api/sessions/{id}/export":   s.exportSession,
		"GET /api/sessions/{id}/control":  s.getControl,
		"POST /api/sessions/{id}/control": s.setControl,
		"POST /api/sessions/{id}/input":   s.sendInput,
		"POST /api/sessions/{id}/prompt":  s.sendPrompt,
		"POST /api/sessions/{id}/resize":  s.resize,
		"POST /api/sessions/{id}/kill":    s.kill,
		"GET /api/sessions/{id}/live":     s.live,
		"GET /api/search":                 s.search,
		"GET /api/facets":                 s.getFacets,
		"GET /ws/agent/{id}":              s.agent,
		"GET /ws/pty/{name}":              s.pty,
		"/api/":                           s.nothing,
		"/ws/":                            s.nothing,
		"GET " + openPath:                 s.open,
		"/":                               s.page,
	} {
		s.mux.Handle(pattern, s.handle(h))
	}
	for pattern, h := range s.linkRoutes() {
		s.mux.Handle(pattern, s.handle(h))
	}
	if s.SignIn != nil {
		s.mux.Handle("GET "+signInPath, s.handle(s.beginSignIn))
		s.mux.Handle("GET "+signedInPath, s.handle(s.finishSignIn))
	}
	if s.Health != nil {
		s.mux.Handle("GET "+healthPath, s.handle(s.health))
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Limits of HTTP: slower clients are cut off.
const (
	readTimeout  = 30 * time.Second
	writeTimeout = 30 * time.Second // of one write
	idleTimeout  = 2 * time.Minute
	// protocolWriteTimeout is that of one write to a protocol's client, which may pause while
	// it reads the output of a command.
	protocolWriteTimeout = time.Hour
	maxHeader            = 32 << 10 // bytes
	shutdownTime         = 5 * time.Second
)

// Serve answers what comes to l until ctx is over; then it ends all streams and the bridge's
// sessions, and returns when nothing of it is left. The contexts of requests have the values of
// ctx.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: s.headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelInfo), ConnContext: s.connContext, ConnState: s.count,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	s.Close()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if h.Shutdown(late) != nil {
		_ = h.Close() // who still reads is cut off
	}
	if err == nil {
		err = <-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close ends all streams and the bridge's sessions, and waits for it. Further calls do nothing.
func (s *Server) Close() {
	s.gate.Lock()
	s.stop()
	s.gate.Unlock()
	s.bridges.close()
	s.running.Wait()
}

// enter lets a WebSocket or an event stream in; leave must be called.
func (s *Server) enter() (leave func(), err error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.stopped.Err() != nil {
		return nil, problem(http.StatusServiceUnavailable, "unavailable", "server is shutting down")
	}
	select {
	case s.streams <- struct{}{}:
	default:
		return nil, problem(http.StatusServiceUnavailable, "too_many", "there are %d streams already", maxStreams)
	}
	s.running.Add(1)
	return func() {
		<-s.streams
		s.running.Done()
	}, nil
}
