package manage

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// tagOptions are the options of tag.
type tagOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	remove []string // --rm
}

// NewCmdTag returns the tag command.
func NewCmdTag(f *factory.Factory) *cobra.Command {
	o := &tagOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:   "tag S [TAG…]",
		Short: "Add, remove or print tags of a session",
		Long: `Tag adds tags to a session, removes those in --rm, and prints the session's tags. ` + "`list --tag TAG`" + `
finds them.`,
		Example: `  ptyrec tag last cache work
  ptyrec tag last --rm work
  ptyrec list --tag cache`,
		Args: cli.Operands(1, -1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			if len(args) > 0 {
				return factory.CompleteTags(o.Open)(cmd, args, word)
			}
			return factory.CompleteSessions(o.Open)(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return tag(cmd.Context(), o, args) },
	}
	cmd.Flags().StringSliceVar(&o.remove, "rm", nil, "remove these `TAGS`")
	return cmd
}

func tag(ctx context.Context, o *tagOptions, args []string) error {
	for _, t := range slices.Concat(args[1:], o.remove) {
		if err := store.CheckTag(t); err != nil {
			return failure.Usage(err)
		}
	}
	db, info, _, err := o.Open.Stored(ctx, args)
	if err != nil {
		return err
	}
	tags, err := db.Tag(ctx, info.ID, args[1:], o.remove)
	if err != nil {
		return err
	}
	for _, t := range tags {
		fmt.Fprintln(o.IO.Out, printable.Line(t))
	}
	return nil
}
