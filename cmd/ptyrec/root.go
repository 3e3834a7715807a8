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
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.checkFlags()
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.PersistentFlags().StringVar(&a.dbFlag, "db", "", "database `FILE` (default $PTYREC_DB, else $XDG_DATA_HOME/ptyrec/ptyrec.db)")
	root.PersistentFlags().StringVar(&a.redactFlag, "redact", "", "take secrets out of what is stored and written: `true` or false (default $PTYREC_REDACT, else as configured, else true)")
	root.PersistentFlags().Lookup("redact").NoOptDefVal = "true"
	root.AddCommand(
		newRunCmd(a),
		newExportCmd(a),
		newExtractCmd(a),
		newImportCmd(a),
		newListCmd(a),
		newConfigCmd(a),
		newRedactCmd(a),
		newDoctorCmd(a),
		newScreenCmd(a),
		newVersionCmd(a),
	)
	root.AddCommand(dailyCommands(a)...)
	return root
}
