//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/ptytest"
)

// leavers are the ways in which programs leave the terminal that started them.
var leavers = map[string]string{
	"in the background":    `sleep $N &`,
	"nohup":                `nohup sleep $N >/dev/null 2>&1 &`,
	"ignoring signals":     `(trap "" HUP INT TERM QUIT; exec sleep $N) &`,
	"setsid":               `setsid sleep $N </dev/null >/dev/null 2>&1 &`,
	"setsid -f":            `setsid -f sleep $N </dev/null >/dev/null 2>&1`,
	"forked twice":         `(setsid sh -c "sleep $N & exit" </dev/null >/dev/null 2>&1 & exit)`,
	"without environment":  `env -i PATH="$PATH" setsid -f sh -c "cd /; exec sleep $N" </dev/null >/dev/null 2>&1`,
	"coming back":          `setsid -f sh -c "trap '' TERM HUP; while :; do sleep $N; done" </dev/null >/dev/null 2>&1`,
	"in another recording": `setsid -f ptyrec run --nested --detach -- sleep $N </dev/null >/dev/null 2>&1; sleep 0.3`,
}

// Item 1.9, B10: background jobs of bridge shells that ignore SIGHUP lived on when serve ended. All that was started in a bridge session ends with
// the server, also if that is killed, and if the leader of the session is.
func TestB10ServeEndsAllDescendants(t *testing.T) {
	for end, kill := range map[string]func(serve, leader int){
		"serve ends":      func(serve, _ int) { _ = syscall.Kill(serve, syscall.SIGTERM) },
		"serve is killed": func(serve, _ int) { _ = syscall.Kill(serve, syscall.SIGKILL) },
		"the leader is killed, then serve": func(serve, leader int) {
			_ = syscall.Kill(leader, syscall.SIGKILL)
			_ = syscall.Kill(serve, syscall.SIGKILL)
		},
	} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			environ, _ := liveEnv(t)
			ready := filepath.Join(t.TempDir(), "ready")
			number := fmt.Sprint(100_000_000 + time.Now().UnixNano()%800_000_000) // marks the processes
			script := "N=" + number + "\n"
			for _, l := range leavers {
				script += l + "\n"
			}
			script += "echo $PPID > " + ready + "-\nmv " + ready + "- " + ready + "\nwhile :; do sleep 0.05; done\n"
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			url, token, serve := served(t, environ, "--bridge-command", "sh "+file)
			t.Cleanup(func() { endAll(number, file) })
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			ws, _, err := websocket.Dial(ctx, url+"/ws/pty/x", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = ws.CloseNow() }()
			go func() {
				for err := error(nil); err == nil; {
					_, _, err = ws.Read(ctx)
				}
			}()
			var leader int
			waitFor(t, "the jobs run", func() bool {
				text, err := os.ReadFile(ready)
				leader, _ = strconv.Atoi(strings.TrimSpace(string(text)))
				return err == nil && len(running(number)) >= len(leavers)
			})
			kill(serve.Process.Pid, leader)
			ptytest.Status(t, serve)
			waitFor(t, "nothing is left", func() bool { return len(running(number))+len(running(file)) == 0 })
		})
	}
}

// running returns the processes whose command line holds a text.
func running(text string) (found []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
		if err == nil && bytes.Contains(line, []byte(text)) && !bytes.Contains(line, []byte("serve")) {
			found = append(found, pid)
		}
	}
	return found
}

func endAll(texts ...string) {
	for _, text := range texts {
		for _, pid := range running(text) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begun := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}
