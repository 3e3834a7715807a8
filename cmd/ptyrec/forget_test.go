//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// remains returns the files below a folder that hold a word.
func remains(t *testing.T, dir, word string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it was removed meanwhile
		}
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(word)) {
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func ptyrecIn(environ []string, args ...string) *exec.Cmd {
	cmd := exec.Command("ptyrec", args...)
	cmd.Env = environ
	return cmd
}

// TestForgetFromInside forgets a session from inside: the person at its terminal has to press
// Ctrl+\, viewers are told, the command goes on, and nothing of the session is left.
func TestForgetFromInside(t *testing.T) {
	t.Parallel()
	environ, db := env(t)
	environ = append(environ, "HOME="+t.TempDir(), "SHELL=/bin/sh", "PS1=> ")
	u := ptytest.New(t)
	run := ptyrecIn(environ, "run", "--", "sh")
	u.Start(t, run)
	u.Type(t, "echo unforgettable-$((40+2))\n")
	u.Await(t, "unforgettable-42")
	viewer := ptytest.New(t)
	watch := ptyrecIn(environ, "attach", "last")
	viewer.Start(t, watch)
	viewer.Await(t, "unforgettable-42")

	// A program inside cannot: nobody presses the key.
	u.Type(t, "ptyrec forget\n")
	u.Await(t, `Ctrl+C keeps it`)
	u.Type(t, "\x03")
	u.Type(t, "echo still-$((1+1))\n")
	u.Await(t, "still-2")
	if out, err := ptyrecIn(environ, "list", "--live", "--json").Output(); err != nil ||
		!bytes.Contains(out, []byte(`"id"`)) {
		t.Fatalf("the session is not recorded any more: %s, %v", out, err)
	}

	u.Type(t, "ptyrec forget; echo asked-$?\n")
	u.AwaitShown(t, "the second question", func(shown []byte) bool {
		return bytes.Count(shown,
			[]byte("Ctrl+C keeps it")) == 2
	})
	u.Type(t, "\x1c")
	u.Await(t, "the recording is deleted")
	u.Await(t, "asked-0")
	viewer.Await(t, "no longer recorded")
	_ = ptytest.Status(t, watch) // it ends
	u.Type(t, "echo goes-on-$((1+1)); ptyrec trailer; ptyrec forget; echo again-$?\n")
	u.Await(t, "goes-on-2")
	u.Await(t, "again-1")
	u.Type(t, "exit 7\n")
	if got := ptytest.Status(t, run); got != 7 {
		t.Errorf("exit status %d, want the shell's", got)
	}
	if bytes.Contains(u.Shown(), []byte("Session: ")) || bytes.Contains(u.Shown(), []byte("recorded as")) {
		t.Errorf("the forgotten session is named: %q", u.Shown())
	}
	if out, err := ptyrecIn(environ, "list", "--json").Output(); err != nil || strings.TrimSpace(string(out)) != "[]" {
		t.Errorf("list: %s, %v", out, err)
	}
	if names := remains(t, filepath.Dir(db), "unforgettable-42"); len(names) > 0 {
		t.Errorf("what was recorded is still in %q", names)
	}
	if names, _ := filepath.Glob(db + "-journals/*.journal"); len(names) > 0 {
		t.Errorf("journals are left: %q", names)
	}
}

// TestForgetFromAnotherTerminal forgets a session from another terminal, after it was in the
// database.
func TestForgetFromAnotherTerminal(t *testing.T) {
	t.Parallel()
	environ, db := env(t)
	u := ptytest.New(t)
	run := ptyrecIn(environ, "run", "--", "sh", "-c", `echo unforgettable-$((40+2)); read line; echo "got $line"`)
	u.Start(t, run)
	u.Await(t, "unforgettable-42")
	if out, err := ptyrecIn(environ, "forget", "last").CombinedOutput(); err == nil ||
		!bytes.Contains(out, []byte("add --yes")) {
		t.Errorf("without a terminal and --yes: %s, %v", out, err)
	}
	if out, err := ptyrecIn(environ, "list", "--json").Output(); err != nil || !bytes.Contains(out, []byte(`"live"`)) {
		t.Errorf("list: %s, %v", out, err)
	}
	if out, err := ptyrecIn(environ, "forget", "last", "--yes").CombinedOutput(); err != nil ||
		!bytes.Contains(out, []byte("deleted")) {
		t.Fatalf("%s, %v", out, err)
	}
	if names := remains(t, filepath.Dir(db), "unforgettable-42"); len(names) > 0 {
		t.Errorf("what was recorded is still in %q", names)
	}
	u.Type(t, "on\n")
	u.Await(t, "got on")
	if got := ptytest.Status(t, run); got != 0 {
		t.Errorf("exit status %d", got)
	}
	if out, err := ptyrecIn(environ, "list", "--json").Output(); err != nil || strings.TrimSpace(string(out)) != "[]" {
		t.Errorf("list: %s, %v", out, err)
	}
	if out, err := ptyrecIn(environ, "forget").CombinedOutput(); err == nil ||
		!bytes.Contains(out, []byte("not in a recorded session")) {
		t.Errorf("outside of a session: %s, %v", out, err)
	}
}

// TestProgramCannotForget has a program of a session without a terminal ask: nobody can agree.
func TestProgramCannotForget(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	out := filepath.Join(t.TempDir(), "out")
	id := runDetached(t, environ, "80x24", "sh", "-c",
		`ptyrec forget --yes >"$0" 2>&1; echo "status $?" >>"$0"; exec cat`, out)
	text, deadline := "", time.Now().Add(time.Minute)
	for ; !strings.Contains(text, "status") && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		b, _ := os.ReadFile(out)
		text = string(b)
	}
	if !strings.Contains(text, "nobody can be asked") || !strings.Contains(text, "status 1") {
		t.Errorf("forget said %q", text)
	}
	if list, err := ptyrecIn(environ, "list", "--live", "--json").Output(); err != nil ||
		!bytes.Contains(list, []byte(id)) {
		t.Errorf("list: %s, %v", list, err)
	}
}
