package find

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/export/edits"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// NewCmdDiff returns the command diff.
func NewCmdDiff(a *factory.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "diff [S|FILE]",
		SuggestFor: []string{"edits", "changes", "patch"},
		Short:      "Show what the agents changed, as a diff",
		Long: `Diff writes all edits of files that a session's agents showed as one unified diff, in order. Lines that
begin with # name the entry of each. An edit of which only a part was shown is marked, and its lines
begin with #, too: git apply and patch skip it and take the rest. Tabs are spaces where the agent
shows them so; docs/git.md says more.`,
		Example: `  ptyrec diff
  ptyrec diff 019a9ec0#4..019a9ec0#20
  ptyrec diff last | git apply --unidiff-zero --ignore-whitespace --check -
  ptyrec diff last --json | jq -r '.[].path' | sort -u`,
		Args:              cli.Operands(0, 1),
		ValidArgsFunction: factory.CompleteSessions(a.Open),
		RunE:              func(cmd *cobra.Command, args []string) error { return diff(cmd.Context(), a, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func diff(ctx context.Context, a *factory.Factory, args []string, asJSON bool) error {
	db, info, ref, err := a.Open.Session(ctx, args)
	if err != nil {
		return err
	}
	lib, err := a.Open.Library(db)
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
	if asJSON {
		return cli.WriteBuffered(a.IO.Out, func(w io.Writer) error { return printable.WriteJSON(w, shown) })
	}
	if len(shown) == 0 {
		a.IO.Notice("no edit of a file was shown in this session")
		return nil
	}
	return a.IO.Page(func(w io.Writer) error { return edits.Write(w, shown) })
}
