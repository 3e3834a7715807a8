package setup

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
)

// NewCmdVersion returns the command version.
func NewCmdVersion(a *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ptyrec version",
		Args:    cli.Operands(0, 0),
		RunE:    func(*cobra.Command, []string) error { return PrintVersion(a) },
	}
}

// PrintVersion prints the version.
func PrintVersion(a *factory.Factory) error {
	_, err := fmt.Fprintln(a.IO.Out, buildinfo.Line())
	return err
}
