//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// dashboard starts a server that lets clients start shells, and returns its management URL and a
// file with its token.
func dashboard(t *testing.T, environ []string, args ...string) (url, tokenFile string, restart func()) {
	t.Helper()
	tokenFile = filepath.Join(t.TempDir(), "token")
	args = append([]string{"--agent-id", "agent-01", "--token-file", tokenFile}, args...)
	http, _, cmd := sandboxed(t, append(environ, "SHELL=/bin/sh", "PS1=$ "), args...)
	restart = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		_, _, cmd = sandboxed(t, append(environ, "SHELL=/bin/sh", "PS1=$ "),
			append(args, "--listen", strings.TrimPrefix(http, "http://"))...)
	}
	return "ws" + strings.TrimPrefix(http, "http"), tokenFile, restart
}

// typeUntil types a line until a text is shown: what is typed without a connection is not taken.
func typeUntil(t *testing.T, u *ptytest.User, line, text string) {
	t.Helper()
	for begun := time.Now(); !strings.Contains(string(u.Shown()), text); time.Sleep(time.Second / 2) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("not within a minute: %q", text)
		}
		u.Type(t, line)
	}
}

// Control starts the shell main, another client watches it, the server is restarted under both, and
// its exit status is theirs. Without the token one gets nothing, and the token is not shown.
func TestAttachToManagementServer(t *testing.T) {
	environ, _ := liveEnv(t)
	url, tokenFile, restart := dashboard(t, environ)
	w, watching := attached(t, environ, url, "--token-file", tokenFile)
	if status := ptytest.Status(t, watching); status != 1 {
		t.Errorf("without a session: status %d", status)
	}
	w.Await(t, "--control` starts the session main")

	v, typing := attached(t, environ, url+"/agent-01", "--control", "--token-file", tokenFile)
	v.Await(t, "you type into session")
	v.Type(t, "echo one$((1))\r")
	v.Await(t, "one1")
	u, watching := attached(t, environ, url+"/agent-01/main", "--token-file", tokenFile)
	u.Await(t, "one1")
	restart()
	u.Await(t, "connection lost")
	typeUntil(t, v, "echo two$((2))\r", "two2")
	u.Await(t, "two2")
	v.Type(t, "exit 5\r")
	if a, b := ptytest.Status(t, watching), ptytest.Status(t, typing); a != 5 || b != 5 {
		t.Errorf("statuses %d and %d, want 5", a, b)
	}

	x, refused := attached(t, environ, url+"?token=wrong-token")
	if status := ptytest.Status(t, refused); status != 1 {
		t.Errorf("with a wrong token: status %d", status)
	}
	x.Await(t, "rejected the token")
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range [][]byte{u.Shown(), v.Shown(), x.Shown()} {
		if strings.Contains(string(shown), strings.TrimSpace(string(token))) ||
			strings.Contains(string(shown), "wrong-token") {
			t.Error("a token was shown")
		}
	}
}

// --record keeps what was shown, with its sizes, its end and nothing else, over a restart of the
// server. The session is in the database like one of this machine.
func TestAttachRecordsARemoteSession(t *testing.T) {
	environ, _ := liveEnv(t)
	url, tokenFile, restart := dashboard(t, environ)
	v, typing := attached(t, environ, url, "--control", "--token-file", tokenFile)
	v.Await(t, "you type into session")
	v.Type(t, "echo one$((1))\r")
	v.Await(t, "one1")

	mine, _ := liveEnv(t) // another machine's database
	u, recording := attached(t, mine, url+"/agent-01/main?x=1", "--record", "--token-file", tokenFile)
	u.Await(t, "one1")
	restart()
	typeUntil(t, v, "echo two$((2))\r", "two2")
	v.Type(t, "exit 5\r")
	if a, b := ptytest.Status(t, recording), ptytest.Status(t, typing); a != 5 || b != 5 {
		t.Errorf("statuses %d and %d, want 5", a, b)
	}
	output := func(environ []string, args ...string) string {
		cmd := exec.Command("ptyrec", args...)
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	waitFor(t, "the end of the session's own recording", func() bool { // viewers know it earlier
		return strings.Contains(output(environ, "list", "--json"), `"exit_code": 5`)
	})
	if want, got := output(environ, "show", "last", "--raw"), output(mine, "show", "last", "--raw"); got != want {
		t.Errorf("recorded %q, want %q", got, want)
	}
	list := output(mine, "list", "--json")
	if !strings.Contains(list, `"exit_code": 5`) && !strings.Contains(list, `"exit_code":5`) ||
		strings.Contains(list, "x=1") {
		t.Errorf("the list says %s", list)
	}
	if text := output(mine, "show", "last"); !strings.Contains(text, "one1") || !strings.Contains(text, "two2") {
		t.Errorf("read %q", text)
	}
}
