//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// ptyrecOutput runs ptyrec. It returns its output and its exit status, which must be 0 or 124.
func ptyrecOutput(t *testing.T, environ []string, args ...string) (out string, status int) {
	t.Helper()
	cmd := exec.Command("ptyrec", args...)
	var stderr strings.Builder
	cmd.Env, cmd.Stderr = environ, &stderr
	b, err := cmd.Output()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if status = cmd.ProcessState.ExitCode(); status != 0 && status != 124 {
		t.Fatalf("%q: %d: %s", args, status, stderr.String())
	}
	return strings.TrimSpace(string(b)), status
}

// fifo makes a named pipe. A command that reads it writes nothing until release is called.
func fifo(t *testing.T) (path string, release func(text string)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "f")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A session is not idle while a command runs in its shell and writes nothing. The shell may be
// nested, the command may be a builtin, and the shell may mark its commands or not.
func TestWaitIdleAwaitsASilentCommand(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	for name, c := range map[string]struct {
		shell []string
		first string // typed first; may be empty
		line  string // typed then; it reads FIFO
	}{
		"bash":          {[]string{"bash", "--norc"}, "", "cat FIFO; echo fin"},
		"sh":            {[]string{"sh", "-i"}, "", "cat FIFO; echo fin"},
		"dash":          {[]string{"dash"}, "", "cat FIFO | cat; echo fin"},
		"zsh":           {[]string{"zsh", "-f"}, "", "cat FIFO; echo fin"},
		"fish":          {[]string{"fish", "--no-config"}, "", "cat FIFO; echo fin"},
		"a nested dash": {[]string{"bash", "--norc"}, "dash", "cat FIFO; echo fin"},
		"a nested bash": {[]string{"dash"}, "bash --norc", "(cat FIFO); echo fin"},
		"a script":      {[]string{"bash", "--norc"}, "", `sh -c "cat FIFO; echo fin"`},
		"wait":          {[]string{"bash", "--norc"}, "", "cat FIFO & wait; echo fin"},
		"marks": {[]string{"sh", "-c",
			`printf '\033]133;A\007$ \033]133;B\007'; read x; printf '\033]133;C\007'; cat $x; printf ` +
				`'fin\n\033]133;D;0\007\033]133;A\007$ '; read x`}, "", "FIFO"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ptytest.Need(t, c.shell[0])
			path, release := fifo(t)
			id := runDetached(t, environ, "80x24", c.shell...)
			ptyrecOutput(t, environ, "grant", id)
			ptyrecOutput(t, environ, "wait", id, "--idle")
			if c.first != "" {
				ptyrecOutput(t, environ, "send", id, c.first, "--enter")
				ptyrecOutput(t, environ, "wait", id, "--idle")
			}
			ptyrecOutput(t, environ, "send", id, strings.ReplaceAll(c.line, "FIFO", path), "--enter")
			if _, status := ptyrecOutput(t, environ, "wait", id, "--idle", "--timeout", "4s"); status != 124 {
				t.Errorf("while the command is silent, wait ends with %d", status)
			}
			release("")
			ptyrecOutput(t, environ, "wait", id, "--idle")
			if out, _ := ptyrecOutput(t, environ, "screen", id); !strings.Contains(out, "\nfin") {
				t.Errorf("wait ended before the command:\n%s", out)
			}
		})
	}
}

// wait --text does not find text that was on the screen when Enter was typed last, nor the line
// that was typed with it.
func TestWaitTextFindsOnlyWhatFollowsEnter(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	path, release := fifo(t)
	id := runDetached(t, environ, "80x24", "bash", "--norc")
	ptyrecOutput(t, environ, "grant", id)
	ptyrecOutput(t, environ, "wait", id, "--text", "bash-") // nothing was typed: the whole screen counts
	ptyrecOutput(t, environ, "send", id, "echo one PA''SS", "--enter")
	if line, _ := ptyrecOutput(t, environ, "wait", id, "--text", "PASS|FAIL"); line != "one PASS" {
		t.Errorf("it found %q", line)
	}
	ptyrecOutput(t, environ, "send", id, "cat "+path+" # PASS or FAIL", "--enter")
	if line, status := ptyrecOutput(t, environ, "wait", id, "--text", "PASS|FAIL", "--timeout", "3s"); status != 124 {
		t.Errorf("it found %q, which was there before", line)
	}
	release("two FAIL\n")
	if line, _ := ptyrecOutput(t, environ, "wait", id, "--text", "PASS|FAIL"); line != "two FAIL" {
		t.Errorf("it found %q", line)
	}
}
