package manage

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// NewCmdNote returns the command note.
func NewCmdNote(a *factory.Factory) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "note S [TEXT…]",
		Short: "Write a note to a session, or read it",
		Long: `Note writes a note to a session; list --json and show print it. If TEXT is -, it is read from
stdin. Without TEXT, note prints the note.`,
		Example: `  ptyrec note last "the fix is in the second half"
  ptyrec note last
  ptyrec note last --rm`,
		Args:              cli.Operands(1, -1),
		ValidArgsFunction: factory.CompleteSessions(a.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args[1:], " ")
			if remove && text != "" {
				return failure.Usage(errors.New("--rm takes no text"))
			}
			db, info, _, err := a.Open.Stored(cmd.Context(), args)
			if err != nil {
				return err
			}
			if text == "" && !remove {
				if info.Note != "" {
					_, err = fmt.Fprintln(a.IO.Out, printable.Text(info.Note))
				}
				return err
			}
			if text == "-" {
				b, err := io.ReadAll(a.IO.In)
				if err != nil {
					return err
				}
				text = strings.TrimRight(string(b), "\n")
			}
			return db.SetNote(cmd.Context(), info.ID, text)
		},
	}
	cmd.Flags().BoolVar(&remove, "rm", false, "remove the note")
	return cmd
}
