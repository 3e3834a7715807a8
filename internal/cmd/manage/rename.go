package manage

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// renameOptions are the options of rename.
type renameOptions struct {
	Open *opener.Opener
}

// NewCmdRename returns the rename command.
func NewCmdRename(f *factory.Factory) *cobra.Command {
	o := &renameOptions{Open: f.Open}
	return &cobra.Command{
		Use:        "rename S [TITLE…]",
		SuggestFor: []string{"title", "mv"},
		Short:      "Set a session's title",
		Long: `Rename sets a session's title, which list, show and export use. Without a title it restores the
session's own.`,
		Example: `  ptyrec rename last the cache bug
  ptyrec rename 4f1a`,
		Args:              cli.Operands(1, -1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE:              func(cmd *cobra.Command, args []string) error { return rename(cmd.Context(), o, args) },
	}
}

func rename(ctx context.Context, o *renameOptions, args []string) error {
	db, info, _, err := o.Open.Stored(ctx, args)
	if err != nil {
		return err
	}
	return db.Rename(ctx, info.ID, printable.Line(strings.Join(args[1:], " ")))
}
