package root

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// NewCmdMan returns a hidden command for packagers.
func NewCmdMan(f *factory.Factory) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [COMMAND] [-o DIR]",
		Short: "Write the manual pages",
		Long:  "Man writes the manual page of ptyrec or of a command. With -o it writes all pages into a folder.",
		Example: `  ptyrec man | man -l -
  ptyrec man search | man -l -
  ptyrec man -o share/man/man1`,
		Args:   cli.Operands(0, 1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root, pages := cmd.Root(), cli.Manual{Source: "ptyrec " + buildinfo.Version(), Date: buildinfo.Date()}
			if dir == "" {
				page, rest, err := root.Find(args)
				if err == nil {
					err = cli.Subcommand(page, rest)
				}
				if err != nil {
					return failure.Usage(err)
				}
				return cli.WriteBuffered(f.IO.Out, func(w io.Writer) error { return pages.Write(w, page) })
			}
			if len(args) > 0 {
				return failure.Usage(errors.New("-o writes all pages"))
			}
			return pages.WriteAll(&f.IO.Temps, dir, root)
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write all pages to `DIR`")
	return cmd
}
