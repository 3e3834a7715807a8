//go:build linux

package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Agents see no secrets of a live screen, even with --redact=false: not at /ws/agent, not on
// agentapi's screen, and not in the messages that agentapi reads off the screen of an unknown
// program.
func TestAgentsSeeNoSecretsOnScreens(t *testing.T) {
	t.Parallel()
	const secret = "ghp_" + "x7K2mQ9vL4nR8tW3yB6cF1hJ5sD0gA2pZ9eU"
	command := []string{"sh", "-c", `printf '\033]2;on ` + secret + `\007the token is ` + secret + ` here\n'; exec cat`}
	const shown = "the token is **************************************** here"
	check := func(where, text, want string) {
		t.Helper()
		if strings.Contains(text, secret[4:20]) || !strings.Contains(text, want) {
			t.Errorf("%s: %s", where, text)
		}
	}

	s := startAgentapi(t, nil, command...)
	waitFor(t, "the program's first message",
		func() bool { m := s.messages(); return len(m) == 1 && strings.Contains(m[0].Content, "here") })
	check("a message", s.messages()[0].Content, "the token is [redacted:github-pat] here")
	check("the screen", <-s.eventsOf("/internal/screen"), shown)

	environ, dir := liveEnv(t)
	environ = append(environ, "HOME="+dir, "PTYREC_REDACT=false")
	id := runDetached(t, environ, "80x30", command...)
	url, token, _ := served(t, environ, "--agentapi")
	address := strings.TrimPrefix(url, "http://")
	a := &agentServer{t: t, url: "http://x:" + token + "@" + address + "/agentapi/" + id}
	waitFor(t, "the program's first message",
		func() bool { m := a.messages(); return len(m) == 1 && strings.Contains(m[0].Content, "here") })
	check("a message of serve", a.messages()[0].Content, "the token is [redacted:github-pat] here")
	check("the screen of serve", <-a.eventsOf("/internal/screen"), shown)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, "ws://"+address+"/ws/agent/"+id,
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	message := ""
	for !strings.Contains(message, "here") {
		_, data, err := ws.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		message = string(data)
	}
	check("/ws/agent", message, `"content":"`+shown)
	check("/ws/agent, the screen", message, `"lines":["`+shown)
	check("/ws/agent, the title", message, `"title":"on [redacted:github-pat]"`)
}
