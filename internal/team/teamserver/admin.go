package teamserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// Admin is the API for admins to change users, tokens, spaces, retention and policy, and for
// auditors to read the audit. Its access is server.ShowSessions.
type Admin struct{ *Push }

// NewAdmin returns the API for the command team. The database decides what a user may do.
func NewAdmin(p *Push) *Admin { return &Admin{p} }

// maxCall is the maximum length of a call's body, in bytes.
const maxCall = 16 << 10

// adminArgs are the arguments of all calls. Each call uses some.
type adminArgs struct {
	Name    string    `json:"name"`
	User    string    `json:"user"`
	Role    string    `json:"role"`
	Email   string    `json:"email"`
	Kind    string    `json:"kind"`
	Space   string    `json:"space"`
	Expires time.Time `json:"expires_at"`
	ID      int64     `json:"id"`
	Session string    `json:"session"`
	Days    int64     `json:"days"`
	Hold    bool      `json:"hold"`
	Regexp  string    `json:"regexp"`
	Since   time.Time `json:"since"`
}

// Routes implements server.Handlers.
func (a *Admin) Routes() map[string]http.Handler {
	return map[string]http.Handler{"POST /api/team/{call}": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.serve(w, r); err != nil {
			a.refuse(w, r, err)
		}
	})}
}

// refuse responds with an error and a code for the database's error.
func (a *Admin) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var pattern *postgres.PatternError
	text := err.Error()
	if strings.HasPrefix(text, "database ") { // its location is the operator's business
		_, text, _ = strings.Cut(text, ": ")
	}
	switch {
	case errors.Is(err, postgres.ErrUnknown):
		a.Refuse(w, r, http.StatusNotFound, "unknown", text)
	case errors.Is(err, postgres.ErrTaken):
		a.Refuse(w, r, http.StatusConflict, "taken", text)
	case errors.Is(err, postgres.ErrNotMember):
		a.Refuse(w, r, http.StatusForbidden, "not_member", text)
	case errors.Is(err, postgres.ErrName), errors.Is(err, postgres.ErrEmail), errors.As(err, &pattern):
		a.Refuse(w, r, http.StatusBadRequest, "bad_request", text)
	case errors.Is(err, session.ErrForbidden):
		a.Refuse(w, r, http.StatusForbidden, "forbidden", "your role does not allow that")
	default:
		a.fail(w, r, err)
	}
}

func (a *Admin) serve(w http.ResponseWriter, r *http.Request) error {
	body, err := a.read(w, r, maxCall)
	if err != nil {
		return err
	}
	var args adminArgs
	if err := json.Unmarshal(body, &args); err != nil {
		return bad("%v", err)
	}
	call := r.PathValue("call")
	if call == "audit" {
		return a.audit(w, r, args.Since)
	}
	result, err := a.do(r.Context(), call, &args)
	if err == nil {
		writeJSON(w, http.StatusOK, map[string]any{"result": result})
	}
	return err
}

// do executes a call.
func (a *Admin) do(ctx context.Context, call string, o *adminArgs) (result any, err error) {
	switch call {
	case "users":
		return a.store.Users(ctx)
	case "tokens":
		return a.store.Tokens(ctx)
	case "spaces":
		return a.store.Spaces(ctx)
	case "held":
		return a.store.Held(ctx)
	case "patterns":
		return a.store.Patterns(ctx)
	case "add-token":
		if !slices.Contains([]string{postgres.KindUser, postgres.KindPush}, o.Kind) ||
			o.Kind == postgres.KindUser && o.Space != "" {
			return nil, bad("kind must be user or push, and space requires push")
		}
		return a.store.AddToken(ctx, postgres.NewToken{User: o.User, Name: o.Name, Kind: o.Kind, Space: o.Space,
			Expires: o.Expires})
	}
	return nil, a.change(ctx, call, o)
}

// change executes a call without a result.
func (a *Admin) change(ctx context.Context, call string, o *adminArgs) error {
	switch call {
	case "add-user":
		if !slices.Contains([]string{postgres.RoleMember, postgres.RoleAuditor, postgres.RoleAdmin}, o.Role) {
			return bad("role must be member, auditor or admin")
		}
		return a.store.AddUser(ctx, o.Name, o.Role)
	case "set-email":
		return a.store.SetEmail(ctx, o.Name, o.Email)
	case "remove-user":
		return a.store.RemoveUser(ctx, o.Name)
	case "remove-token":
		return a.store.RemoveToken(ctx, o.ID)
	case "add-space":
		return a.store.AddSpace(ctx, o.Name)
	case "set-member":
		if !slices.Contains([]string{"", "reader", "member"}, o.Role) {
			return bad("role must be reader, member or empty")
		}
		return a.store.SetMember(ctx, o.Space, o.User, o.Role)
	case "set-retention":
		if o.Days < 0 {
			return bad("days must be at least 0")
		}
		return a.store.SetRetention(ctx, o.Space, o.Days)
	case "hold":
		return a.store.Hold(ctx, o.Session, o.Hold)
	case "add-pattern":
		return a.store.AddPattern(ctx, redact.Pattern{Name: o.Name, Regexp: o.Regexp})
	case "remove-pattern":
		return a.store.RemovePattern(ctx, o.Name)
	}
	return bad("no such call")
}

// audit writes the rows of the audit, one a line. An error after the first row is the last line.
func (a *Admin) audit(w http.ResponseWriter, r *http.Request, since time.Time) error {
	out, began := json.NewEncoder(w), false
	err := a.store.Audit(r.Context(), since, func(rec postgres.Record) error {
		if !began {
			w.Header().Set("Content-Type", "application/x-ndjson")
		}
		began = true
		return out.Encode(rec)
	})
	if errors.Is(err, postgres.ErrAudit) || began && err != nil {
		// An error means that the client is gone.
		_ = out.Encode(map[string]any{"error": "the audit is damaged", "tampered": errors.Is(err, postgres.ErrAudit)})
		return nil
	}
	return err
}
