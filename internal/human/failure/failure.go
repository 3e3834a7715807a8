// Package failure defines errors for users: what went wrong, and what to do next.
package failure

import (
	"errors"
	"fmt"
)

// Error is an error with a hint.
type Error struct {
	Err    error
	Hint   string // what to do next; if empty, the code that prints the error adds a hint
	Misuse bool   // the command line or the request is wrong
	Status int    // exit status of the command; 0: the default
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// New adds a hint to err.
func New(err error, hint string) error { return &Error{Err: err, Hint: hint} }

// Misuse returns a usage error.
func Misuse(hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint, Misuse: true}
}

// Usage marks err as a usage error, unless it is an Error already.
func Usage(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{Err: err, Misuse: true}
}

// IsMisuse reports whether err is a usage error.
func IsMisuse(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Misuse
}
