//go:build linux

package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// withToken adds a server's token to an environment.
func withToken(t *testing.T, environ []string, file string) []string {
	t.Helper()
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return append(environ, "PTYREC_TOKEN="+strings.TrimSpace(string(token)))
}

// awaitPrompt waits for a text and a prompt behind it.
func awaitPrompt(t *testing.T, u *ptytest.User, text string) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		shown := string(u.Shown())
		if at := strings.Index(shown, text); at >= 0 && strings.Contains(shown[at:], "$") {
			return
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("no prompt behind %q within a minute", text)
		}
	}
}

// tail writes the last messages of a management server's session, then each new one, also over a
// restart of the server; its status is that of the session.
func TestTailOfAManagementServer(t *testing.T) {
	environ, _ := liveEnv(t)
	url, tokenFile, restart := dashboard(t, environ)
	v, typing := attached(t, environ, url, "--control", "--token-file", tokenFile)
	v.Await(t, "you type into session")
	awaitPrompt(t, v, "")
	v.Type(t, "echo zero$((0))\r")
	awaitPrompt(t, v, "zero0")
	v.Type(t, "echo one$((1))\r")
	awaitPrompt(t, v, "one1")

	mine, _ := liveEnv(t) // of another machine
	tail := exec.Command("ptyrec", "tail", url+"/agent-01/main", "-n", "1")
	tail.Env = withToken(t, mine, tokenFile)
	tail.Stderr = os.Stderr
	out, err := tail.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tail.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(2*time.Minute, func() { _ = tail.Process.Kill() })
	defer limit.Stop()
	text, lines := "", bufio.NewScanner(out)
	await := func(want string) {
		t.Helper()
		for !strings.Contains(text, want) && lines.Scan() {
			text += lines.Text() + "\n"
		}
		if !strings.Contains(text, want) {
			t.Fatalf("no %q in %q", want, text)
		}
	}
	await("one1")
	restart()
	typeUntil(t, v, "echo two$((2))\r", "two2")
	await("two2") // while the session goes on
	v.Type(t, "exit 5\r")
	ptytest.Status(t, typing)
	for lines.Scan() {
		text += lines.Text() + "\n"
	}
	_ = tail.Wait()
	if status := tail.ProcessState.ExitCode(); status != 5 {
		t.Errorf("status %d, want 5", status)
	}
	if strings.Contains(text, "zero0") || strings.Count(text, "one1") != 1 {
		t.Errorf("-n 1 began with more than the last entry, or an entry came twice: %q", text)
	}
}

// play shows what a management server has of a session that goes on, and leads through its
// messages.
func TestPlayOfAManagementServer(t *testing.T) {
	environ, _ := liveEnv(t)
	url, tokenFile, _ := dashboard(t, environ)
	v, attach := attached(t, environ, url, "--control", "--token-file", tokenFile)
	v.Await(t, "you type into session")
	awaitPrompt(t, v, "")
	v.Type(t, "echo one$((1))\r")
	awaitPrompt(t, v, "one1")
	v.Type(t, "echo two$((2))\r")
	awaitPrompt(t, v, "two2")

	mine, _ := liveEnv(t) // of another machine
	mine = withToken(t, mine, tokenFile)
	play := func(args ...string) (*ptytest.User, *exec.Cmd) {
		u := ptytest.New(t)
		cmd := exec.Command("ptyrec", append([]string{"play"}, args...)...)
		cmd.Env = mine
		u.Start(t, cmd)
		return u, cmd
	}
	u, stepping := play(url, "--speed", "0.01")
	u.Type(t, " n")
	u.Await(t, "shell: echo one")
	u.Type(t, "q")
	if status := ptytest.Status(t, stepping); status != 0 {
		t.Errorf("left with status %d, want 0", status)
	}
	w, playing := play(url+"/agent-01/main", "--speed", "1000")
	if status := ptytest.Status(t, playing); status != 0 {
		t.Errorf("at the end: status %d, want 0", status)
	}
	w.Await(t, "two2")
	x, failing := play(url + "/agent-01/other")
	if status := ptytest.Status(t, failing); status != 1 {
		t.Errorf("without such a session: status %d, want 1", status)
	}
	x.Await(t, "has no session other")
	v.Type(t, "exit\r") // otherwise the shell outlives the test
	ptytest.Status(t, attach)
}
