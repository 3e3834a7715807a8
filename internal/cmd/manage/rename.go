package manage

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// NewCmdRename returns the command rename.
func NewCmdRename(a *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:        "rename S [TITLE…]",
		SuggestFor: []string{"title", "mv"},
		Short:      "Give a session a title of yours",
		Long:       "Rename sets a session's title, which list, show and export use. Without a title the session's own comes back.",
		Example: `  ptyrec rename last the cache bug
  ptyrec rename 019a9ec0`,
		Args:              cli.Operands(1, -1),
		ValidArgsFunction: factory.CompleteSessions(a.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, info, _, err := a.Open.Stored(cmd.Context(), args)
			if err != nil {
				return err
			}
			return db.Rename(cmd.Context(), info.ID, printable.Line(strings.Join(args[1:], " ")))
		},
	}
}
