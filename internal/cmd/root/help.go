package root

import (
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// allCommands is the argument of help that lists all commands.
const allCommands = "all"

// NewCmdHelp returns the help command, which explains commands in detail. It replaces cobra's.
func NewCmdHelp(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND | all]",
		Short:   "Explain a command",
		Long:    `Help explains a command in full, with all examples. ` + "`ptyrec help all`" + ` lists all commands.`,
		Example: "  ptyrec help all\n  ptyrec help search\n  ptyrec help exit-status",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []cobra.Completion,
			_ cobra.ShellCompDirective) {
			at, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) == 0 {
				for _, c := range at.Commands() {
					if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
						names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			if len(args) == 0 {
				names = append(names, cobra.CompletionWithDesc(allCommands, "List all commands"))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Root().Help()
			}
			if len(args) == 1 && args[0] == allCommands {
				return cli.Explain(f.IO.Out, cmd.Root(), f.IO.HelpWidth())
			}
			page, rest, err := cmd.Root().Find(args)
			if err != nil {
				return failure.Usage(err)
			}
			if err := cli.Subcommand(page, rest); err != nil {
				return err
			}
			return cli.Explain(f.IO.Out, page, f.IO.HelpWidth())
		},
	}
}
