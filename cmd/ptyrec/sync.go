package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/detached"
	"github.com/ptyrec/ptyrec/internal/teamsync"
	"github.com/ptyrec/ptyrec/library"
	"github.com/ptyrec/ptyrec/store"
)

func newSyncCmd(a *app) *cobra.Command {
	var f teamsync.Flags
	cmd := &cobra.Command{
		Use:   "sync [S…]",
		Short: "Send sessions to the server of your team",
		Long: `Sync sends the sessions that have ended and that the settings of [team] choose, or the named ones of these, to the server of a team (docs/team.md):
without secrets, and without what you typed. It sends what is new, and ends. A session is never sent if its folder is not one of ` + "`folders`" + `.`,
		Example: `  ptyrec sync --dry-run          what would be sent
  ptyrec sync
  ptyrec sync --status           what waits, since when, and why
  ptyrec sync --withdraw last    the server deletes it
  ptyrec sync --never last       it is never sent`,
		Args:              operands(0, -1),
		ValidArgsFunction: completeSessions(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.syncOptions(cmd.Context(), f)
			if err != nil {
				return err
			}
			return teamsync.Run(cmd.Context(), o, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.DryRun, "dry-run", false, "only print what would be sent")
	flags.BoolVar(&f.Status, "status", false, "only print what waits, since when and why")
	flags.BoolVar(&f.Withdraw, "withdraw", false, "take the named sessions back, and never send them again")
	flags.BoolVar(&f.Check, "check", false, "first ask the server whether it still has what was sent in the last 30 days, which is otherwise done once a day")
	flags.BoolVar(&f.Never, "never", false, "never send the named sessions")
	flags.BoolVar(&f.Background, "background", false, "")
	_ = flags.MarkHidden("background") // it is there
	return cmd
}

// syncOptions returns what sending sessions needs.
func (a *app) syncOptions(ctx context.Context, f teamsync.Flags) (o teamsync.Options, err error) {
	db, err := a.openStore(ctx)
	if err != nil {
		return o, err
	}
	lib := func(db *store.Store) (*library.Library, error) { return a.library(db) }
	return teamsync.Options{Flags: f, Database: db, Settings: a.freshConfig, Library: lib, Out: a.stdout, Notice: a.notice}, nil
}

func newShareCmd(a *app) *cobra.Command {
	cmd := teamsync.NewShare(func(ctx context.Context) (teamsync.Options, error) { return a.syncOptions(ctx, teamsync.Flags{}) })
	cmd.Args, cmd.ValidArgsFunction = operands(1, 1), completeSessions(a)
	return cmd
}

// syncBeside starts a process that sends sessions to the server of a team, if there is one, or
// tells the one that runs that there is something to send.
func (a *app) syncBeside() {
	path, err := a.dbPath()
	c, configErr := a.loadConfig()
	if err != nil || configErr != nil {
		return // the command itself says so
	}
	teamsync.Start(c, path, detached.Program(), detached.WithoutSession(a.environ))
}
