// Package sandboxapi serves the process API of the Cloudflare Sandbox SDK at the root of a server.
//
// Clients of the SDK find the paths and messages of the SDK's container here, but commands are
// recorded and survive the server. Other features of the SDK, such as files and git, are rejected
// with their names.
package sandboxapi

import (
	"log/slog"
	"net/http"
	"sync"

	"github.com/ptyrec/ptyrec/internal/process"
)

// Options are the options of an API. Manager is required.
type Options struct {
	Manager *process.Manager
	Version string       // the program's version
	Log     *slog.Logger // nil: slog.Default()
}

// API handles the SDK's requests. It may be used concurrently.
type API struct {
	Options
	mux *http.ServeMux // for requests over a WebSocket

	mu        sync.Mutex     // guards terminals
	terminals map[string]int // number of ended terminals, by session
}

// New returns an API.
func New(o Options) *API {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	a := &API{Options: o, mux: http.NewServeMux(), terminals: map[string]int{}}
	for pattern, h := range a.requests() {
		a.mux.Handle(pattern, h)
	}
	a.mux.Handle("/", a.handle(a.unknown))
	return a
}

// Routes implements server.Handlers.
func (a *API) Routes() map[string]http.Handler {
	routes := a.requests()
	routes["GET /ws"] = a.handle(a.socket)
	routes["GET /ws/pty"] = a.handle(a.terminal)
	return routes
}

// requests returns the handlers for requests over HTTP and over a WebSocket.
func (a *API) requests() map[string]http.Handler {
	routes := map[string]http.Handler{}
	for pattern, h := range map[string]handler{
		"GET /api/ping":                a.ping,
		"GET /api/health":              a.ping,
		"GET /api/version":             a.version,
		"POST /api/session/create":     a.createSession,
		"GET /api/session/list":        a.listSessions,
		"POST /api/session/delete":     a.deleteSession,
		"POST /api/execute":            a.execute,
		"POST /api/execute/stream":     a.executeStream,
		"POST /api/process/start":      a.startProcess,
		"GET /api/process/list":        a.listProcesses,
		"POST /api/process/cleanup":    a.cleanup,
		"DELETE /api/process/kill-all": a.killAll,
		"GET /api/process/{id}":        a.getProcess,
		"DELETE /api/process/{id}":     a.killProcess,
		"GET /api/process/{id}/logs":   a.logs,
		"GET /api/process/{id}/stream": a.stream,
		"POST /api/port-watch":         a.watchPort,
		"/api/":                        a.unknown,
	} {
		routes[pattern] = a.handle(h)
	}
	for what, paths := range unserved {
		for _, path := range paths {
			routes[path] = a.handle(func(http.ResponseWriter, *http.Request) error {
				return failure(http.StatusNotFound, codeUnknown, "ptyrec does not serve %s", what)
			})
		}
	}
	return routes
}

// unserved are the SDK's features that are not served, with their paths.
var unserved = map[string][]string{
	"files": {
		"/api/read", "/api/read/", "/api/write", "/api/write/", "/api/delete", "/api/rename", "/api/move", "/api/mkdir",
		"/api/list-files", "/api/exists",
		"/api/watch", "/api/watch/",
	},
	"git":           {"/api/git/"},
	"code contexts": {"/api/contexts", "/api/contexts/", "/api/execute/code"},
	"backups":       {"/api/backup/"},
	"desktops":      {"/api/desktop/"},
	"exposed ports": {"/api/expose-port", "/api/unexpose-port", "/api/exposed-ports", "/api/exposed-ports/",
		"/proxy/"},
	"a list of commands":  {"/api/commands"},
	"the RPC of SDK 0.13": {"/rpc", "/ws/terminal"},
}

// unknown rejects paths that neither the SDK nor ptyrec has.
func (a *API) unknown(http.ResponseWriter, *http.Request) error {
	return failure(http.StatusNotFound, codeUnknown, "The requested endpoint was not found")
}

// ping responds that the server is running. Releases of the SDK read different fields.
func (a *API) ping(w http.ResponseWriter, _ *http.Request) error {
	return respond(w, map[string]any{"status": "healthy", "message": "pong"})
}

func (a *API) version(w http.ResponseWriter, _ *http.Request) error {
	return respond(w, map[string]any{"version": a.Version})
}
