package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/git"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/session"
)

// TestMain makes this test binary serve as ptyrec, for the scripts and, by PATH, for the other
// tests here.
func TestMain(m *testing.M) {
	if os.Getenv("PTYREC_TEST_SLOW_GIT") == "" {
		git.SetLimit(time.Minute) // a busy machine must not change what the tests see
	}
	if dir, err := os.Getwd(); err == nil && os.Getenv("GIT_CEILING_DIRECTORIES") == "" {
		_ = os.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir)) // sessions need not ask git about our own repository
	}
	if text := os.Getenv("PTYREC_TEST_NOW"); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(err)
		}
		factory.SetClock(func() time.Time { return at })
	}
	process.BeHost()
	testscript.Main(m, map[string]func(){"ptyrec": main, agentapiName: main, "ptyrec-clock": clock,
		"ptyrec-hand-over": handOver, "ptyrec-post": postGrant, "ptyrec-doors": tryDoors, "ptyrec-request": request,
		"codex": fakeCodex, "claude": likeClaude})
}

func TestScript(t *testing.T) {
	demo, err := filepath.Abs(filepath.Join("..", "..", "testdata", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("PTYREC_DB", filepath.Join(env.WorkDir, "db", "ptyrec.db"))
			env.Setenv("PTYREC_SESSION", "")
			env.Setenv("PTYREC_NOTICE", "never") // notice.txtar has it
			env.Setenv("SHELL", "/bin/sh")
			env.Setenv("DEMO", demo)
			env.Setenv("FIXTURES", filepath.Join(filepath.Dir(demo), "transcripts"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			run, err := socketDir()
			if err != nil {
				return err
			}
			env.Defer(func() { _ = os.RemoveAll(run) })
			env.Setenv("XDG_RUNTIME_DIR", run)
			env.Setenv("TMPDIR", run)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":   cmdStatus,
			"sameText": cmdSameText,
			"damage":   cmdDamage,
		},
	})
}

// cmdStatus runs a command line and wants the exit status that precedes it.
func cmdStatus(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// cmdSameText compares two transcripts, but for the ids and the session's own lines.
func cmdSameText(ts *testscript.TestScript, neg bool, args []string) {
	var texts [2][]byte
	for i, name := range args {
		var t session.Transcript
		if err := json.Unmarshal([]byte(ts.ReadFile(name)), &t); err != nil {
			ts.Fatalf("%s: %v", name, err)
		}
		if len(t.Entries) == 0 {
			ts.Fatalf("%s has no entries", name)
		}
		for _, e := range t.Entries {
			e.ID = ""
		}
		texts[i], _ = json.Marshal(t.Entries) // it came from JSON
	}
	if bytes.Equal(texts[0], texts[1]) == neg {
		ts.Fatalf("%s and %s: same entries: %v", args[0], args[1], neg)
	}
}

// env is the environment of a ptyrec under test, with a database and live sessions of its own.
func env(t testing.TB) (environ []string, db string) {
	t.Helper()
	db = filepath.Join(tempDir(t), "ptyrec.db")
	run, err := socketDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	return append(detached.WithoutSession(os.Environ()), "PTYREC_DB="+db, "PTYREC_NOTICE=never",
		"XDG_STATE_HOME="+t.TempDir(), "TMPDIR="+run, "XDG_RUNTIME_DIR="+run), db
}

// socketDir makes a folder for sockets. It is in /tmp, as a socket's path must be short: where
// $TMPDIR is long, ptyrec would use the folder that all sessions of the user share, and "last"
// could be one of another test.
func socketDir() (string, error) { return os.MkdirTemp("/tmp", "pr") }

// tempDir returns a folder for a database.
func tempDir(t testing.TB) string { return servetest.Dir(t) }
