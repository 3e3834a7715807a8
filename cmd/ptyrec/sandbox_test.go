package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/process"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// boxed runs commands in the sandbox agent-1, the last of which waits for a line of input.
func boxed(t *testing.T, db string, commands ...string) (last *process.Command) {
	t.Helper()
	s, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	m, err := process.Open(t.Context(), process.Options{Store: s, Program: "/proc/self/exe"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = last.Kill(context.Background(), process.Kill, 0)
		_, _ = m.Close(), s.Close()
	})
	for i, text := range commands {
		last, _, err = m.Start(t.Context(), process.Spec{Sandbox: "agent-1", Command: text, CloseStdin: i < len(commands)-1, By: "test"})
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

// Issue 14, items 2 and 3: what the commands of ptyrec make of a sandbox.
func TestItem3Sandbox(t *testing.T) {
	t.Parallel()
	environ, db := env(t)
	last := boxed(t, db, "echo one; echo two >&2; exit 4", "printf 'secret-%s\\n' Zebrafinch; printf '\\377'", "echo waiting; read line; echo $line")
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
	if out := do(0, "list"); !strings.HasPrefix(out, "sandbox agent-1   3 commands, 1 running, ") || strings.Count(out, "\n") != 1 {
		t.Errorf("list: %q", out)
	}
	if out := do(0, "list", "--sandbox", "agent-1"); strings.Count(out, "\n") != 4 || !strings.Contains(out, "failed (4)") || strings.Contains(out, "/bin/bash") {
		t.Errorf("list --sandbox: %s", out)
	}
	if err := last.Write(t.Context(), []byte("typed\n")); err != nil {
		t.Fatal(err)
	}
	if out := do(0, "tail", "sandbox:agent-1"); strings.Count(out, " one\n") != 1 || !strings.Contains(out, "typed") {
		t.Errorf("tail: %s", out)
	}
	if out := do(0, "show", "sandbox:agent-1"); strings.Index(out, "two") > strings.Index(out, "Zebrafinch") || !strings.Contains(out, "typed") {
		t.Errorf("show: %s", out)
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
	if first.Role != session.RoleShell || first.Text != "echo one; echo two >&2; exit 4" || first.Output != "one\ntwo" || *first.ExitStatus != 4 ||
		first.Data["exit_code"] != 4.0 || first.Data["stdout_bytes"] != 4.0 || first.Data["stderr_bytes"] != 4.0 || first.Data["duration"] == nil {
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

// Issue 14, item 1: a ptyrec from before this version refuses what it cannot read.
func TestItem1OlderVersionsRefuse(t *testing.T) {
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
