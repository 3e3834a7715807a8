package proc_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/sys/proc"
)

// TestMain is the marked program, too: it runs a script.
func TestMain(m *testing.M) {
	if os.Args[0] == "marked" {
		proc.Mark()
		out, err := exec.Command("sh", "-c", os.Args[1]).Output()
		if err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.Write(out)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A mark stays with what a marked process has started: in another session, without an environment,
// after its parents have died, and if it tries to take the mark off.
func TestMarkStays(t *testing.T) {
	if marked, known := proc.Marked(os.Getpid()); marked || !known {
		t.Fatalf("this process: marked %v, known %v; the tests do not run inside a recorded session", marked, known)
	}
	const show = `sleep 0.1; grep "Max file locks" /proc/self/limits`
	for _, script := range []string{
		show,
		`setsid sh -c '` + show + `'`,
		`(setsid -f env -i /bin/sh -c '` + show + `' | cat) & wait`,
		`prlimit --pid $$ --locks=5 2>/dev/null; ` + show,
	} {
		cmd := exec.Command(os.Args[0], script)
		cmd.Path, cmd.Args[0] = "/proc/self/exe", "marked"
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), "Max file locks") || strings.Contains(string(out), "unlimited") {
			t.Errorf("%s: %q, %v", script, out, err)
		}
	}
	if _, known := proc.Marked(1 << 30); known {
		t.Error("a process that does not exist is known")
	}
}
