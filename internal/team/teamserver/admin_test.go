package teamserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/store"
)

// Admins change users, tokens, spaces, retention and policy, and read nothing by that; auditors
// read the audit. Everybody else is refused.
func TestAdminsChangeAndDoNotRead(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", shared, "shop", "needle")
	const (
		forAdmins   = "401 403 403 200 403 403 403 403"
		forAuditors = "401 403 403 403 403 403 403 200"
		wrong       = "401 400 400 400 400 400 400 400"
		unknown     = "401 403 403 404 403 403 403 403"
	)
	for _, c := range []struct{ call, body, want string }{
		{"users", "{}", forAdmins},
		{"tokens", "{}", forAdmins},
		{"spaces", "{}", forAdmins},
		{"held", "{}", forAdmins},
		{"patterns", "{}", listing},
		{"audit", `{"since": "2020-01-01T00:00:00Z"}`, forAuditors},
		{"add-user", `{"name": "new", "role": "member"}`, forAdmins},
		{"add-user", `{"name": "new", "role": "member"}`, "401 403 403 409 403 403 403 403"},
		{"add-user", `{"name": "../new", "role": "member"}`, wrong},
		{"add-user", `{"name": "root", "role": "operator"}`, wrong},
		{"add-token", `{"user": "new", "kind": "user"}`, forAdmins},
		{"add-token", `{"user": "new", "kind": "operator"}`, wrong},
		{"add-token", `{"user": "nobody", "kind": "user"}`, unknown},
		{"add-token", `{"user": "new", "kind": "push", "space": "shop"}`, "401 403 403 403 403 403 403 403"},
		{"add-space", `{"name": "api"}`, forAdmins},
		{"set-member", `{"space": "api", "user": "new", "role": "reader"}`, forAdmins},
		{"set-member", `{"space": "api", "user": "new", "role": "owner"}`, wrong},
		{"set-member", `{"space": "none", "user": "new", "role": "reader"}`, unknown},
		{"set-retention", `{"space": "api", "days": 90}`, forAdmins},
		{"set-retention", `{"space": "api", "days": -1}`, wrong},
		{"hold", `{"session": "` + shared + `", "hold": true}`, forAdmins},
		{"hold", `{"session": "` + shared + `", "hold": false}`, forAdmins},
		{"hold", `{"session": "` + store.NewID() + `", "hold": true}`, unknown},
		{"hold", `{"session": "019a", "hold": true}`, unknown}, // the beginnings of ids lead nowhere
		{"add-pattern", `{"name": "bad", "regexp": "["}`, wrong},
		{"remove-pattern", `{"name": "none"}`, unknown},
		{"set-retention", `{"space": "none", "days": 1}`, unknown},
		{"set-retention", `{"space": "api", "days": 1e30}`, wrong},
		{"add-pattern", `{"name": "customer", "regexp": "CUST-[0-9]+"}`, forAdmins},
		{"remove-pattern", `{"name": "customer"}`, forAdmins},
		{"remove-token", `{"id": 999999}`, unknown},
		{"remove-user", `{"name": "new"}`, forAdmins},
		{"no-such-call", "{}", wrong},
		{"users", "[", wrong},
	} {
		for i, status := range strings.Fields(c.want) {
			if got, text := s.do(t, who[i], "POST", "/api/team/"+c.call, []byte(c.body)); fmt.Sprint(got) != status {
				t.Errorf("%s: %s %s: %d, want %s: %.200s", who[i], c.call, c.body, got, status, text)
			}
		}
	}
	s.want(t, 413, "admin", "POST", "/api/team/users", []byte(`"`+strings.Repeat("x", 20<<10)+`"`))
	audit := s.want(t, 200, "auditor", "POST", "/api/team/audit", []byte(`{"since": "2020-01-01T00:00:00Z"}`))
	if !strings.Contains(audit, `"user":"admin"`) || !strings.Contains(audit, `"about":"new removed"`) ||
		strings.Contains(audit, "ptr_") || strings.Contains(audit, `"error"`) {
		t.Errorf("%s", audit)
	}
}
