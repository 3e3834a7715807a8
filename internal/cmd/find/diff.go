package find

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// diffOptions are the options of diff.
type diffOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	json bool
}

// NewCmdDiff returns the diff command.
func NewCmdDiff(f *factory.Factory) *cobra.Command {
	o := &diffOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:        "diff [S|FILE]",
		SuggestFor: []string{"edits", "changes", "patch"},
		Short:      "Show the agents' edits as a diff",
		Long: `Diff writes all edits that a session's agents showed as one unified diff, in order. Lines that
begin with # name the entry of each edit. If only a part of an edit was shown, it is marked and
all its lines begin with #, so that git apply and patch skip it. Tabs are spaces if the agent
shows them so. See docs/git.md.`,
		Example: `  ptyrec diff
  ptyrec diff 4f1a#4..4f1a#20
  ptyrec diff last | git apply --unidiff-zero --ignore-whitespace --check -
  ptyrec diff last --json | jq -r '.[].path' | sort -u`,
		Args:              cli.Operands(0, 1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE:              func(cmd *cobra.Command, args []string) error { return diff(cmd.Context(), o, args) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	return cmd
}

func diff(ctx context.Context, o *diffOptions, args []string) error {
	db, info, ref, err := o.Open.Session(ctx, args)
	if err != nil {
		return err
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	t, err := lib.Transcript(ctx, info)
	if err != nil {
		return err
	}
	shown, err := export.EditsOf(t, ref, info.Name != "")
	if err != nil {
		return opener.Missing(err)
	}
	if o.json {
		return cli.WriteBuffered(o.IO.Out, func(w io.Writer) error { return printable.WriteJSON(w, shown) })
	}
	if len(shown) == 0 {
		o.IO.Notice("the session shows no edits of files")
		return nil
	}
	return o.IO.Page(func(w io.Writer) error { return export.WriteEdits(w, shown) })
}
