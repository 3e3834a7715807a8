package sandboxapi

import (
	"errors"
	"io/fs"
	"net/http"
	"os"

	"github.com/ptyrec/ptyrec/internal/process"
)

// createSession creates a shell session.
func (a *API) createSession(w http.ResponseWriter, r *http.Request) error {
	var o struct {
		ID               string             `json:"id"`
		Env              map[string]*string `json:"env"`
		Cwd              string             `json:"cwd"`
		CommandTimeoutMs float64            `json:"commandTimeoutMs"` // 0: none
		// Set by 0.2 and 0.3, for which an existing session is not an error.
		Isolation *bool `json:"isolation"`
	}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	timeout, err := timeoutOf(o.CommandTimeoutMs)
	if err != nil {
		return err
	}
	env, err := envOf(o.Env)
	if err != nil {
		return err
	}
	id := o.ID
	if id == "" {
		id = madeUpID("session")
	}
	cwd, err := folderOf(o.Cwd)
	if err != nil {
		return err
	}
	name := nameOf(id)
	err = a.Manager.CreateShell(r.Context(), sandboxOf(name), name, process.Shell{Env: env, Cwd: cwd, Timeout: timeout})
	if exists := errors.Is(err, process.ErrExists); exists && o.Isolation != nil {
		err = nil
	} else if exists {
		return failure(http.StatusConflict, codeSessionExists, "Session '%s' already exists", id).with("sessionId", id)
	}
	if err != nil {
		return err
	}
	// Releases of the SDK read the id from different fields. The placement is one of Cloudflare's.
	return respond(w, map[string]any{
		"id": id, "message": "Session created", "data": map[string]any{"id": id, "cwd": cwd, "env": env},
		"containerPlacementId": nil,
	})
}

// workspace is the container's folder that the SDK passes for its sessions.
const workspace = "/workspace"

// folderOf returns the start folder of a session: the requested one, or the server's if it is a
// container's folder that this machine does not have.
func folderOf(cwd string) (string, error) {
	info, err := os.Stat(cwd)
	switch {
	case cwd == "", cwd == workspace && errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", failure(http.StatusBadRequest, codeInvalid, "the session's folder: %v", err)
	case !info.IsDir():
		return "", failure(http.StatusBadRequest, codeInvalid, "the session's folder: %s is a file", cwd)
	}
	return cwd, nil
}

func (a *API) listSessions(w http.ResponseWriter, r *http.Request) error {
	ids, err := a.Manager.Shells(r.Context(), process.AnySandbox)
	if err != nil {
		return err
	}
	return respond(w, map[string]any{"data": append([]string{}, ids...)})
}

// deleteSession ends the running commands of a session, and deletes it.
func (a *API) deleteSession(w http.ResponseWriter, r *http.Request) error {
	var o struct {
		SessionID string `json:"sessionId"`
	}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if o.SessionID == "" {
		return failure(http.StatusBadRequest, codeInvalid, "sessionId is required")
	}
	name := nameOf(o.SessionID)
	err := a.Manager.DeleteShell(r.Context(), sandboxOf(name), name)
	if errors.Is(err, process.ErrNotFound) {
		return failure(http.StatusInternalServerError, codeInternal, "Session '%s' not found",
			o.SessionID).with("sessionId", o.SessionID)
	}
	if err != nil {
		return err
	}
	return respond(w, map[string]any{"sessionId": o.SessionID})
}
