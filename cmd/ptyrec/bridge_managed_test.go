//go:build linux

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// serve --bridge-server shows the terminals of a management server at /ws/pty/NAME: what is typed
// reaches the shell there, and its end comes with its status. The token is not in the log.
func TestBridgeOfAManagementServer(t *testing.T) {
	there, _ := liveEnv(t)
	url, tokenFile, _ := dashboard(t, there)
	secret, err := os.ReadFile(tokenFile)
	if err != nil {
		t.Fatal(err)
	}
	here, _ := liveEnv(t)
	page, token, _ := served(t, append(here, "PTYREC_TOKEN="+strings.TrimSpace(string(secret))), "--bridge-server",
		url+"/agent-01")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	open := func(name string) *websocket.Conn {
		ws, _, err := websocket.Dial(ctx, page+"/ws/pty/"+name,
			&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ws.CloseNow() })
		return ws
	}
	type message struct {
		Type    string `json:"type"`
		Payload string `json:"payload"`
		Message string `json:"message"`
		Code    *int   `json:"code"`
	}
	shown := ""
	until := func(ws *websocket.Conn, is func(m message) bool) {
		t.Helper()
		for {
			_, b, err := ws.Read(ctx)
			if err != nil {
				t.Fatalf("%v; shown was %q", err, shown)
			}
			var m message
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatal(err)
			}
			shown += m.Payload
			if is(m) {
				return
			}
		}
	}
	ws := open("main")
	typed := func(text string) {
		t.Helper()
		b, _ := json.Marshal(map[string]string{"type": "data", "payload": text})
		if err := ws.Write(ctx, websocket.MessageText, b); err != nil {
			t.Fatal(err)
		}
	}
	typed("echo one$((1))\r")
	until(ws, func(message) bool { return strings.Contains(shown, "one1") })
	second := open("main")
	until(second, func(m message) bool { return strings.Contains(m.Payload, "one1") })
	typed("exit 5\r")
	until(ws, func(m message) bool { return m.Type == "exit" && m.Code != nil && *m.Code == 5 })
	absent := open("nothing")
	until(absent, func(m message) bool { return m.Type == "error" && strings.Contains(m.Message, "no session nothing") })
}
