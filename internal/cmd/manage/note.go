package manage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// noteOptions are the options of note.
type noteOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	remove bool // --rm
}

// NewCmdNote returns the note command.
func NewCmdNote(f *factory.Factory) *cobra.Command {
	o := &noteOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:   "note S [TEXT…]",
		Short: "Set or print the note of a session",
		Long: `Note sets the note of a session, which show and list --json print. If TEXT is -, it is read from
stdin. Without TEXT, note prints the note.`,
		Example: `  ptyrec note last "the fix is in the second half"
  ptyrec note last
  ptyrec note last --rm`,
		Args:              cli.Operands(1, -1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE:              func(cmd *cobra.Command, args []string) error { return note(cmd.Context(), o, args) },
	}
	cmd.Flags().BoolVar(&o.remove, "rm", false, "remove the note")
	return cmd
}

func note(ctx context.Context, o *noteOptions, args []string) error {
	text := strings.Join(args[1:], " ")
	if o.remove && text != "" {
		return failure.Usage(errors.New("--rm cannot be combined with a text"))
	}
	db, info, _, err := o.Open.Stored(ctx, args)
	if err != nil {
		return err
	}
	if text == "" && !o.remove {
		if info.Note != "" {
			_, err = fmt.Fprintln(o.IO.Out, printable.Text(info.Note))
		}
		return err
	}
	if text == "-" {
		b, err := io.ReadAll(o.IO.In)
		if err != nil {
			return err
		}
		text = strings.TrimRight(string(b), "\n")
	}
	return db.SetNote(ctx, info.ID, text)
}
