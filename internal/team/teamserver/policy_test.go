package teamserver_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// ghToken has the form of a key.
const ghToken = "ghp_" + "x7K2mQ9vL4nR8tW3yB6cF1hJ5sD0gA2pZ9eU"

// Who may ask for the policy, and compare sessions.
func TestWhoMayReadThePolicy(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", shared, "shop", "needle")
	s.check(t, s.db.AddPattern(s.operator, redact.Pattern{Name: "customer", Regexp: "CUST-[0-9]+"}))
	_, digest := batch(1, "needle")
	compare := asJSON(map[string]any{"sessions": []any{map[string]any{"id": shared, "events": 1, "digest": digest}}})
	for _, who := range []string{"push", "stranger", "admin", "reader", "member", "owner", "auditor"} {
		var policy struct {
			Patterns []redact.Pattern
			Version  string
			Bytes    int `json:"max_bytes"`
		}
		s.check(t, json.Unmarshal([]byte(s.want(t, 200, who, "GET", "/api/push/policy", nil)), &policy))
		if len(policy.Patterns) != 1 || policy.Patterns[0].Regexp != "CUST-[0-9]+" || policy.Version == "" ||
			policy.Bytes == 0 {
			t.Errorf("%+v", policy)
		}
		want := `{"deleted":[],"differ":["` + shared + `"]}`
		if who == "owner" {
			want = `{"deleted":[],"differ":[]}`
		}
		if got := strings.TrimSpace(s.want(t, 200, who, "POST", "/api/push/check", compare)); got != want {
			t.Errorf("%s: %s", who, got)
		}
	}
	s.want(t, 401, "", "GET", "/api/push/policy", nil)
	s.want(t, 401, "", "POST", "/api/push/check", compare)
	if got := s.want(t, 200, "", "GET", "/api/health", nil); !strings.Contains(got, `"ok"`) {
		t.Errorf("health: %s", got)
	}
	s.want(t, 400, "owner", "POST", "/api/push/check",
		asJSON(map[string]any{"sessions": []any{map[string]any{"id": shared, "digest": "x"}}}))
	s.want(t, 400, "owner", "POST", "/api/push/check", []byte(`{"sessions":[{}`+strings.Repeat(",{}", 1000)+"]}"))
	s.want(t, 400, "owner", "POST", "/api/push/check", []byte("["))
	s.want(t, 413, "owner", "POST", "/api/push/check", make([]byte, 1<<20))
	s.check(t, s.db.Close())
	s.want(t, 503, "", "GET", "/api/health", nil)
}

// The server takes out secrets itself, and what its patterns match: of a sender that does not.
func TestServerMasksSecrets(t *testing.T) {
	s := newSite(t)
	s.check(t, s.db.AddPattern(s.operator, redact.Pattern{Name: "customer", Regexp: "CUST-[0-9]+"}))
	secret := "token " + ghToken + " of CUST-4711"
	body := asJSON(map[string]any{"session": session.Session{ID: shared, Title: secret,
		Command: []string{"claude", "--token", ghToken}, Cwd: "/w/CUST-4711", Cols: 80, Rows: 24},
		"name": secret, "note": secret, "tags": []string{"at-" + ghToken,
			"CUST-4711"}, "machine": "m", "version": 1, "space": "shop"})
	s.want(t, 200, "owner", "PUT", "/api/push/"+shared, body)
	entry := asJSON(session.Entry{ID: "e", Seq: 1, Type: session.TypeMessage, Role: session.RoleAssistant, Text: secret,
		Markdown: secret, Output: secret,
		Tool: &session.Tool{Name: "Bash", Input: secret, Output: secret}, Data: map[string]any{"deep": []any{secret}}})
	sum := sha256.Sum256(entry)
	digest := postgres.DigestOf([][sha256.Size]byte{sum})
	s.want(t, 204, "owner", "POST", "/api/push/"+shared+"/entries", []byte(`{"version":1,"entries":[`+string(entry)+`]}`))
	s.want(t, 204, "owner", "POST", "/api/push/"+shared+"/end",
		asJSON(map[string]any{"events": 0, "entries": 1, "digest": hex.EncodeToString(digest[:])}))
	for _, path := range []string{"/api/sessions/" + shared, "/api/sessions/" + shared + "/entries",
		"/api/sessions/" + shared + "/export?format=json", "/api/search?q=token", "/api/facets", "/api/sessions"} {
		got := s.want(t, 200, "reader", "GET", path, nil)
		if strings.Contains(got, ghToken[4:]) || strings.Contains(got, "CUST-4711") ||
			!strings.Contains(got, "[redacted:customer]") {
			t.Errorf("%s: %.500s", path, got)
		}
	}
	for _, word := range []string{"CUST-4711", ghToken} {
		if got := s.want(t, 200, "reader", "GET", "/api/search?q="+word, nil); strings.Contains(got, `"id":"e"`) {
			t.Errorf("%s is found: %s", word, fmt.Sprint(got))
		}
	}
	if err := s.db.AddPattern(s.operator, redact.Pattern{Name: "bad", Regexp: "("}); err == nil {
		t.Error("a pattern that is none is taken")
	}
}
