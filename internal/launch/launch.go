// Package launch starts the commands of `ptyrec run`: recorded ones get a session, others replace
// this process.
package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Exit statuses of a command that did not start, as shells have them.
const (
	statusNotExecutable = 126
	statusNotFound      = 127
)

// Replace replaces this process by a command. It returns only if that fails; the error has a hint
// and the exit status.
func Replace(command, environ []string) error {
	path, err := exec.LookPath(command[0])
	if err == nil {
		err = syscall.Exec(path, command, environ)
	}
	return Failure(&recorder.StartError{Command: command[0], Status: statusNotExecutable, Err: err})
}

// Failure adds a hint and the exit status to the error of a command that did not start. Other
// errors stay as they are.
func Failure(err error) error {
	var start *recorder.StartError
	if !errors.As(err, &start) {
		return err
	}
	hint := "is it executable, and no folder?"
	if start.Status == statusNotFound {
		hint = "check the spelling and $PATH"
	}
	return &cli.Failure{Err: fmt.Errorf("cannot run %w", start), Hint: hint, Status: start.Status}
}

// Session returns a session of a command that begins now, in the current folder and the window of
// out, or of in.
func Session(command []string, out, in *os.File) session.Session {
	cols, rows := recorder.WindowSize(out, in)
	cwd, _ := os.Getwd() // a folder that was removed has no name: then the session has none
	return session.Session{
		ID:        store.NewID(),
		Command:   command,
		Cwd:       cwd,
		StartedAt: time.Now().UTC(),
		Cols:      cols,
		Rows:      rows,
		Agents:    []session.Agent{},
	}
}
