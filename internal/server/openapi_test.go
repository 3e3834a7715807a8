//go:build linux

package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/ptyrec/ptyrec/internal/server"
)

// Each operation of openapi.yaml is asked for, rightly and wrongly: the answers are those that it
// states, and it states each answer.
func TestOpenAPI(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc.Servers = openapi3.Servers{{URL: "http://127.0.0.1"}}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"image/svg+xml", "text/markdown", "text/html", "text/event-stream",
		"application/x-ndjson", "application/x-asciicast"} {
		openapi3filter.RegisterBodyDecoder(kind, openapi3filter.FileBodyDecoder)
	}
	s := newSite(t, func(o *server.Options) { o.Health = func(context.Context) error { return nil } })
	info, _ := s.recorded()
	live := s.host(80, 24)
	live.write([]byte("hello"))
	past := "/api/sessions/" + info.ID
	now := "/api/sessions/" + live.id
	asked := map[string]bool{}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/api/health", "", 200},
		{"GET", "/api/info", "", 200},
		{"GET", "/api/login", "", 200},
		{"POST", "/api/login", `{"token":"` + token + `"}`, 204},
		{"POST", "/api/login", `{"token":"wrong"}`, 401},
		{"DELETE", "/api/login", "", 204},
		{"GET", "/api/sessions", "", 200},
		{"GET", "/api/sessions?agent=claude&limit=1&since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:" +
			"00Z&cwd=/home&command=cl&live=false", "", 200},
		{"GET", "/api/sessions?limit=0", "", 400},
		{"GET", "/api/sessions?cursor=x", "", 400},
		{"GET", "/api/facets", "", 200},
		{"GET", "/api/facets?tag=none&live=true", "", 200},
		{"GET", "/api/sessions?since=yesterday", "", 400},
		{"POST", "/api/sessions", `{"command":["true"]}`, 403},
		{"GET", past, "", 200},
		{"GET", now, "", 200},
		{"GET", "/api/sessions/zzz", "", 404},
		{"PATCH", past, `{"name":"a name","note":"n","add_tags":["a","b"],"remove_tags":["b"]}`, 200},
		{"PATCH", past, `{"name":`, 400},
		{"GET", past + "/entries", "", 200},
		{"GET", past + "/entries?since=2&limit=1", "", 200},
		{"GET", past + "/entries?since=-1", "", 400},
		{"GET", past + "/entries?before=end&limit=1", "", 200},
		{"GET", past + "/entries?before=0", "", 400},
		{"GET", past + "/entries?around=2&limit=3", "", 200},
		{"GET", past + "/events", "", 200},
		{"GET", past + "/events?screen=true", "", 200},
		{"GET", past + "/screen", "", 200},
		{"GET", past + "/screen?format=text&at=1.5", "", 200},
		{"GET", past + "/screen?format=svg", "", 200},
		{"GET", past + "/screen?format=ansi", "", 200},
		{"GET", past + "/screen?format=png", "", 400},
		{"GET", now + "/screen", "", 200},
		{"GET", past + "/raw", "", 200},
		{"GET", past + "/export?format=json", "", 200},
		{"GET", past + "/export?format=jsonl", "", 200},
		{"GET", past + "/export?format=md", "", 200},
		{"GET", past + "/export?format=txt", "", 200},
		{"GET", past + "/export?format=svg", "", 200},
		{"GET", past + "/export?format=html", "", 200},
		{"GET", past + "/export?format=cast", "", 200},
		{"GET", past + "/export?format=doc", "", 400},
		{"GET", past + "/control", "", 409},
		{"GET", now + "/control", "", 200},
		{"POST", now + "/input", `{"text":"ls\r"}`, 403},
		{"POST", now + "/prompt", `{"text":"why?"}`, 403},
		{"POST", now + "/prompt", `{"text":" "}`, 400},
		{"POST", now + "/prompt", `{"text":"why?","kind":"human"}`, 409}, // no agent runs
		{"POST", past + "/prompt", `{"text":"why?"}`, 409},
		{"POST", now + "/control", `{"action":"grant","seconds":60}`, 200},
		{"POST", now + "/input", `{"text":"ls\r"}`, 204},
		{"POST", now + "/input", `{"base64":"bHMN","name":"me"}`, 204},
		{"POST", now + "/input", `{}`, 400},
		{"POST", now + "/control", `{"action":"revoke"}`, 200},
		{"POST", now + "/input", `{"text":"ls\r"}`, 403},
		{"POST", now + "/input", `{"text":"ls\r","kind":"human"}`, 204},
		{"POST", now + "/control", `{"action":"take"}`, 400},
		{"POST", now + "/resize", `{"cols":100,"rows":30}`, 204},
		{"POST", now + "/resize", `{"cols":0,"rows":30}`, 400},
		{"POST", now + "/kill", `{"signal":"INT"}`, 204},
		{"POST", now + "/kill", `{"signal":"STOP"}`, 400},
		{"POST", past + "/kill", `{}`, 409},
		{"GET", "/api/search?q=the&role=user&role=assistant&limit=3", "", 200},
		{"GET", "/api/search?q=the&session=" + info.ID, "", 200},
		{"GET", "/api/search?q=", "", 400},
		{"GET", "/api/links/code", "", 404}, // a database file has no links
		{"GET", "/api/links/code/entries", "", 404},
		{"GET", "/api/links/code/screen", "", 404},
		{"GET", "/api/links/code/raw", "", 404},
		{"GET", "/api/links/code/export", "", 404},
		{"GET", "/api/links/code/events", "", 404},
		{"DELETE", now, "", 409},
		{"DELETE", past, "", 204},
	} {
		req := httptest.NewRequestWithContext(t.Context(), c.method, "http://127.0.0.1"+c.path, strings.NewReader(c.body))
		req.Header.Set("Authorization", "Bearer "+token)
		if c.body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		route, params, err := router.FindRoute(req)
		if err != nil {
			t.Errorf("%s %s: %v", c.method, c.path, err)
			continue
		}
		asked[route.Operation.OperationID] = true
		in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route,
			Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
		if err := openapi3filter.ValidateRequest(t.Context(), in); (err == nil) != (c.status != 400) &&
			!strings.Contains(c.path, "q=") && c.body != "{}" {
			t.Errorf("%s %s %s: the request is valid: %v", c.method, c.path, c.body, err)
		}
		req.Body = io.NopCloser(strings.NewReader(c.body))
		resp := httptest.NewRecorder()
		s.server.ServeHTTP(resp, req)
		body := resp.Body.Bytes()
		if resp.Code != c.status {
			t.Errorf("%s %s %s: status %d, want %d: %.200s", c.method, c.path, c.body, resp.Code, c.status, body)
		}
		out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: resp.Code, Header: resp.Header(),
			Options: in.Options}
		out.SetBodyBytes(body)
		if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
			t.Errorf("%s %s: the answer: %v", c.method, c.path, err)
		}
	}
	asked["watchSessions"] = true // does not end: TestWatchSessions
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if !asked[op.OperationID] {
				t.Errorf("%s %s was not tried", method, path)
			}
		}
	}
}

// What openapi.yaml does not know is not there.
func TestNothingElse(t *testing.T) {
	s := newSite(t, nil)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/api/nope", 404}, {"GET", "/api", 404}, {"DELETE", "/api/sessions", 405}, {"GET", "/ws/nope", 404},
		{"PUT", "/api/sessions/x/entries", 405},
		{"GET", "/nope.js", 404}, {"POST", "/", 405}, {"GET", "/s/x/y", 404},
	} {
		resp, body := s.do(c.method, c.path, "")
		if resp.StatusCode != c.status || !strings.HasPrefix(body, `{"code":"`) {
			t.Errorf("%s %s: %s %s", c.method, c.path, resp.Status, body)
		}
		if c.status == 405 && resp.Header.Get("Allow") == "" && strings.HasPrefix(c.path, "/api") {
			t.Errorf("%s %s does not say what is allowed", c.method, c.path)
		}
	}
	for _, path := range []string{"/", "/s/019a", "/app.js"} {
		resp, body := s.do("GET", path, "", "Authorization", "")
		if resp.StatusCode != http.StatusOK || len(body) == 0 {
			t.Errorf("%s: %s", path, resp.Status)
		}
		if !strings.Contains(resp.Header.Get("Content-Security-Policy"), "script-src 'self';") ||
			resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", path, resp.Header)
		}
	}
}
