package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// boxed runs commands in the sandbox agent-1, the last of which waits for a line of input.
func boxed(t *testing.T, db string, commands ...string) (last *process.Command) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	m, err := process.Open(t.Context(), process.Options{Store: s, Program: "/proc/self/exe"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = last.Kill(context.Background(), process.Kill, 0)
		_, _ = m.Close(), s.Close()
	})
	for i, text := range commands {
		last, _, err = m.Start(t.Context(), process.Spec{Sandbox: "agent-1", Command: text, CloseStdin: i < len(commands)-1,
			By: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if i < len(commands)-1 {
			if _, err := last.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return last
}

// What the commands of ptyrec make of a sandbox.
func TestCommandsOnASandbox(t *testing.T) {
	t.Parallel()
	environ, db := env(t)
	last := boxed(t, db, "echo one; echo two >&2; exit 4", "printf 'secret-%s\\n' Zebrafinch; printf '\\377'",
		"echo waiting; read line; echo $line")
	do := func(want int, args ...string) string {
		t.Helper()
		cmd := command(environ, args...)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, _ := cmd.Output()
		if cmd.ProcessState.ExitCode() != want {
			t.Fatalf("%v: status %d, want %d\n%s%s", args, cmd.ProcessState.ExitCode(), want, out, errs.String())
		}
		return string(out)
	}
	if out := do(0, "list"); !strings.HasPrefix(out, "sandbox agent-1   3 commands, 1 running, ") ||
		strings.Count(out, "\n") != 1 {
		t.Errorf("list: %q", out)
	}
	if out := do(0, "list", "--sandbox", "agent-1"); strings.Count(out, "\n") != 4 ||
		!strings.Contains(out, "failed (4)") || strings.Contains(out, "/bin/bash") {
		t.Errorf("list --sandbox: %s", out)
	}
	if err := last.Write(t.Context(), []byte("typed\n")); err != nil {
		t.Fatal(err)
	}
	if out := do(0, "tail", "sandbox:agent-1"); strings.Count(out, " one\n") != 1 || !strings.Contains(out, "typed") {
		t.Errorf("tail: %s", out)
	}
	if out := do(0, "show", "sandbox:agent-1"); strings.Index(out, "two") > strings.Index(out, "Zebrafinch") ||
		!strings.Contains(out, "typed") {
		t.Errorf("show: %s", out)
	}
	if out := do(0, "show", "sandbox:sandbox-agent-1"); !strings.Contains(out, "typed") {
		t.Errorf("show by the name of the SDK's session: %s", out)
	}
	if out := do(0, "show", "--raw", "sandbox:agent-1"); out != "one\ntwo\nsecret-Zebrafinch\n\xffwaiting\ntyped\n" {
		t.Errorf("show --raw: %q", out)
	}
	var all session.Transcript
	if err := json.Unmarshal([]byte(do(0, "export", "sandbox:agent-1")), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Entries) != 3 {
		t.Fatalf("export: %d entries", len(all.Entries))
	}
	first := all.Entries[0]
	if first.Role != session.RoleShell || first.Text != "echo one; echo two >&2; exit 4" || first.Output != "one\ntwo" ||
		*first.ExitStatus != 4 ||
		first.Data["exit_code"] != 4.0 || first.Data["stdout_bytes"] != 4.0 || first.Data["stderr_bytes"] != 4.0 ||
		first.Data["duration"] == nil {
		t.Errorf("the first command: %+v", first)
	}
	var one session.Transcript
	if err := json.Unmarshal([]byte(do(0, "export", last.Info().SessionID)), &one); err != nil {
		t.Fatal(err)
	}
	if one.Session.Sandbox != "agent-1" || one.Session.Process != last.Info().ID || one.Session.Asked.By != "test" {
		t.Errorf("the session: %+v", one.Session)
	}
	if out := do(0, "search", "zebrafinch"); !strings.Contains(out, "Zebrafinch") {
		t.Errorf("search: %s", out)
	}
	if out := do(0, "export", "--format", "cast", last.Info().SessionID); !strings.Contains(out, `waiting\r\n`) {
		t.Errorf("cast: %s", out)
	}
	do(0, "doctor")
	do(0, "prune", "--keep", "1", "--yes")
	if files := filesWith(t, db, "Zebrafinch"); files != nil {
		t.Errorf("after prune, it is still in %v", files)
	}
	if out := do(0, "list"); !strings.HasPrefix(out, "sandbox agent-1   1 command, ") {
		t.Errorf("list after prune: %s", out)
	}
	do(0, "rm", "--yes", last.Info().SessionID)
	do(1, "show", "sandbox:agent-1")
}

// A ptyrec from before this version refuses what it cannot read.
func TestOlderVersionsRefuse(t *testing.T) {
	t.Parallel()
	_, db := env(t)
	last := boxed(t, db, "echo x; read line")
	files, err := filepath.Glob(db + "-journals/" + last.Info().SessionID + ".1.journal")
	if err != nil || len(files) != 1 {
		t.Fatalf("journals %q, %v", files, err)
	}
	head, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(head), `"version":2`) {
		t.Errorf("the journal's version: %.200s, %v", head, err)
	}
}

// Secrets in the output of a pipe are in no transcript, also if it came in parts, and redact takes
// them out of the raw log.
func TestSecretsInTheOutputOfAPipe(t *testing.T) {
	environ, db := env(t)
	last := boxed(t, db, "echo first", "printf 'ghp_%s' Zt8kQ2mV7xR4pL9wN3cJ; sleep 0.2; echo b6Hf1Ys5Gd0Ea8Uo; exit 0")
	if _, err := last.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	const secret = "ghp_Zt8kQ2mV7xR4pL9wN3cJ" + "b6Hf1Ys5Gd0Ea8Uo"
	id := last.Info().SessionID
	for _, args := range [][]string{{"show", id}, {"export", "sandbox:agent-1"}, {"tail", id}} {
		out, err := command(environ, args...).CombinedOutput()
		if err != nil || strings.Contains(string(out), secret) || !strings.Contains(string(out), "[redacted:") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
	if out, _ := command(environ, "show", "--raw", id).Output(); !strings.Contains(string(out), secret) {
		t.Errorf("the raw log: %s", out)
	}
	if out, err := command(environ, "redact", "--yes", id).CombinedOutput(); err != nil {
		t.Fatalf("redact: %v, %s", err, out)
	}
	if out, _ := command(environ, "show", "--raw", id).Output(); strings.Contains(string(out), secret) {
		t.Errorf("the raw log after redact: %s", out)
	}
}

// A command can be followed, looked at and waited for while it runs, by its session and by its
// sandbox.
func TestFollowARunningCommand(t *testing.T) {
	environ, db := env(t)
	last := boxed(t, db, "echo early", "echo waiting; echo more >&2; read line; echo $line; exit 7")
	id := last.Info().SessionID
	var followers []*exec.Cmd
	var outs []*lineWaiter
	for _, args := range [][]string{{"tail", id}, {"tail", "sandbox:agent-1"}, {"wait", id, "--log-regexp", "^typed$"},
		{"wait", id, "--exit"}} {
		cmd := command(environ, args...)
		out := &lineWaiter{found: make(chan struct{}), want: "  more\n"}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		followers, outs = append(followers, cmd), append(outs, out)
	}
	for _, tail := range outs[:2] {
		if !tail.wait() {
			t.Fatalf("tail before the end: %s", tail)
		}
	}
	for want, args := range map[string][]string{
		"live":             {"list", "--live", "--sandbox", "agent-1"},
		"waiting":          {"screen", id},
		"more":             {"show", id},
		"more\n":           {"wait", id, "--log", "more", "--timeout", "60s"},
		`"joinable": true`: {"list", "--json", "--live"},
	} {
		out, err := command(environ, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "unreachable") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
	if err := last.Write(t.Context(), []byte("typed\n")); err != nil {
		t.Fatal(err)
	}
	for i, cmd := range followers {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v, %s", cmd.Args, err, outs[i])
		}
	}
	for _, tail := range outs[:2] {
		text := tail.String()
		at := 0
		for _, line := range []string{"$ echo waiting", "  waiting\n", "  more\n", "  typed\n", "(exit status 7"} {
			n := strings.Index(text[at:], line)
			if n < 0 || strings.Count(text, line) != 1 {
				t.Errorf("tail lacks %q or has it twice: %s", line, text)
				break
			}
			at += n
		}
	}
	if out := outs[2].String(); out != "typed\n" {
		t.Errorf("wait --log-regexp: %q", out)
	}
}

// lineWaiter keeps what is written to it, and notes when a text was.
type lineWaiter struct {
	want  string
	found chan struct{}

	mu   sync.Mutex // guards text
	text strings.Builder
}

// Write implements io.Writer.
func (w *lineWaiter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	had := strings.Contains(w.text.String(), w.want)
	w.text.Write(p)
	if !had && strings.Contains(w.text.String(), w.want) {
		close(w.found)
	}
	return len(p), nil
}

// String implements fmt.Stringer.
func (w *lineWaiter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// wait waits for the text, for a minute at most.
func (w *lineWaiter) wait() bool {
	select {
	case <-w.found:
		return true
	case <-time.After(time.Minute):
		return false
	}
}
