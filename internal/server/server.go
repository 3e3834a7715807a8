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

// Options are the options of a Server. Store, Live and Token are required.
type Options struct {
	Store Store
	Live  *client.Client // this machine's sessions
	Page  fs.FS          // the web page's files, with index.html; nil: no page
	Log   *slog.Logger   // nil: slog.Default()

	Token       string   // required; without a token no client has access
	OpenReading bool     // anyone may read
	Hosts       []string // accepted in the Host header, besides IP addresses and localhost
	TLS         bool     // clients reach the server only by https
	ReadOnly    bool     // no client may write
	AllowRun    bool     // clients may start commands of their choice
	NoToken     bool     // clients of Protocols need no token
	Version     string   // the program's version

	// Inside, if set, reports whether the client of a connection was, or may have been, started in
	// a recorded session.
	Inside func(client, server netip.AddrPort) bool
	// Start runs a command in a new detached session and returns the session's id. If it is nil,
	// sessions cannot be started.
	Start func(ctx context.Context, o StartOptions) (id string, err error)
	// Bridge is the command of /ws/pty. If it is empty, there is no bridge, unless BridgeServer is
	// set.
	Bridge []string
	// BridgeServer, if set, is the management server whose sessions are the terminals of /ws/pty.
	// The session "main" is started on demand; so are others, with the command Bridge, unless that
	// is empty.
	BridgeServer *client.Client
	// BridgeTTL is how long a session of the bridge without clients is kept; 0 means 30 s.
	BridgeTTL time.Duration

	// Health, if set, returns an error unless the database responds. GET /api/health then needs no
	// token. If it is nil, a protocol may have that path.
	Health func(ctx context.Context) error

	// Users, if set, are the users of the server. Token and OpenReading are then ignored.
	Users Users
	// SignIn, if set, lets the users' browsers sign in without a token.
	SignIn SignIn
	// URL is https://HOST, at which browsers reach the server if a proxy terminates TLS. If it is
	// empty, it is taken from the request.
	URL string

	// AgentRedact masks secrets in the screens at /ws/agent; nil masks nothing.
	AgentRedact *redact.Redactor
	// Usage, if set, returns the usage of sessions by id, as the API returns it.
	Usage     func(ctx context.Context, infos []*store.Info) map[string]any
	Past      Past
	Protocols []Protocol // for other programs' clients
}

// Store is a database of sessions. *sqlite.Store implements it.
type Store interface {
	store.Reader
	store.Writer
	store.Counter
}

// StartOptions describe a session to start.
type StartOptions struct {
	Command    []string
	Cwd        string // empty: the server's folder
	Cols, Rows int    // in cells
	Name       string // name of the bridge's session; empty for other sessions
}

// Past reads stored sessions, without secrets if redaction is on.
type Past interface {
	// Page returns entries of a session in order. If the raw log is not completely extracted, it
	// does that first. If that takes long, it returns the entries so far, of which the last may
	// still change, and how much of the raw log was read; otherwise the Reading is nil.
	Page(ctx context.Context, info *store.Info, span store.Span) (store.Page, *store.Reading, error)
	// Screen returns the screen at a time since the start in seconds, or the last one if at is
	// infinite. seq is the number of bytes of output before it.
	Screen(ctx context.Context, info *store.Info, at float64) (s screen.Screen, seq int64, err error)
	// Export writes a part of a session in one of the formats of the API. The error is ErrPart if
	// there is no entries in this range.
	Export(ctx context.Context, w io.Writer, format string, info *store.Info, part Part) error
}

// Part is the part of a session to export, as the flags of `ptyrec export` select it. Its zero
// value is the whole session.
type Part struct {
	From, To, Only string
	Animate        bool // svg: an animation
}

// ErrPart reports that the session has no entries in this range.
var ErrPart = errors.New("no entries in this range")

// Server is the handler of all requests. It must be closed after the last request.
type Server struct {
	Options
	log           *slog.Logger
	headerTimeout time.Duration
	connections   atomic.Int64
	most          int64 // maximum number of connections
	mux           *http.ServeMux
	handler       http.Handler         // mux with the guard and compression
	protocols     map[string]*Protocol // by pattern of their routes
	rest          http.Handler         // a protocol's handler for all other paths of the API; may be nil
	files         map[string]pageFile
	once          once
	states        states
	watch         watch
	bridges       bridges
	streams       chan struct{}  // contains a value for each WebSocket and event stream
	gate          sync.Mutex     // held while a stream is admitted, and while all are asked to end
	running       sync.WaitGroup // admitted streams, and the bridge's sessions
	stop          context.CancelFunc
	stopped       context.Context
}

// maxConnections is the maximum number of connections. Further ones are closed at once. A
// connection takes about 20 KiB.
const maxConnections = 4000

// count counts connections, and closes those that are too many.
func (s *Server) count(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if s.connections.Add(1) > s.most {
			_ = c.Close()
		}
	case http.StateClosed, http.StateHijacked: // a WebSocket counts as a stream
		s.connections.Add(-1)
	}
}

// maxStreams is the maximum number of WebSockets and event streams.
const maxStreams = 1000

// New returns a Server.
func New(o Options) *Server {
	s := &Server{Options: o, log: o.Log, mux: http.NewServeMux(), streams: make(chan struct{}, maxStreams),
		headerTimeout: 10 * time.Second, most: maxConnections}
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

// routes registers the handlers. openapi.yaml describes those of the API.
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

// Limits of HTTP. Slower clients are disconnected.
const (
	readTimeout  = 30 * time.Second
	writeTimeout = 30 * time.Second // for one write
	idleTimeout  = 2 * time.Minute
	// protocolWriteTimeout is the limit for one write to a protocol's client, which may pause while
	// it reads the output of a command.
	protocolWriteTimeout = time.Hour
	maxHeader            = 32 << 10 // in bytes
	shutdownTime         = 5 * time.Second
)

// Serve handles the connections to l until ctx is cancelled. It then ends all streams and the
// bridge's sessions, and returns when they have ended. The contexts of requests have the values of
// ctx.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: s.headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelInfo), ConnContext: s.connContext, ConnState: s.count,
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
		_ = h.Close() // disconnects slow readers
	}
	if err == nil {
		err = <-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close ends all streams and the bridge's sessions, and waits for them. It may be called more than
// once.
func (s *Server) Close() {
	s.gate.Lock()
	s.stop()
	s.gate.Unlock()
	s.bridges.close()
	s.running.Wait()
}

// enter admits a WebSocket or an event stream. leave must be called at its end.
func (s *Server) enter() (leave func(), err error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.stopped.Err() != nil {
		return nil, problem(http.StatusServiceUnavailable, "unavailable", "server is shutting down")
	}
	select {
	case s.streams <- struct{}{}:
	default:
		return nil, problem(http.StatusServiceUnavailable, "too_many", "too many streams: %d are open", maxStreams)
	}
	s.running.Add(1)
	return func() {
		<-s.streams
		s.running.Done()
	}, nil
}
