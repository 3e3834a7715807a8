package root

import (
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// NewCmdHelp is cobra's, but for what it says of a word that names no command.
func NewCmdHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Long:    "Help explains a command, with examples, or names them all.",
		Example: "  ptyrec help search\n  ptyrec help exit-status",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			at, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) == 0 {
				for _, c := range at.Commands() {
					if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
						names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			page, rest, err := cmd.Root().Find(args)
			if err != nil {
				return failure.Usage(err)
			}
			if err := cli.Subcommand(page, rest); err != nil {
				return err
			}
			page.InitDefaultHelpFlag()
			return page.Help()
		},
	}
}
