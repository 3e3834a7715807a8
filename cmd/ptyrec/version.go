package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/buildinfo"
)

func newVersionCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ptyrec version",
		Args:    operands(0, 0),
		RunE:    func(*cobra.Command, []string) error { return printVersion(a) },
	}
}

func printVersion(a *app) error {
	_, err := fmt.Fprintln(a.stdout, buildinfo.Line())
	return err
}
