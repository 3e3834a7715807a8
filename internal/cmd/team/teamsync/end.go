package teamsync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/config"
)

// AtEnd are the flags of `run` that make it wait until its session is sent. A container loses what
// it has not sent at its end.
type AtEnd struct {
	When string        // "end", or empty: a background process sends it
	Wait time.Duration // maximum time to wait
}

// Register defines the flags.
func (e *AtEnd) Register(flags *pflag.FlagSet) {
	flags.StringVar(&e.When, "sync", "", "send to your team's server at the `end`, and wait")
	flags.DurationVar(&e.Wait, "sync-wait", 10*time.Second, "wait at most `TIME` with --sync=end")
}

// Check validates the flags. detach means that the session runs in the background.
func (e *AtEnd) Check(detach bool) error {
	switch {
	case e.When != "" && e.When != "end":
		return fmt.Errorf("--sync must be end, not %s", e.When)
	case e.When != "" && detach:
		return errors.New("--sync and --detach cannot be combined")
	case e.Wait <= 0:
		return errors.New("--sync-wait must be a time such as 10s")
	}
	return nil
}

// cleanup is how long a killed sync may keep its output open.
const cleanup = time.Second

// Send sends an ended session of the database at path: in the background, see Start, or by another
// process of the program for which it waits. The error is the reason why the session was not sent.
func (e *AtEnd) Send(ctx context.Context, c *config.Config, path, program, id string, environ []string) error {
	if e.When == "" {
		Start(c, path, program, environ)
		return nil
	}
	if c.Team.Server == "" {
		return errors.New("no team server is configured")
	}
	ctx, cancel := context.WithTimeout(ctx, e.Wait)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "sync", id)
	cmd.Args[0], cmd.Env, cmd.WaitDelay = "ptyrec", append(environ, "PTYREC_DB="+path), cleanup
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("it took longer than %v", e.Wait)
	case said.Len() == 0:
		return err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
	return errors.New(strings.TrimPrefix(strings.TrimPrefix(first, "ptyrec: "), "error: "))
}
