// Package manage implements the commands that name, tag, delete and redact sessions.
package manage

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// rmOptions are the options of rm.
type rmOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	yes bool
}

// NewCmdRm returns the rm command.
func NewCmdRm(f *factory.Factory) *cobra.Command {
	o := &rmOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:   "rm S…",
		Short: "Delete sessions",
		Long: `Rm deletes sessions with their recordings. It names them and asks first, unless you pass --yes.
Inside a recorded session you have to confirm with Ctrl+\ in that session's terminal.`,
		Example: `  ptyrec rm last
  ptyrec rm 4f1a 77b0 --yes`,
		Args:              cli.Operands(1, -1),
		ValidArgsFunction: factory.CompleteMoreSessions(o.Open),
		RunE:              func(cmd *cobra.Command, args []string) error { return rm(cmd.Context(), o, args) },
	}
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask for confirmation")
	return cmd
}

func rm(ctx context.Context, o *rmOptions, args []string) error {
	db, err := o.Open.Existing(ctx)
	if err != nil {
		return err
	}
	var infos []*store.Info
	seen := map[string]bool{}
	for _, arg := range args {
		_, info, ref, err := o.Open.Stored(ctx, []string{arg})
		if err == nil && !ref.Whole() {
			err = opener.WholeOnly(ref)
		}
		if err != nil {
			return err
		}
		if info.Status == store.Live {
			return failure.New(fmt.Errorf("session %s is being recorded", info.ID), "end it first")
		}
		if !seen[info.ID] {
			seen[info.ID] = true
			infos = append(infos, info)
		}
	}
	return deleteSessions(ctx, o.IO, db, infos, o.yes)
}

// deleteSessions lists sessions, asks for confirmation unless yes is set, and deletes them.
func deleteSessions(ctx context.Context, std *cli.IO, db *sqlite.Store, infos []*store.Info, yes bool) error {
	return Deleter{
		Store: db, Out: std.Err, Notice: std.Notice, Terminal: cli.IsTerminal(std.Err),
		Confirm: func(what string) error {
			if yes {
				return nil
			}
			return std.Agreed(what)
		},
	}.Delete(ctx, infos)
}
