package manage

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// NewCmdTag returns the command tag.
func NewCmdTag(a *factory.Factory) *cobra.Command {
	var remove []string
	cmd := &cobra.Command{
		Use:   "tag S [TAG…]",
		Short: "Tag a session, and say what tags it has",
		Long:  "Tag adds tags to a session, takes away those named with --rm, and prints what it has then. `list --tag TAG` finds them.",
		Example: `  ptyrec tag last cache work
  ptyrec tag last --rm work
  ptyrec list --tag cache`,
		Args: cli.Operands(1, -1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return factory.CompleteTags(a.Open)(cmd, args, word)
			}
			return factory.CompleteSessions(a.Open)(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, tag := range slices.Concat(args[1:], remove) {
				if err := store.CheckTag(tag); err != nil {
					return failure.Usage(err)
				}
			}
			db, info, _, err := a.Open.Stored(cmd.Context(), args)
			if err != nil {
				return err
			}
			tags, err := db.Tag(cmd.Context(), info.ID, args[1:], remove)
			if err != nil {
				return err
			}
			for _, tag := range tags {
				fmt.Fprintln(a.IO.Out, printable.Line(tag))
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&remove, "rm", nil, "take these `TAGS` away")
	return cmd
}
