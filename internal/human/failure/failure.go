// Package failure has the errors that a user reads: what went wrong, and what to do next.
package failure

import (
	"errors"
	"fmt"
)

// Error is an error with a hint.
type Error struct {
	Err    error
	Hint   string // what to do next; empty: whoever shows the error knows one
	Misuse bool   // what was asked for is wrong, by a command line or by a request
	Status int    // the exit status of a command that fails so; 0: the usual one
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// New adds a hint to err.
func New(err error, hint string) error { return &Error{Err: err, Hint: hint} }

// Misuse returns an error for something that was asked for wrongly.
func Misuse(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint, Misuse: true}
}

// Usage marks err as a misuse, unless it is an Error already.
func Usage(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{Err: err, Misuse: true}
}

// IsMisuse reports whether err is about what was asked for.
func IsMisuse(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Misuse
}
