// Package commandsocket serves LangSmith's sandbox API at /langsmith: boxes, which are this
// machine's sandboxes, and the command socket of each, over which LangSmith's SDKs run commands.
//
// A command is independent of its connections. Its id is chosen by the client, and never runs twice
// in a box: an execute with a known id attaches to the command. Each socket receives all of the
// command's output from the offsets that it asks for, at its own pace.
//
// The messages are those of package protocol/command. HTTP errors are
// {"detail":{"error":TYPE,"message":TEXT}}.
package commandsocket

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/ptyrec/ptyrec/internal/process"
)

// Protocol is the handler of all paths below /langsmith. It implements server.Handlers.
type Protocol struct {
	commands *process.Manager
	log      *slog.Logger
	clients  clients
}

// New returns a Protocol that runs commands with m.
func New(m *process.Manager, log *slog.Logger) *Protocol {
	return &Protocol{commands: m, log: log}
}

// Routes implements server.Handlers.
func (p *Protocol) Routes() map[string]http.Handler {
	routes := map[string]http.Handler{}
	for pattern, h := range map[string]func(w http.ResponseWriter, r *http.Request) error{
		"POST /langsmith/boxes":                 p.createBox,
		"GET /langsmith/boxes":                  p.listBoxes,
		"GET /langsmith/boxes/{box}":            p.getBox,
		"DELETE /langsmith/boxes/{box}":         p.deleteBox,
		"GET /langsmith/boxes/{box}/status":     p.getStatus,
		"POST /langsmith/boxes/{box}/start":     p.startBox,
		"POST /langsmith/boxes/{box}/stop":      p.stopBox,
		"POST /langsmith/boxes/{box}/execute":   p.execute,
		"GET /langsmith/boxes/{box}/execute/ws": p.socket,
		"/langsmith/":                           p.nothing,
	} {
		routes[pattern] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				p.fail(w, r, err)
			}
		})
	}
	return routes
}

// Refuse implements server.Handlers.
func (p *Protocol) Refuse(w http.ResponseWriter, _ *http.Request, status int, _, message string) {
	kind := map[int]string{
		http.StatusUnauthorized: "Unauthorized", http.StatusForbidden: "PermissionDenied",
		http.StatusServiceUnavailable: "ServiceUnavailable",
	}[status]
	refuse(w, &problem{status, kind, message})
}

// problem is an error to send to the client.
type problem struct {
	status  int
	kind    string // empty: InvalidRequest
	message string
}

func (e *problem) Error() string { return e.message }

func problemf(status int, kind, format string, args ...any) error {
	return &problem{status, kind, fmt.Sprintf(format, args...)}
}

// errAnswered reports that the client has already received a response.
var errAnswered = errors.New("answered")

// fail sends an error to the client.
func (p *Protocol) fail(w http.ResponseWriter, r *http.Request, err error) {
	var known *problem
	switch {
	case errors.Is(err, errAnswered) || r.Context().Err() != nil:
		return
	case errors.As(err, &known):
	case errors.Is(err, process.ErrNotFound):
		known = &problem{http.StatusNotFound, "NotFound", fmt.Sprintf("no sandbox %q", r.PathValue("box"))}
	case errors.Is(err, process.ErrExists):
		known = &problem{http.StatusConflict, "Conflict", "a sandbox of this name " + process.ErrExists.Error()}
	case errors.Is(err, process.ErrBadID):
		known = &problem{http.StatusBadRequest, "", err.Error()}
	case errors.Is(err, process.ErrStart), errors.Is(err, process.ErrExpired):
		known = &problem{http.StatusBadRequest, "CommandError", err.Error()}
	case errors.Is(err, process.ErrTooMany):
		w.Header().Set("Retry-After", "1")
		known = &problem{http.StatusTooManyRequests, "TooManyCommands", err.Error()}
	default:
		p.log.ErrorContext(r.Context(), "langsmith", "path", r.URL.Path, "error", err)
		known = &problem{http.StatusInternalServerError, "InternalError", "internal error; see the server's log"}
	}
	refuse(w, known)
}

func refuse(w http.ResponseWriter, e *problem) {
	kind := e.kind
	if kind == "" {
		kind = "InvalidRequest"
	}
	respond(w, e.status, map[string]any{"detail": map[string]string{"error": kind, "message": e.message}})
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // the client may be gone
}

// decode decodes the body of a request. An empty body is {}.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxMessage))
	if err := d.Decode(v); err != nil && r.ContentLength != 0 {
		return problemf(http.StatusBadRequest, "", "%v", malformed(err))
	}
	return nil
}

// malformed returns a decoding error without the names of Go types.
func malformed(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s must not be a JSON %s", cmp.Or(kind.Field, "the message"), kind.Value)
	}
	return fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// nothing rejects requests for features that only LangSmith's own sandboxes have.
func (p *Protocol) nothing(_ http.ResponseWriter, r *http.Request) error {
	return problemf(http.StatusNotFound, "NotFound", "ptyrec does not serve %s %s", r.Method, r.URL.Path)
}

// asker names the client of a request, for the session's record.
func asker(r *http.Request) string {
	return strings.TrimSpace(fmt.Sprintf("%.200s %s", r.UserAgent(), r.RemoteAddr))
}
