package main

import (
	"errors"
	"fmt"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// Exit statuses. A recorded command's own status is passed on as it is.
const (
	statusFailure       = 1
	statusUsage         = 2
	statusNoLog         = 4
	statusNotExecutable = 126
	statusNotFound      = 127
)

// failure is an error as the user is told it: what went wrong, what to do next, and the exit
// status.
type failure struct {
	err    error
	hint   string
	status int
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fail adds a hint to err; the exit status is 1.
func fail(err error, hint string) error {
	return &failure{err: err, hint: hint, status: statusFailure}
}

// worded is an error in words for the user.
type worded struct {
	text string
	err  error
}

func (w worded) Error() string { return w.text }
func (w worded) Unwrap() error { return w.err }

// usageError marks err as a wrong use of the command line. Its hint is the command's help page.
func usageError(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return err
	}
	return &failure{err: err, status: statusUsage}
}

// childStatus is the exit status of a recorded command: no error of ours, nothing is printed.
type childStatus int

func (c childStatus) Error() string { return fmt.Sprintf("exit status %d", int(c)) }

// report tells the user of err in two lines on stderr and returns the exit status.
func (a *app) report(err error) int {
	if err == nil {
		return 0
	}
	var child childStatus
	if errors.As(err, &child) {
		return int(child)
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{err: err, status: statusFailure}
	}
	hint := f.hint
	if hint == "" {
		hint = hintFor(err)
	}
	fmt.Fprintf(a.stderr, "ptyrec: error: %s\nptyrec: hint: %s\n", cli.OneLine(f.err.Error()), cli.OneLine(hint))
	return f.status
}

// notice tells the user about something that is not a failure of the command.
func (a *app) notice(format string, args ...any) {
	cli.Notice(a.stderr, fmt.Sprintf(format, args...))
}
