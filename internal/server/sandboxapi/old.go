package sandboxapi

import (
	"cmp"
	"net/http"

	"github.com/ptyrec/ptyrec/internal/process"
)

// oldRequest has the fields by which releases of the SDK before 0.4 ask for commands and processes.
type oldRequest struct {
	ID      string      `json:"id"`      // 0.2 and 0.3: of the session
	Options *oldOptions `json:"options"` // of a process
}

type oldOptions struct {
	ProcessID   string             `json:"processId"`
	SessionID   string             `json:"sessionId"`
	Timeout     float64            `json:"timeout"` // in ms; 0: none
	Env         map[string]*string `json:"env"`
	Cwd         string             `json:"cwd"`
	AutoCleanup bool               `json:"autoCleanup"`
}

// renew puts what an old release says where newer ones say it.
func (c *commandRequest) renew() {
	c.SessionID = cmp.Or(c.SessionID, c.ID)
	o := c.Options
	if o == nil {
		return
	}
	c.SessionID, c.ProcessID, c.Cwd = cmp.Or(c.SessionID, o.SessionID), cmp.Or(c.ProcessID, o.ProcessID), cmp.Or(c.Cwd, o.Cwd)
	c.TimeoutMs, c.AutoCleanup = cmp.Or(c.TimeoutMs, o.Timeout), c.AutoCleanup || o.AutoCleanup
	if c.Env == nil {
		c.Env = o.Env
	}
}

// ofSession returns whether a process is one that a request of 0.2 or 0.3 is about: it names a
// session. All others are about every process.
func ofSession(r *http.Request) func(process.Info) bool {
	id := r.URL.Query().Get("session")
	return func(info process.Info) bool { return id == "" || info.Session == nameOf(id) }
}

// isOld reports whether a request for all processes comes from a release before 0.4, which says
// what type its empty body has.
func isOld(r *http.Request) bool {
	return r.URL.Query().Has("session") || r.Header.Get("Content-Type") != ""
}
