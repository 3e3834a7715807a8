package sandboxapi

import (
	"cmp"
	"net/http"

	"github.com/ptyrec/ptyrec/internal/process"
)

// oldRequest has the fields of requests from releases of the SDK before 0.4.
type oldRequest struct {
	ID      string      `json:"id"`      // 0.2 and 0.3: id of the session
	Options *oldOptions `json:"options"` // of a process
}

type oldOptions struct {
	ProcessID   string             `json:"processId"`
	SessionID   string             `json:"sessionId"`
	Timeout     float64            `json:"timeout"` // in milliseconds; 0: none
	Env         map[string]*string `json:"env"`
	Cwd         string             `json:"cwd"`
	AutoCleanup bool               `json:"autoCleanup"`
}

// renew copies the fields of an old release to those of newer ones.
func (c *commandRequest) renew() {
	c.SessionID = cmp.Or(c.SessionID, c.ID)
	o := c.Options
	if o == nil {
		return
	}
	c.SessionID, c.ProcessID, c.Cwd = cmp.Or(c.SessionID, o.SessionID), cmp.Or(c.ProcessID, o.ProcessID), cmp.Or(c.Cwd,
		o.Cwd)
	c.TimeoutMs, c.AutoCleanup = cmp.Or(c.TimeoutMs, o.Timeout), c.AutoCleanup || o.AutoCleanup
	if c.Env == nil {
		c.Env = o.Env
	}
}

// ofSession returns a function that selects processes for a request of 0.2 or 0.3, which names a
// session. For other requests it selects all.
func ofSession(r *http.Request) func(process.Info) bool {
	id := r.URL.Query().Get("session")
	return func(info process.Info) bool { return id == "" || info.Session == nameOf(id) }
}

// isOld reports whether a request for all processes comes from a release before 0.4, which sets a
// content type for its empty body.
func isOld(r *http.Request) bool {
	return r.URL.Query().Has("session") || r.Header.Get("Content-Type") != ""
}
