//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
)

// remote runs `ptyrec exec` with the token.
func remote(environ []string, token string, args ...string) *exec.Cmd {
	cmd := exec.Command("ptyrec", append([]string{"exec"}, args...)...)
	cmd.Env = append(environ, "PTYREC_TOKEN="+token)
	return cmd
}

// status returns the exit status of a program that has ended.
func status(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err == nil {
		return 0
	}
	if !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

// Streams, input, exit status, environment, folder, limits and errors.
func TestExec(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	url, token, _ := sandboxed(t, environ)
	binary := strings.Repeat("\x00\xff\xfe\n", 20_000)
	for _, c := range []struct {
		name           string
		args           []string
		stdin          string
		stdout, stderr string // stderr: a part
		status         int
		token          string
	}{
		{"streams", []string{url, "--", "echo out; echo err >&2; exit 3"}, "", "out\n", "err\n", 3, token},
		{"words", []string{url, "--", "printf", "%s\n", "a b", "$x"}, "", "a b\n$x\n", "", 0, token},
		{"input", []string{url, "--", "cat"}, "h\u00e9\nno end", "h\u00e9\nno end", "", 0, token},
		{"binary input", []string{url, "--", "wc", "-c"}, binary, "80000\n", "", 0, token},
		{"signal", []string{url, "--", "kill -15 $$"}, "", "", "", 143, token},
		{"environment", []string{"--env", "A=1=2", "--env", "B=", "--cwd", "/", "--sandbox", "other", url, "--",
			"echo $A$B; pwd"}, "", "1=2\n/\n", "", 0, token},
		{"timeout", []string{"--timeout", "200ms", url, "--", "echo begun; exec sleep 100"}, "", "begun\n",
			"ptyrec: error: Command timed out after", 124, token},
		{"no such id", []string{"--resume", "nope", url}, "", "", "ptyrec: error: Command not found: nope", 255, token},
		{"no such folder", []string{"--cwd", "/no/such", url, "--", "true"}, "", "", "/no/such", 255, token},
		{"wrong token", []string{url, "--", "true"}, "", "", "PTYREC_TOKEN", 255, "wrong"},
		{"no server", []string{"http://127.0.0.1:1", "--", "true"}, "", "", "ptyrec: hint: check the URL", 255, token},
		{"no URL", []string{"build.lan", "--", "true"}, "", "", `"build.lan" is not the URL of a server`, 255, token},
		{"bad variable", []string{"--env", "A", url, "--", "true"}, "", "", "--env must be NAME=VALUE", 2, token},
		{"no command", []string{url}, "", "", "missing", 2, token},
	} {
		cmd := remote(environ, c.token, c.args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.stdin), &stdout, &stderr
		got := status(t, cmd.Run())
		if got != c.status || stdout.String() != c.stdout || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("%s: status %d, %q, %q", c.name, got, stdout.String(), stderr.String())
		}
	}
}

// --detach prints the id, --resume continues, Ctrl+C kills, and so does a reader that leaves.
func TestExecIsLeftAndResumed(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	url, token, _ := sandboxed(t, environ)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := remote(environ, token, "--detach", url, "--", "echo begun; cat "+fifo+"; exit 5").Output()
	if err != nil || strings.TrimSpace(string(id)) == "" {
		t.Fatalf("id %q, %v", id, err)
	}
	if err := os.WriteFile(fifo, []byte("rest\n"), 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out, err := remote(environ, token, "--resume", strings.TrimSpace(string(id)), url).Output()
		if string(out) != "begun\nrest\n" || status(t, err) != 5 {
			t.Errorf("%q, %v", out, err)
		}
	}

	cmd := remote(environ, token, url, "--", "trap '' TERM INT; echo begun; while :; do sleep 1; done")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("begun\n"))); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	if got := status(t, cmd.Wait()); got != 137 {
		t.Errorf("after Ctrl+C: status %d", got)
	}

	mark := fmt.Sprint("ptyrec-test-", time.Now().UnixNano())
	cmd = remote(environ, token, url, "--", "exec -a "+mark+" yes")
	if out, err = cmd.StdoutPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadFull(out, make([]byte, 100))
	_ = out.Close()
	if got := status(t, cmd.Wait()); got != 137 {
		t.Errorf("after its reader has left: status %d", got)
	}
	waitFor(t, "nothing is left", func() bool { return len(running(mark)) == 0 })
}

// newSwitchboard returns a proxy before a server that may change.
func newSwitchboard(t *testing.T) (board *servetest.Proxy, to *atomic.Value) {
	to = &atomic.Value{} // string: host:port
	return servetest.NewProxy(t, func() string { return to.Load().(string) }, nil), to
}

// Faults: serve is killed and started again in the middle of both streams. Every byte comes once,
// the exit status is right, and the command runs once.
func TestFaultServeKilled(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	times := 3
	if long() {
		times = 10
	}
	board, to := newSwitchboard(t)
	start := func() (token string, serve *exec.Cmd) {
		url, token, serve := sandboxed(t, environ)
		to.Store(strings.TrimPrefix(url, "http://"))
		return token, serve
	}
	token, serve := start()
	dir := t.TempDir()
	runs, stop := filepath.Join(dir, "runs"), filepath.Join(dir, "stop")
	script := fmt.Sprintf(`echo x >>%s; i=0; while [ ! -e %s ]; do i=$((i+1)); echo "out $i h\u00e9"; echo "err $i" `+
		`>&2; sleep .01; done; exit 9`, runs, stop)
	script = strings.ReplaceAll(script, `\u00e9`, "\u00e9")
	cmd := remote(environ, token, "http://"+board.Address, "--", script)
	stdout, stderr := &counted{}, &counted{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range times {
		seen := stdout.len()
		waitFor(t, "output comes", func() bool { return stdout.len() > seen+100 })
		_ = serve.Process.Kill()
		_ = serve.Wait()
		_, serve = start()
	}
	seen := stdout.len()
	waitFor(t, "output comes", func() bool { return stdout.len() > seen+100 })
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := status(t, cmd.Wait()); got != 9 {
		t.Errorf("status %d; %s", got, stderr.tail())
	}
	for name, c := range map[string]*counted{"out %d h\u00e9\n": stdout, "err %d\n": stderr} {
		want := ""
		for i := 1; len(want) < c.len(); i++ {
			want += fmt.Sprintf(name, i)
		}
		if want != c.text.String() {
			t.Errorf("%d bytes of %q came, and not each line once: %q", c.len(), name, c.tail())
		}
	}
	if text, err := os.ReadFile(runs); string(text) != "x\n" {
		t.Errorf("the command ran %q, %v", text, err)
	}
}

// counted is a text that grows.
type counted struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (c *counted) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

func (c *counted) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Len()
}

func (c *counted) tail() string {
	text := c.text.String()
	return text[max(0, len(text)-200):]
}
