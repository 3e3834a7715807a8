package root

import (
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
)

// aliasSession adds the flag --session to a command, as an alternative to the first argument.
func aliasSession(open *opener.Opener, cmd *cobra.Command) {
	var ref string
	cmd.Flags().StringVar(&ref, "session", "", "name session `S` instead of the argument")
	_ = cmd.Flags().MarkHidden("session") // the argument is the documented way
	_ = cmd.RegisterFlagCompletionFunc("session", factory.CompleteSessions(open))
	with := func(args []string) []string {
		if open.Named = cmd.Flags().Changed("session"); open.Named {
			args = append([]string{ref}, args...)
		}
		return args
	}
	check, run := cmd.Args, cmd.RunE
	if check == nil {
		check = cli.Operands(0, -1)
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error { return check(cmd, with(args)) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, with(args)) }
}
