package setup

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
)

// NewCmdVersion returns the version command.
func NewCmdVersion(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ptyrec version",
		Args:    cli.Operands(0, 0),
		RunE:    func(*cobra.Command, []string) error { return PrintVersion(f.IO.Out) },
	}
}

// PrintVersion prints the version.
func PrintVersion(w io.Writer) error {
	_, err := fmt.Fprintln(w, buildinfo.Line())
	return err
}
