//go:build linux

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// --pty makes the user's terminal raw, so that every key goes to the command, and leaves it as it
// was, whatever ends exec.
func TestExecInATerminal(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	url, token, serve := sandboxed(t, environ, "--end-commands")
	t.Cleanup(func() { // the command that was left ends, too
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	})
	for _, c := range []struct {
		name, keys string
		status     int
	}{
		{"the command's end", "\x03h\u00e9\x04\r", 7}, // Ctrl+C and Ctrl+D are the command's
		{"Ctrl+]", "\x1d", 130},
	} {
		u := ptytest.New(t)
		before := u.Settings(t)
		script := `stty raw -echo; printf 'ready-%s.' "$(stty size)"; head -c 6 | od -An -tx1 | tr -d ' \n'; exit 7`
		cmd := remote(environ, token, "--pty", url, "--", script)
		u.Start(t, cmd)
		u.Await(t, "ready-24 80.")
		u.Type(t, c.keys)
		if status := ptytest.Status(t, cmd); status != c.status {
			t.Errorf("%s: status %d, want %d; shown: %q", c.name, status, c.status, u.Shown())
		}
		if c.status == 7 {
			u.Await(t, "0368c3a9040d")
		}
		if diff := cmp.Diff(before, u.Settings(t)); diff != "" {
			t.Errorf("%s: the terminal's settings are others: %s", c.name, diff)
		}
	}
}

// wait --port waits for a command that a program runs as for any session: until something listens,
// the command ends, or the time is over.
func TestWaitForThePortOfACommand(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	url, token, _ := sandboxed(t, environ)
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	open := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	defer func() { _ = l.Close() }()
	const closed = "1" // nothing listens there
	wait := func(args ...string) *exec.Cmd {
		cmd := exec.Command("ptyrec", append([]string{"wait", "last"}, args...)...)
		cmd.Env = environ
		return cmd
	}
	stop := filepath.Join(t.TempDir(), "stop")
	if out, err := remote(environ, token, "--detach", url, "--",
		"until [ -e "+stop+" ]; do sleep .05; done").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, try := range []struct {
		port, limit string
		want        int
	}{{open, "1m", 0}, {closed, "1s", cli.StatusTimeout}} {
		if out, err := wait("--port", try.port, "--timeout", try.limit).CombinedOutput(); status(t, err) != try.want {
			t.Errorf("port %s: %v, want %d: %s", try.port, err, try.want, out)
		}
	}
	waiting := wait("--port", closed, "--timeout", "1m")
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := status(t, waiting.Wait()); got != 1 {
		t.Errorf("after the command's end: status %d, want 1", got)
	}
}
