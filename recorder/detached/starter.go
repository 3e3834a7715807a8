package detached

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Starter starts sessions for a server. This process may type into them as a person would, even if
// it runs in a session itself.
type Starter struct {
	database      string
	environ       []string
	owned, owners *os.File // the ends of the pipe: what the sessions hold, and what this process holds
}

// NewStarter returns a Starter of sessions in a database. environ is that of the commands. Close
// must be called.
func NewStarter(database string, environ []string) (*Starter, error) {
	owned, owners, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &Starter{database: database, environ: environ, owned: owned, owners: owners}, nil
}

// Close ends the owned sessions. They also end if this process is killed.
func (s *Starter) Close() error { return errors.Join(s.owned.Close(), s.owners.Close()) }

// Start starts a command in a folder, by default this process's, in a window of so many cells, and
// returns the session's id. The session goes on when this process ends. The error is what the user
// of `ptyrec run` would have read.
func (s *Starter) Start(ctx context.Context, command []string, cwd string, cols, rows int) (id string, err error) {
	return s.start(ctx, command, cwd, cols, rows)
}

// StartOwned is Start for a session that ends with this process, with all that was started in it.
func (s *Starter) StartOwned(ctx context.Context, command []string, cwd string, cols, rows int) (id string, err error) {
	return s.start(ctx, command, cwd, cols, rows, s.owned)
}

func (s *Starter) start(ctx context.Context, command []string, cwd string, cols, rows int,
	owned ...*os.File) (id string, err error) {
	args := []string{"--db", s.database, "run", "--nested", "--detach", "--size", fmt.Sprintf("%dx%d", cols, rows),
		fmt.Sprintf("--owned=%v", len(owned) > 0), "--starter", strconv.Itoa(os.Getpid()), "--"}
	cmd := exec.CommandContext(ctx, Program(), append(args, command...)...)
	cmd.Args[0] = programName
	cmd.ExtraFiles = owned
	cmd.Dir = cwd
	cmd.Env = append(WithoutSession(s.environ), "TERM=xterm-256color")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", errors.New(firstError(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// firstError returns the error in what another ptyrec printed.
func firstError(text string) string {
	for line := range strings.Lines(text) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "ptyrec: error: "); ok {
			return said
		}
	}
	return strings.TrimSpace(text)
}
