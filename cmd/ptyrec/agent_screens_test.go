//go:build linux

package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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
	waitFor(t, "the program's first message", func() bool { m := s.messages(); return len(m) == 1 && strings.Contains(m[0].Content, "here") })
	check("a message", s.messages()[0].Content, "the token is [redacted:github-pat] here")
	check("the screen", <-s.eventsOf("/internal/screen"), shown)

	environ, dir := liveEnv(t)
	start := exec.Command("ptyrec", append([]string{"--redact=false", "run", "--detach", "--size", "80x30", "--"}, command...)...)
	start.Env = append(environ, "HOME="+dir)
	out, err := start.Output()
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(out))
	const token = "a-token-for-the-test"
	name := filepath.Join(dir, "token")
	if err := os.WriteFile(name, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	serve := exec.Command("ptyrec", "--redact=false", "serve", "--agentapi", "--listen", address, "--token-file", name)
	serve.Env = append(environ, "HOME="+dir)
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, args := range [][]string{{"grant", id}, {"send", id, "--keys", "C-d"}} {
			end := exec.Command("ptyrec", args...)
			end.Env = start.Env
			if out, err := end.CombinedOutput(); err != nil {
				t.Errorf("%q: %v: %s", args, err, out)
			}
		}
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	})
	waitFor(t, "the server listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	a := &agentServer{t: t, url: "http://x:" + token + "@" + address + "/agentapi/" + id}
	waitFor(t, "the program's first message", func() bool { m := a.messages(); return len(m) == 1 && strings.Contains(m[0].Content, "here") })
	check("a message of serve", a.messages()[0].Content, "the token is [redacted:github-pat] here")
	check("the screen of serve", <-a.eventsOf("/internal/screen"), shown)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, "ws://"+address+"/ws/agent/"+id, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
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
