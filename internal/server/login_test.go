//go:build linux

package server_test

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/protocol"
)

// Whoever reached the server read all sessions and watched the live ones. Nothing of the API
// answers without the token, on loopback too.
func TestReadingNeedsTheToken(t *testing.T) {
	s := newSite(t, func(o *server.Options) {
		o.Bridge, o.Start = []string{"sh"}, func(context.Context, server.StartOptions) (string,
			error) {
			panic("somebody started a session")
		}
	})
	info, _ := s.recorded()
	h := s.host(80, 24)
	yaml, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile(`(?m)^  (/api/\S+):$`).FindAllStringSubmatch(string(yaml), -1)
	if len(paths) < 15 {
		t.Fatalf("only %d paths", len(paths))
	}
	all := []string{"/api/sessions/" + h.id + "/live", "/ws/agent/" + h.id, "/ws/pty/x", "/api/none"}
	for _, m := range paths {
		for _, id := range []string{info.ID, h.id} {
			all = append(all, strings.ReplaceAll(m[1], "{id}", id))
		}
	}
	for _, path := range all {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST", "PATCH", "DELETE", "PUT"} {
			body := "{}"
			if method == "GET" || method == "HEAD" {
				body = ""
			}
			resp, text := s.do(method, path, body, "Authorization", "", "Cookie", "ptyrec=x; "+s.cookieName()+"=x")
			if login := path == "/api/login"; resp.StatusCode != http.StatusUnauthorized && !login {
				t.Errorf("%s %s: %s %.100s", method, path, resp.Status, text)
			}
		}
		if path == "/api/login" { // says how one logs in
			continue
		}
		if ws, resp, err := websocket.Dial(t.Context(), s.url+path,
			&websocket.DialOptions{Subprotocols: []string{client.Subprotocol}}); err == nil || resp.StatusCode < 400 {
			t.Errorf("%s: a WebSocket without a token", path)
			_ = ws.CloseNow()
		}
	}
}

// cookieName is the name of the cookie of this server.
func (s *site) cookieName() string {
	resp, _ := s.do("DELETE", "/api/login", "", "Authorization", "")
	return resp.Cookies()[0].Name
}

// A browser gets a cookie for the token, which scripts cannot read and other sites not use; another
// token makes it void.
func TestCookie(t *testing.T) {
	s := newSite(t, nil)
	info, _ := s.recorded()
	h := s.host(80, 24)
	for _, c := range []struct {
		name, body string
		header     []string
		status     int
	}{
		{"no token", `{}`, nil, 401},
		{"wrong token", `{"token":"0123456789abcdeg"}`, nil, 401},
		{"a form", `{"token":"` + token + `"}`, []string{"Content-Type", "text/plain"}, 415},
		{"a page of another site", `{"token":"` + token + `"}`, []string{"Origin", "http://evil.example"}, 403},
	} {
		resp, _ := s.do("POST", "/api/login", c.body, append(c.header, "Authorization", "")...)
		if resp.StatusCode != c.status || len(resp.Cookies()) > 0 {
			t.Errorf("%s: %s, cookies %v", c.name, resp.Status, resp.Cookies())
		}
	}
	resp, _ := s.do("POST", "/api/login", `{"token":"`+token+`"}`, "Authorization", "", "Origin", s.url)
	if resp.StatusCode != http.StatusNoContent || len(resp.Cookies()) != 1 {
		t.Fatalf("%s, cookies %v", resp.Status, resp.Cookies())
	}
	cookie := resp.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.MaxAge < 86400 ||
		strings.Contains(cookie.Raw, token) {
		t.Errorf("the cookie is %s", cookie.Raw)
	}
	sent := cookie.Name + "=" + cookie.Value
	note := "/api/sessions/" + info.ID
	for _, c := range []struct {
		name, method, path string
		header             []string
		status             int
	}{
		{"reading", "GET", "/api/sessions", nil, 200},
		{"a download", "GET", note + "/export?format=md", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"a typed address", "GET", note + "/export?format=md", []string{"Sec-Fetch-Site", "none"}, 200},
		{"writing", "PATCH", note, []string{"Origin", s.url}, 200},
		{"writing, from elsewhere", "PATCH", note, []string{"Origin", "http://evil.example"}, 403},
		{"writing, from another port", "PATCH", note, []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"writing, a form", "PATCH", note, []string{"Origin", s.url, "Content-Type", "application/x-www-form-urlencoded"},
			415},
		{"deleting, from elsewhere", "DELETE", note, []string{"Origin", "http://evil.example"}, 403},
		{"reading, from another port", "GET", "/api/sessions", []string{"Sec-Fetch-Site", "same-site"}, 401},
		{"reading, from another site", "GET", "/api/sessions", []string{"Sec-Fetch-Site", "cross-site"}, 401},
		{"reading, with another origin", "GET", "/api/sessions", []string{"Origin", "http://127.0.0.1:1"}, 401},
		{"a rebound name", "GET", "/api/sessions", []string{"Host", "evil.example"}, 421},
		{"a wrong token beside it", "GET", "/api/sessions", []string{"Authorization", "Bearer x"}, 401},
	} {
		body := ""
		if c.method == "PATCH" {
			body = `{"note":"x"}`
		}
		if resp, text := s.do(c.method, c.path, body,
			append([]string{"Authorization", "", "Cookie", sent}, c.header...)...); resp.StatusCode != c.status {
			t.Errorf("%s: %s %.100s", c.name, resp.Status, text)
		}
	}
	for origin, status := range map[string]int{s.url: 101, "http://127.0.0.1:1": 403, "https://evil.example": 403} {
		ws, resp, err := websocket.Dial(t.Context(), s.url+"/api/sessions/"+h.id+"/live", &websocket.DialOptions{
			HTTPHeader: http.Header{"Cookie": {sent}, "Origin": {origin}}, Subprotocols: []string{client.Subprotocol}})
		if resp == nil || resp.StatusCode != status {
			t.Errorf("a WebSocket from %s: %v", origin, err)
		}
		if err == nil {
			_ = ws.CloseNow()
		}
	}
	other := newSite(t, func(o *server.Options) { o.Token = token + "2" })
	for _, name := range []string{cookie.Name, other.cookieName()} {
		if resp, _ := other.do("GET", "/api/sessions", "", "Authorization", "", "Cookie",
			name+"="+cookie.Value); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("with another token the cookie is good for %s", resp.Status)
		}
	}
	if resp, _ := s.do("DELETE", "/api/login", "", "Authorization", "", "Cookie", sent, "Origin",
		s.url); len(resp.Cookies()) != 1 || resp.Cookies()[0].MaxAge >= 0 {
		t.Errorf("signing out: %s, cookies %v", resp.Status, resp.Cookies())
	}
	if resp, _ := s.do("POST", "/api/login", `{"token":"`+token+`"}`, "Origin",
		"https"+strings.TrimPrefix(s.url, "http")); len(resp.Cookies()) != 1 || !resp.Cookies()[0].Secure {
		t.Errorf("behind a proxy with TLS: %s, cookies %v", resp.Status, resp.Cookies())
	}
	if strings.Contains(s.log.String(), token) || strings.Contains(s.log.String(), cookie.Value) {
		t.Error("the log holds a secret")
	}
}

// An address that the user's browser is sent to lets in one browser, once.
func TestOpenOnce(t *testing.T) {
	s := newSite(t, nil)
	path := s.server.OpenPath()
	for i, want := range []struct {
		path    string
		cookies int
	}{{"/open", 0}, {"/open?once=", 0}, {path + "x", 0}, {path, 1}, {path, 0}, {"/open?once=", 0}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+want.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/" ||
			len(resp.Cookies()) != want.cookies {
			t.Errorf("%d, %s: %s, cookies %v", i, want.path, resp.Status, resp.Cookies())
		}
		for _, c := range resp.Cookies() {
			if got, _ := s.do("GET", "/api/sessions", "", "Authorization", "", "Cookie",
				c.Name+"="+c.Value); got.StatusCode != http.StatusOK {
				t.Errorf("the cookie is good for %s", got.Status)
			}
		}
	}
}

// A viewer who may only read does not get control by another spelling of it.
func TestReaderTakesNoControl(t *testing.T) {
	s := newSite(t, func(o *server.Options) { o.OpenReading = true })
	h := s.host(80, 24)
	for _, field := range []string{`"control"`, `"Control"`, `"CONTROL"`, `"\u0063ontrol"`} {
		ws, _, err := websocket.Dial(t.Context(), s.url+"/api/sessions/"+h.id+"/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		attach := protocol.Append(nil, protocol.Frame{Type: protocol.TypeAttach,
			Payload: []byte(`{"version":1,"name":"x","kind":"human","mode":"none",` + field + `:true}`)})
		if err := ws.Write(t.Context(), websocket.MessageBinary, attach); err != nil {
			t.Fatal(err)
		}
		_, hello, err := ws.Read(t.Context())
		if err != nil || !strings.Contains(string(hello), `"control":false`) ||
			strings.Contains(string(hello), `"control":true`) {
			t.Errorf("%s: %q, %v", field, hello, err)
		}
		_ = ws.CloseNow()
	}
}
