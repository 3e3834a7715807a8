package sys

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"
)

// Exit statuses of a command that did not start, as in shells.
const (
	NotExecutable = 126
	NotFound      = 127
)

// StartError reports that a command could not be executed, with the exit status a shell would
// return.
type StartError struct {
	Command string
	Status  int // NotFound or NotExecutable
	Err     error
}

func (e *StartError) Error() string { return fmt.Sprintf("%s: %v", e.Command, e.Err) }
func (e *StartError) Unwrap() error { return e.Err }

// FindProgram looks a command's name up in PATH. The error is a *StartError.
func FindProgram(name string) (path string, err error) {
	path, err = exec.LookPath(name)
	if err == nil || errors.Is(err, exec.ErrDot) {
		return path, nil
	}
	start := NotStarted(name, err)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		start.Status = NotFound
	}
	return "", start
}

// NotStarted returns the error of a command that was found and could not be executed.
func NotStarted(name string, err error) *StartError {
	return &StartError{Command: name, Status: NotExecutable, Err: plainError(err)}
}

// plainError unwraps err to the part that StartError does not already print.
func plainError(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err
}
