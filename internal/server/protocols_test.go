//go:build linux

package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/server"
)

// echo is a protocol of two routes, which respond with the URL they see.
type echo struct{}

func (echo) Routes() map[string]http.Handler {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "seen "+r.RequestURI+" "+r.URL.String())
	})
	return map[string]http.Handler{"GET /ws/echo": h, "/echo/": h}
}

func (echo) Refuse(w http.ResponseWriter, _ *http.Request, status int, code, message string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "echo: %s: %s", code, message)
}

// The guard is the same for all protocols, and each refuses in its own form.
func TestProtocolGuard(t *testing.T) {
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket"}
	for _, c := range []struct {
		name   string
		change func(*server.Options)
		path   string
		header []string
		status int
		body   string
	}{
		{"bearer", nil, "/echo/x?a=1", nil, 200, "seen /echo/x?a=1 /echo/x?a=1"},
		{"api key", nil, "/echo/", []string{"Authorization", "", "X-Api-Key", token}, 200, "seen"},
		{"wrong api key", nil, "/echo/", []string{"X-Api-Key", "x"}, 401, "echo: unauthorized"},
		{"no token", nil, "/echo/", []string{"Authorization", ""}, 401, "echo: unauthorized"},
		{"no token, reading is open", func(o *server.Options) { o.OpenReading = true }, "/ws/echo",
			append(upgrade, "Authorization", ""), 401, "echo:"},
		{"query", nil, "/ws/echo?token=" + token + "&b=2", append(upgrade, "Authorization", ""), 200,
			"seen /ws/echo?b=2 /ws/echo?b=2"},
		{"wrong query", nil, "/ws/echo?token=x", append(upgrade, "Authorization", ""), 401, "echo: unauthorized"},
		{"wrong query, right header", nil, "/ws/echo?token=x", upgrade, 401, "echo: unauthorized"},
		{"right and wrong query", nil, "/ws/echo?token=x&token=" + token, append(upgrade, "Authorization", ""), 401,
			"echo: unauthorized"},
		{"query without upgrade", nil, "/echo/?token=" + token, []string{"Authorization", ""}, 401, "echo: unauthorized"},
		{"query where no protocol is", nil, "/api/sessions?token=" + token, []string{"Authorization", ""}, 401,
			`{"code":"unauthorized"`},
		{"no commands", func(o *server.Options) { o.AllowRun = false }, "/echo/", nil, 403,
			"echo: forbidden: this server runs no commands; run `ptyrec sandbox`"},
		{"no commands, no token", func(o *server.Options) { o.AllowRun = false }, "/echo/", []string{"Authorization", ""},
			401, "echo: unauthorized"},
		{"read-only", func(o *server.Options) { o.ReadOnly = true }, "/echo/", nil, 403,
			"echo: forbidden: the server is read-only"},
		{"foreign origin", nil, "/ws/echo", append(upgrade, "Origin", "https://evil.example"), 403, "echo: forbidden"},
		{"rebound name", nil, "/echo/", []string{"Host", "evil.example"}, 421, "echo: forbidden"},
		{"inside a session", func(o *server.Options) {
			o.Inside = func(_, _ netip.AddrPort) bool { return true }
		}, "/echo/", nil, 403, "echo: not_allowed"},
	} {
		s := newSite(t, func(o *server.Options) {
			o.AllowRun, o.Protocols = true, []server.Protocol{{Handlers: echo{}}}
			if c.change != nil {
				c.change(o)
			}
		})
		resp, body := s.do("GET", c.path, "", c.header...)
		if resp.StatusCode != c.status || !strings.HasPrefix(body, c.body) {
			t.Errorf("%s: %d %q, want %d %q", c.name, resp.StatusCode, body, c.status, c.body)
		}
		s.stop()
		if strings.Contains(s.log.String(), token) {
			t.Errorf("%s: the token is in the log", c.name)
		}
	}
}
