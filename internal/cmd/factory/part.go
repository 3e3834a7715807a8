package factory

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/archive"
)

// PartFlags are the flags that select a part of a session.
type PartFlags struct{ From, To, Only string }

// Register adds the flags to cmd.
func (f *PartFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.From, "from", "", "begin at `PLACE`: an entry (12) or time (90s, 1:30, 2026-11-20T14:05:00Z)")
	cmd.Flags().StringVar(&f.To, "to", "", "end at `PLACE`: an entry or time")
	cmd.Flags().StringVar(&f.Only, "only", "",
		"include only messages of these `KINDS`: "+strings.Join(archive.Kinds(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("only", cobra.FixedCompletions(archive.Kinds(), cobra.ShellCompDirectiveNoFileComp))
}

// Of returns the part of ref that the flags select.
func (f *PartFlags) Of(ref archive.Ref) (archive.Ref, error) { return ref.Part(f.From, f.To, f.Only) }
