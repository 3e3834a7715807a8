package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// statusNoLog is an exit status of verify.
const statusNoLog = 4

// operands is cli.Operands.
func operands(least, most int) cobra.PositionalArgs { return cli.Operands(least, most) }

// notice tells the user about something that is not a failure of the command.
func (a *app) notice(format string, args ...any) {
	cli.Notice(a.stderr, fmt.Sprintf(format, args...))
}
