package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// `team serve` shows the sessions in PostgreSQL by the API of every server; what
// records refuses such a database.
func TestServePostgreSQL(t *testing.T) {
	t.Parallel()
	dsn := pgtest.New(t)
	id := storeInPostgreSQL(t, dsn)
	environ, _ := liveEnv(t)
	environ = append(environ, "PTYREC_DB="+dsn)
	url, _, _ := servedBy(t, environ, "team", "serve")
	team := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "ptyrec", append([]string{"team"}, args...)...)
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	team("user", "add", "eve", "--auditor")
	team("space", "add", "shop")
	team("space", "member", "shop", "eve", "--reader")
	token := team("token", "add", "--user", "eve", "--for", "90d", "--name", "test")
	if users, spaces, tokens := team("user", "list"), team("space", "list"), team("token",
		"list"); users != "eve\tauditor" || spaces != "shop\teve (reader)" || !strings.HasPrefix(tokens, "1\teve\tuser") {
		t.Errorf("%q, %q, %q", users, spaces, tokens)
	}
	team("retention", "set", "shop", "90d")
	team("retention", "hold", id)
	team("policy", "add", "customer", "CUST-[0-9]+")
	if retention, policy := team("retention", "list"), team("policy", "list"); retention != "shop\t90d\nhold\t"+id ||
		policy != "customer\tCUST-[0-9]+" {
		t.Errorf("%q, %q", retention, policy)
	}
	team("retention", "release", id)
	team("retention", "set", "shop", "never")
	team("policy", "rm", "customer")
	if retention, policy := team("retention", "list"), team("policy", "list"); retention != "shop\tnever" || policy != "" {
		t.Errorf("%q, %q", retention, policy)
	}
	get := func(path string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %v: %s", path, answer.Status, err, body)
		}
		return string(body)
	}
	for path, want := range map[string]string{
		"/api/sessions": id, "/api/health": "ok", "/api/sessions/last": `"status":"ended"`, "/api/facets": `"total":1`,
		"/api/sessions/last/entries": "needle", "/api/search?q=NEEDLE": "needle", "/api/sessions/last/raw": "raw needle",
		"/api/sessions/last/screen?format=text": "raw needle", "/api/sessions/last/export?format=md": "needle",
		"/api/sessions/last/export?format=cast": "raw needle", "/api/sessions/last/export?format=html": "needle",
		"/": "<html",
	} {
		if got := get(path); !strings.Contains(got, want) {
			t.Errorf("%s: %.300s", path, got)
		}
	}
	var list struct{ Sessions []struct{ Status string } }
	if err := json.Unmarshal([]byte(get("/api/sessions?live=true")), &list); err != nil || len(list.Sessions) != 0 {
		t.Errorf("live: %+v, %v", list, err)
	}
	if audit := team("audit", "--since", "today"); strings.Count(audit, `"what":"read"`) < 3 ||
		strings.Count(audit, `"what":"export"`) < 3 || !strings.Contains(audit, `"address":"127.0.0.1"`) ||
		strings.Contains(audit, "needle") {
		t.Errorf("audit: %s", audit)
	}
	for _, args := range [][]string{{"run", "--", "true"}, {"list"}, {"--db", dsn, "show"}, {"sandbox"},
		{"serve", "--allow-run"}, {"serve", "--new-token"}, {"--db", "file.db", "team", "serve"},
		{"team", "user", "add", "eve"}, {"team", "token", "add"}, {"team", "retention", "set", "shop", "soon"},
		{"team", "retention", "hold", "nothing"}, {"team", "policy", "add", "x", "("}, {"team", "policy", "rm", "x"},
		{"--db", "file.db", "team", "audit"}, {"--db", "postgres://nobody@/x?host=/nowhere", "serve"}} {
		cmd := exec.CommandContext(t.Context(), "ptyrec", args...)
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		if err == nil || strings.Count(string(out), "ptyrec: error:") != 1 {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}

// storeInPostgreSQL puts a session into a database and returns its id.
func storeInPostgreSQL(t *testing.T, dsn string) string {
	t.Helper()
	db, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	ctx := postgres.As(t.Context(), postgres.Viewer{User: 1 << 40})
	started := time.Now().Add(-time.Hour).UTC()
	ended := started.Add(time.Minute)
	s := session.Session{ID: store.NewID(), Command: []string{"claude"}, Cwd: "/w", StartedAt: started, Cols: 80, Rows: 24}
	if _, err := db.Begin(ctx, postgres.Push{Session: s, Version: 1}); err != nil {
		t.Fatal(err)
	}
	rec := store.NewRecording(80, 24)
	rec.Write(session.Event{At: time.Second, Kind: session.Output, Data: []byte("raw needle\r\n")})
	if _, err := db.AppendSegment(ctx, s.ID, rec.Segments()[0]); err != nil {
		t.Fatal(err)
	}
	e := &session.Entry{ID: "e1", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "needle",
		Markdown: "needle", At: started, Status: session.StatusComplete}
	if err := db.SaveEntries(ctx, s.ID, postgres.Batch{Version: 1, Entries: []postgres.Sent{{Entry: e}}}); err != nil {
		t.Fatal(err)
	}
	if err := db.End(ctx, s.ID, postgres.Whole{EndedAt: &ended, Events: 1, Entries: 1,
		Digest: postgres.DigestOf([][32]byte{{}})}); err != nil {
		t.Fatal(err)
	}
	return s.ID
}
