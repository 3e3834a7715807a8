package teamserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// Logins lets machines log in through a browser. A machine sends the SHA-256 of a token that it has
// created. A user admits it by the code that both show, which makes the token valid. Its access is
// server.Anybody: a machine that logs in has no token yet, and the database decides who may admit
// it.
type Logins struct{ push *Push }

// NewLogins returns the API for logins to a database.
func NewLogins(p *Push) Logins { return Logins{push: p} }

// Refuse implements server.Handlers.
func (l Logins) Refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	l.push.Refuse(w, r, status, code, message)
}

// maxLogin is the maximum length of a request's body, in bytes.
const maxLogin = 1 << 10

// Routes implements server.Handlers.
func (l Logins) Routes() map[string]http.Handler {
	routes := map[string]http.Handler{}
	for pattern, h := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST /api/logins": l.add, "GET /api/logins/{code}": l.get, "POST /api/logins/{code}": l.admit,
		"DELETE /api/logins/{code}": l.reject,
	} {
		routes[pattern] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch err := h(w, r); {
			case errors.Is(err, session.ErrForbidden):
				l.Refuse(w, r, http.StatusUnauthorized, "unauthorized", "sign in first, as a user")
			case errors.Is(err, session.ErrNotFound):
				l.Refuse(w, r, http.StatusNotFound, "not_found",
					"no login waits for this code: a code is valid once, for 10 minutes")
			case err != nil:
				l.push.fail(w, r, err)
			}
		})
	}
	return routes
}

// add registers a machine that waits to be admitted.
func (l Logins) add(w http.ResponseWriter, r *http.Request) error {
	body, err := l.push.read(w, r, maxLogin)
	if err != nil {
		return err
	}
	var o team.Login
	if err := json.Unmarshal(body, &o); err != nil {
		return bad("%v", err)
	}
	hash, err := hex.DecodeString(o.Hash)
	if err != nil || len(hash) != sha256.Size {
		return bad("hash must be the SHA-256 of the token in hexadecimal")
	}
	ctx := r.Context()
	if postgres.ViewerOf(ctx).User == 0 {
		ctx = as(r, postgres.Viewer{})
	}
	waiting, err := l.push.store.AddLogin(ctx, [sha256.Size]byte(hash), o.Name)
	if errors.Is(err, postgres.ErrName) {
		return bad("name must have at most 64 bytes")
	}
	if err == nil {
		writeJSON(w, http.StatusCreated, waiting)
	}
	return err
}

// get responds with the machine that has the code.
func (l Logins) get(w http.ResponseWriter, r *http.Request) error {
	waiting, err := l.push.store.MachineLogin(r.Context(), r.PathValue("code"))
	if err == nil {
		writeJSON(w, http.StatusOK, waiting)
	}
	return err
}

func (l Logins) admit(w http.ResponseWriter, r *http.Request) error {
	err := l.push.store.Admit(r.Context(), r.PathValue("code"))
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

func (l Logins) reject(w http.ResponseWriter, r *http.Request) error {
	err := l.push.store.Reject(r.Context(), r.PathValue("code"))
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}
