package detached_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// TestMain is the started program, too: it plays run --detach and the recorder.
func TestMain(m *testing.M) {
	if os.Args[0] == "ptyrec" {
		os.Exit(play(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// play does what the command says: "fail" fails, "args" shows how it was called, and all others
// report that they run. An owned recorder writes the file that its command names when its owner is
// gone.
func play(args []string) int {
	command := args[slices.Index(args, "--")+1:]
	switch {
	case command[0] == "fail":
		fmt.Fprintln(os.Stderr, "ptyrec: error: no such thing\nptyrec: hint: try another")
		return 3
	case command[0] == "args":
		cwd, _ := os.Getwd()
		fmt.Printf("%s in %s, TERM=%s, session=%q\n", strings.Join(args, " "), filepath.Base(cwd), os.Getenv("TERM"),
			os.Getenv(detached.Variable))
		return 0
	case slices.Contains(args, "--detach"):
		s := detached.Session{Command: command, Size: "80x24", Owned: slices.Contains(args, "--owned=true")}
		id, said, err := s.Launch(os.Environ())
		fmt.Fprintf(os.Stderr, "%s%v", said, err)
		fmt.Println(id)
		return 0
	}
	fmt.Fprintln(os.Stderr, "a warning")
	detached.Report("id-1")
	fmt.Fprintln(os.Stderr, "nobody reads this")
	if slices.Contains(args, "--owned") {
		_, _ = io.Copy(io.Discard, detached.Owner())
		_ = os.WriteFile(command[0], nil, 0o600)
	}
	return 0
}

func TestLaunch(t *testing.T) {
	id, said, err := detached.Session{Command: []string{"true"}, Size: "80x24"}.Launch(os.Environ())
	if id != "id-1" || string(said) != "a warning\n" || err != nil {
		t.Errorf("Launch() = %q, %q, %v", id, said, err)
	}
	id, said, err = detached.Session{Command: []string{"fail"}, Size: "80x24"}.Launch(os.Environ())
	var exit *exec.ExitError
	if id != "" || !strings.HasPrefix(string(said), "ptyrec: error: no such thing\n") || !errors.As(err, &exit) ||
		exit.ExitCode() != 3 {
		t.Errorf("a command that fails: %q, %q, %v", id, said, err)
	}
}

func TestStart(t *testing.T) {
	dir := t.TempDir()
	s, err := detached.NewStarter("/the.db", append(os.Environ(), detached.Variable+"=outer"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Start(t.Context(), []string{"args", "-x"}, dir, 100, 40)
	want := fmt.Sprintf(`--db /the.db run --nested --detach --size 100x40 --owned=false --starter %d -- args -x in %s, `+
		`TERM=xterm-256color, session=""`, os.Getpid(), filepath.Base(dir))
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run --detach (-want +got):\n%s", diff)
	}
	if _, err := s.Start(t.Context(), []string{"fail"}, "", 80, 24); err == nil || err.Error() != "no such thing" {
		t.Errorf("a command that fails: %v", err)
	}
}

// An owned session ends with the server, and not with run --detach.
func TestStartOwned(t *testing.T) {
	ended := filepath.Join(t.TempDir(), "ended")
	s, err := detached.NewStarter("/the.db", os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	if id, err := s.StartOwned(t.Context(), []string{ended}, "", 80, 24); id != "id-1" || err != nil {
		t.Fatalf("StartOwned() = %q, %v", id, err)
	}
	if _, err := os.Stat(ended); err == nil {
		t.Error("the session ended before its owner")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the session ends with its owner", func() bool {
		_, err := os.Stat(ended)
		return err == nil
	})
}

func TestParseSize(t *testing.T) {
	if cols, rows, err := detached.ParseSize(detached.DefaultSize); cols != 120 || rows != 30 || err != nil {
		t.Errorf("the default: %dx%d, %v", cols, rows, err)
	}
	for _, bad := range []string{"", "80", "80x", "x24", "80x24x1", "1x1", "2x0", "-2x5", "99999x24", "80x99999",
		" 80x24"} {
		if cols, rows, err := detached.ParseSize(bad); err == nil {
			t.Errorf("%q is %dx%d", bad, cols, rows)
		}
	}
}

func TestWithoutSession(t *testing.T) {
	environ := []string{"A=1", "PTYREC_SESSION=x", "PTYREC_SESSIONS=y", "PTYREC_SESSION="}
	if diff := cmp.Diff([]string{"A=1", "PTYREC_SESSIONS=y"}, detached.WithoutSession(environ)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(environ) != 4 || environ[1] != "PTYREC_SESSION=x" {
		t.Errorf("the argument was changed: %q", environ)
	}
}
