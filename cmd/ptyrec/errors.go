package main

import (
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// statusNoLog is an exit status of verify.
const statusNoLog = 4

// operands is cli.Operands.
func operands(least, most int) cobra.PositionalArgs { return cli.Operands(least, most) }
