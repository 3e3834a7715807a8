package record

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Check checks in advance whether a command can be executed. The error is the same as that of
// Replace.
func Check(name string) error {
	_, err := sys.FindProgram(name)
	return Failure(err)
}

// Replace replaces this process by a command. It returns only if that fails; the error has a hint
// and the exit status.
func Replace(command, environ []string) error {
	path, err := sys.FindProgram(command[0])
	if err == nil {
		err = sys.NotStarted(command[0], syscall.Exec(path, command, environ))
	}
	return Failure(err)
}

// Failure adds a hint and the exit status to the error of a command that did not start. It returns
// other errors unchanged.
func Failure(err error) error {
	var start *sys.StartError
	if !errors.As(err, &start) {
		return err
	}
	hint := "check that it is an executable file"
	if start.Status == sys.NotFound {
		hint = "check the spelling and $PATH"
	}
	return &failure.Error{Err: fmt.Errorf("cannot run %w", start), Hint: hint, Status: start.Status}
}

// Session returns the session for a command that starts now in the current folder. Its window size
// is that of out, or of in.
func Session(command []string, out, in *os.File) session.Session {
	cols, rows := sys.WindowSize(out, in)
	cwd, _ := os.Getwd() // a removed folder has no name; then the session has none
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
