package main

import (
	"bufio"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
)

// The first ten commands of docs/team.md, typed as they are there, lead from an empty PostgreSQL
// and an empty home folder to the first shared search. Only the port is another one.
func TestTeamNewcomer(t *testing.T) {
	t.Parallel()
	_, dsn := pgtest.NewOwn(t)
	u, err := url.Parse(dsn)
	must(t, err)
	text, err := os.ReadFile("../../docs/team.md")
	must(t, err)
	_, section, _ := strings.Cut(string(text), "## From nothing to the first shared search")
	_, port, err := net.SplitHostPort(freeAddress(t))
	must(t, err)
	blocks := consoleBlocks(section)[:2]
	if n := len(blocks[0]) + len(blocks[1]); n != 10 {
		t.Errorf("they are %d commands", n)
	}
	home := tempDir(t)
	typed := func(commands []string) *exec.Cmd {
		script := strings.NewReplacer("7681", port, // and a busy machine may take longer
			"ptyrec team serve &", "ptyrec team serve --listen localhost:"+port+
				" &\nuntil (exec 3<>/dev/tcp/localhost/"+port+") 2>/dev/null; do sleep 0.1; done",
			"--sync=end", "--sync=end --sync-wait 3m").Replace(strings.Join(commands, "\n"))
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
		cmd.Dir, cmd.Stderr = home, os.Stderr
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "PGHOST=" + u.Query().Get("host"),
			"PGUSER=" + u.Query().Get("user")}
		return cmd
	}
	operator := typed(append(blocks[0], "echo ready", "wait"))
	operator.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	operator.Cancel = func() error { return syscall.Kill(-operator.Process.Pid, syscall.SIGTERM) }
	out, err := operator.StdoutPipe()
	must(t, err)
	must(t, operator.Start())
	t.Cleanup(func() {
		_ = operator.Cancel()
		_ = operator.Wait()
	})
	for lines := bufio.NewScanner(out); ; {
		if !lines.Scan() {
			t.Fatal("the operator's commands failed")
		}
		if lines.Text() == "ready" {
			break
		}
	}
	found, err := typed(blocks[1]).Output()
	if err != nil || !strings.Contains(string(found), "[connection] [refused]") {
		t.Errorf("%v: %s", err, found)
	}
}

// consoleBlocks returns the commands of each console block of a document, without the comments. A
// backslash at the end of a line continues the command.
func consoleBlocks(text string) (blocks [][]string) {
	for i, block := range strings.Split(text, "```") {
		lines, ok := strings.CutPrefix(block, "console\n")
		if i%2 == 0 || !ok {
			continue
		}
		lines = strings.ReplaceAll(lines, "\\\n", "")
		var commands []string
		for line := range strings.Lines(lines) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				command, _, _ = strings.Cut(command, "  #")
				commands = append(commands, strings.TrimSpace(command))
			}
		}
		blocks = append(blocks, commands)
	}
	return blocks
}
