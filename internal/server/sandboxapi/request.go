package sandboxapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/internal/process"
)

// maxBody is the maximum length of a request's body, in bytes. A command may be nearly as long.
const maxBody = 8 << 20

// decode decodes the body of a request.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(v)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the response may take long; an error does no harm
	var tooLarge *http.MaxBytesError
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLarge):
		return failure(http.StatusRequestEntityTooLarge, codeInvalid, "the request is longer than %d bytes", maxBody)
	case errors.As(err, &wrongType):
		return failure(http.StatusBadRequest, codeInvalid, "%s must not be a %s", wrongType.Field, wrongType.Value)
	}
	e := failure(http.StatusInternalServerError, codeInternal, "Failed to parse request body: %v", err)
	e.cause = err
	return e
}

// commandRequest is a request for a command or a process.
type commandRequest struct {
	Command     string             `json:"command"`
	SessionID   string             `json:"sessionId"`
	ProcessID   string             `json:"processId"`
	TimeoutMs   float64            `json:"timeoutMs"` // 0: the session's
	Env         map[string]*string `json:"env"`       // null leaves the variable unchanged
	Cwd         string             `json:"cwd"`
	AutoCleanup bool               `json:"autoCleanup"`
	Background  bool               `json:"background"`
	oldRequest
}

// noSession is the id that the SDK sends for a command without a session.
const noSession = "__DISABLE_SESSION__"

// defaultSession is the session of requests that name none.
const defaultSession = "default"

// spec returns the Spec for the command in the request r.
func (c *commandRequest) spec(r *http.Request) (process.Spec, error) {
	c.renew()
	switch {
	case strings.TrimSpace(c.Command) == "":
		return process.Spec{}, failure(http.StatusBadRequest, codeInvalidCommand, "Invalid command: empty command provided")
	case strings.Contains(c.Command, "\x00"):
		return process.Spec{}, failure(http.StatusBadRequest, codeInvalidCommand,
			"Invalid command: it contains a NUL character")
	}
	timeout, err := timeoutOf(c.TimeoutMs)
	if err != nil {
		return process.Spec{}, err
	}
	env, err := envOf(c.Env)
	if err != nil {
		return process.Spec{}, err
	}
	id := nameOf(c.SessionID)
	s := process.Spec{
		Sandbox: sandboxOf(id), ID: c.ProcessID, Command: c.Command, Session: id, Cwd: c.Cwd, Env: env, Timeout: timeout,
		CloseStdin: true,
		By:         by(r),
	}
	if id == noSession {
		s.Session = ""
	}
	return s, nil
}

// oddName matches what is not allowed in a name here, but is in a session's id of the SDK.
var oddName = lazy.Regexp(`^[.]|[^A-Za-z0-9._-]|^.{101,}`)

// nameOf returns the name of the session with an id.
func nameOf(id string) string {
	if id == "" {
		return defaultSession
	}
	if !oddName().MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return fmt.Sprintf("%.100s-%x", strings.TrimLeft(oddByte().ReplaceAllString(id, "_"), "."), sum[:4])
}

var oddByte = lazy.Regexp(`[^A-Za-z0-9._-]`)

// sandboxOf returns the sandbox of a session: the SDK creates the session sandbox-NAME for its
// sandbox NAME. Other sessions have a sandbox with their own name.
func sandboxOf(session string) string {
	if session == noSession {
		return defaultSession
	}
	if name, ok := strings.CutPrefix(session, "sandbox-"); ok && name != "" {
		return name
	}
	return session
}

// start starts a command. It creates the command's session if it does not exist.
func (a *API) start(ctx context.Context, s process.Spec) (c *process.Command, existed bool, err error) {
	c, existed, err = a.Manager.Start(ctx, s)
	if s.Session == "" || !errors.Is(err, process.ErrNotFound) {
		return c, existed, err
	}
	if err := a.Manager.CreateShell(ctx, s.Sandbox, s.Session, process.Shell{}); err != nil &&
		!errors.Is(err, process.ErrExists) {
		return nil, false, err
	}
	return a.Manager.Start(ctx, s)
}

// maxTimeout is the maximum timeout that a client may set, about 24 days: the limit of the SDK's
// timers.
const maxTimeout = (1 << 31) * time.Millisecond

func timeoutOf(ms float64) (time.Duration, error) {
	if ms < 0 || ms > float64(maxTimeout.Milliseconds()) {
		return 0, failure(http.StatusBadRequest, codeInvalid, "the timeout must be 0 to %d ms", maxTimeout.Milliseconds())
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

var variable = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

func envOf(sent map[string]*string) (map[string]string, error) {
	env := map[string]string{}
	for name, value := range sent {
		switch {
		case !variable().MatchString(name):
			return nil, failure(http.StatusBadRequest, codeInvalid, "%q is not a variable name", name)
		case value == nil:
		case strings.Contains(*value, "\x00"):
			return nil, failure(http.StatusBadRequest, codeInvalid, "the variable %s contains a NUL character", name)
		default:
			env[name] = *value
		}
	}
	return env, nil
}

// by names the client of a request.
func by(r *http.Request) string {
	agent := r.UserAgent()
	if agent == "" {
		agent = "a client"
	}
	return fmt.Sprintf("%.200s at %s", agent, r.RemoteAddr)
}
