package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// statusNoLog is an exit status of verify.
const statusNoLog = 4

// fail is cli.Fail.
func fail(err error, hint string) error { return cli.Fail(err, hint) }

// misuse is cli.Misuse.
func misuse(hint, format string, args ...any) error { return cli.Misuse(hint, format, args...) }

// operands is cli.Operands.
func operands(least, most int) cobra.PositionalArgs { return cli.Operands(least, most) }

// usageError marks err as a wrong use of the command line. Its hint is the command's help page.
func usageError(err error) error {
	var f *cli.Failure
	if errors.As(err, &f) {
		return err
	}
	return &cli.Failure{Err: err, Status: cli.StatusUsage}
}

// notice tells the user about something that is not a failure of the command.
func (a *app) notice(format string, args ...any) {
	cli.Notice(a.stderr, fmt.Sprintf(format, args...))
}
