package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
)

func newVersionCmd(a *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ptyrec version",
		Args:    operands(0, 0),
		RunE:    func(*cobra.Command, []string) error { return printVersion(a) },
	}
}

func printVersion(a *factory.Factory) error {
	_, err := fmt.Fprintln(a.IO.Out, buildinfo.Line())
	return err
}
