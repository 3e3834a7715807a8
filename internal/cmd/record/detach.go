package record

import (
	"errors"
	"fmt"
	"os/exec"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// detach starts a session in the background, and prints its id. It returns an error if the session
// cannot be started.
func detach(o *runOptions, command []string) error {
	if _, _, err := detached.ParseSize(o.size); err != nil {
		return failure.Usage(err)
	}
	if err := Check(command[0]); err != nil {
		return err
	}
	path, err := o.Open.Database()
	if err != nil {
		return err
	}
	s := detached.Session{Command: command, Database: path, Size: o.size, Redact: o.redact, Input: o.input,
		Notify: o.notify, Owned: o.owned, Starter: o.starter}
	id, said, err := s.Launch(o.IO.Environ)
	_, _ = o.IO.Err.Write(said)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return cli.ExitStatus(exit.ExitCode())
	case err != nil:
		return failure.New(fmt.Errorf("the session did not start: %w", err), "try it without --detach")
	case id == "": // it ended before it could report its id
		return nil
	}
	_, err = fmt.Fprintln(o.IO.Out, id)
	return err
}
