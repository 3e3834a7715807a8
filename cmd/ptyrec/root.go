package main

import (
	"github.com/spf13/cobra"
)

// newRootCmd builds the command tree. Each command stands in a file of its own.
func newRootCmd(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "ptyrec",
		Short: "Record terminal sessions and read the conversations of coding agents out of them",
		Example: `  ptyrec run -- claude          record a session
  ptyrec export session.json    the conversation of the last session`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			a.started = true
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.PersistentFlags().StringVar(&a.dbFlag, "db", "", "database `FILE` (default $PTYREC_DB, else $XDG_DATA_HOME/ptyrec/ptyrec.db)")
	root.AddCommand(
		newRunCmd(a),
		newExportCmd(a),
		newExtractCmd(a),
		newImportCmd(a),
		newListCmd(a),
		newScreenCmd(a),
		newVersionCmd(a),
	)
	return root
}
