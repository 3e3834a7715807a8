package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// longCast is a recording of a minute with a word a second.
func longCast(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"version": 2, "width": 60, "height": 10, "timestamp": 1767355200, "command": "sh"}` + "\n")
	for i := range 60 {
		fmt.Fprintf(&b, `[%d, "o", "word%d\r\n"]`+"\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "long.cast")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every key does what it says, and the terminal comes back as it was.
func TestPlayKeys(t *testing.T) {
	t.Parallel()
	u := ptytest.New(t)
	before := u.Settings(t)
	cmd := exec.Command("ptyrec", "play", longCast(t), "--at", "20")
	cmd.Env, _ = env(t)
	u.Start(t, cmd)
	u.Await(t, "word20")
	u.Type(t, " ")
	u.Await(t, "‖ 0:2")
	u.Type(t, "9")
	u.Await(t, "word53")
	u.Type(t, "\x1b[D")
	u.Await(t, "‖ 0:48")
	u.Type(t, "\x1b[1~")
	u.Await(t, "word0")
	u.Type(t, "\x1b[C.")
	u.Await(t, "word6")
	u.Type(t, "+")
	u.Await(t, "×2")
	u.Type(t, "\x1b[F")
	u.Await(t, "word59")
	u.Type(t, "q")
	if got := ptytest.Status(t, cmd); got != 0 {
		t.Errorf("status = %d, want 0", got)
	}
	u.Await(t, "\x1b[?1049l")
	if diff := cmp.Diff(before, u.Settings(t)); diff != "" {
		t.Errorf("settings (-before +after):\n%s", diff)
	}
}

// It plays to its end by itself; a session's messages are stepped through.
func TestPlaySession(t *testing.T) {
	t.Parallel()
	demo, err := filepath.Abs(filepath.Join("..", "..", "testdata", "demo", "agent.sh"))
	if err != nil {
		t.Fatal(err)
	}
	environ, _ := env(t)
	record := exec.Command("ptyrec", "run", "--", demo)
	record.Env = append(environ, "PAUSE=0.05")
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "play", "--speed", "0.01")
	cmd.Env = environ
	u.Start(t, cmd)
	u.Type(t, " n")
	u.Await(t, "user: How many tests") // its number depends on whether the agent was seen to be busy before
	u.Type(t, "nn")
	u.Await(t, "user: Thanks.")
	u.Type(t, "q")
	ptytest.Status(t, cmd)

	u = ptytest.New(t)
	cmd = exec.Command("ptyrec", "play", "--speed", "50")
	cmd.Env = environ
	u.Start(t, cmd)
	u.Await(t, "Start with these two")
	if got := ptytest.Status(t, cmd); got != 0 {
		t.Errorf("status = %d, want 0", got)
	}
}
