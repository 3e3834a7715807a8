package process_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// markedVariable names the database of the command that a process writes to which was started in a
// recorded session.
const markedVariable = "PROCESS_TEST_MARKED"

// writeMarked is that process: it opens the database as another server would.
func writeMarked(db string) error {
	proc.Mark()
	ctx := context.Background()
	s, err := sqlite.Open(ctx, db)
	if err != nil {
		return err
	}
	m, err := process.Open(ctx, process.Options{Store: s, Program: "/proc/self/exe"})
	if err != nil {
		return err
	}
	c, err := m.Get(ctx, "box", "mine")
	if err != nil {
		return err
	}
	return c.Write(ctx, []byte("from another session\n"))
}

// What was started in a recorded session does not write to a command that a server runs, nor kill
// it, by the socket of the command's host. Another server does.
func TestHostRefusesProgramsInSessions(t *testing.T) {
	b := newBench(t)
	b.start(process.Spec{ID: "mine", Command: "cat"})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), markedVariable+"="+b.db)
	if out, err := cmd.CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "a program inside a recorded session may not") {
		t.Errorf("it says %q, %v", out, err)
	}
	b.close()
	b.open() // the server is started again
	c, err := b.Get(t.Context(), "box", "mine")
	if err == nil {
		err = c.Write(t.Context(), []byte("from the server\n"))
	}
	if err == nil {
		err = c.CloseInput(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, _, _ := b.output(c); out != "from the server\n" {
		t.Errorf("the command got %q", out)
	}
}
