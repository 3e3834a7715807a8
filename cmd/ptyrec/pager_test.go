package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// On a terminal there are colours and a pager; NO_COLOR is kept to.
func TestPager(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	environ = append(environ, "LESS=", "COLUMNS=", "TERM=xterm")
	record := exec.Command("ptyrec", "import", longCast(t))
	record.Env = environ
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		variable, want string
		args           []string
	}{
		{"PTYREC_PAGER=sed s/^/PAGED:/", "PAGED:\x1b[2mID", []string{"list"}},
		{"PAGER=sed s/^/PAGED:/", "PAGED:\x1b[33msession", []string{"show"}},
		{"PAGER=echo $LESSCHARSET; cat >/dev/null", "utf-8", []string{"show", "last#1"}},
		{"PTYREC_PAGER=false", "", []string{"show"}}, // left at once: no error
		{"PTYREC_PAGER=cat", "\x1b[33msession", []string{"show"}},
	} {
		u := ptytest.New(t)
		cmd := exec.Command("ptyrec", c.args...)
		cmd.Env = append(environ, c.variable)
		u.Start(t, cmd)
		if c.want != "" {
			u.Await(t, c.want)
		}
		if got := ptytest.Status(t, cmd); got != 0 {
			t.Errorf("%s: status = %d, terminal %q", c.variable, got, u.Shown())
		}
	}
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "list")
	cmd.Env = append(environ, "NO_COLOR=1", "PAGER=cat")
	u.Start(t, cmd)
	u.Await(t, "TITLE")
	ptytest.Status(t, cmd)
	if shown := string(u.Shown()); strings.Contains(shown, "\x1b") {
		t.Errorf("NO_COLOR: %q", shown)
	}
}
