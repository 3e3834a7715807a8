package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/archive"
)

// partFlags choose a part of a session.
type partFlags struct{ from, to, only string }

func (f *partFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "from", "", "begin at this entry (12) or time (90s, 1:30, 2026-11-20T14:05:00Z): `WHERE`")
	cmd.Flags().StringVar(&f.to, "to", "", "end with this entry or at this time: `WHERE`")
	cmd.Flags().StringVar(&f.only, "only", "", "only these kinds of messages: `KINDS`, a list of "+strings.Join(archive.Kinds(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("only", cobra.FixedCompletions(archive.Kinds(), cobra.ShellCompDirectiveNoFileComp))
}

// of returns the part of ref that the flags choose.
func (f *partFlags) of(ref archive.Ref) (archive.Ref, error) { return ref.Part(f.from, f.to, f.only) }
