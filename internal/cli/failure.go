package cli

import (
	"errors"
	"fmt"
	"io"
)

// Exit statuses. The status of a recorded command is passed on as it is.
const (
	StatusFailure = 1
	StatusUsage   = 2
	StatusAsking  = 3   // an agent asks something
	StatusTimeout = 124 // as timeout(1)
)

// Failure is an error as the user sees it: what went wrong, what to do next, and the exit status.
type Failure struct {
	Err    error
	Hint   string // empty: one that fits Err
	Status int
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// Fail adds a hint to err; the exit status is StatusFailure.
func Fail(err error, hint string) error {
	return &Failure{Err: err, Hint: hint, Status: StatusFailure}
}

// Misuse returns an error for a wrong use of the command line.
func Misuse(hint, format string, args ...any) error {
	return &Failure{Err: fmt.Errorf(format, args...), Hint: hint, Status: StatusUsage}
}

// ExitStatus is a status to exit with without a word: that of a recorded command, or of a command
// that has said what is wrong.
type ExitStatus int

func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Report writes err to w in two lines, and returns the exit status. It writes nothing for nil and
// for an ExitStatus.
func Report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	var status ExitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	var f *Failure
	if !errors.As(err, &f) {
		f = &Failure{Err: err, Status: StatusFailure}
	}
	hint := f.Hint
	if hint == "" {
		hint = hintFor(err)
	}
	_, _ = fmt.Fprintf(w, "ptyrec: error: %s\nptyrec: hint: %s\n", OneLine(f.Err.Error()), OneLine(hint)) // nobody reads it if that fails
	return f.Status
}
