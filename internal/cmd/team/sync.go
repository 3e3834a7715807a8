package team

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// NewCmdSync returns the command sync.
func NewCmdSync(a *factory.Factory) *cobra.Command {
	cmd := teamsync.NewSync(syncOptions(a))
	cmd.ValidArgsFunction = factory.CompleteSessions(a.Open)
	return cmd
}

// syncOptions returns what sending sessions needs, once the flags are known.
func syncOptions(a *factory.Factory) func(context.Context, teamsync.Flags) (teamsync.Options, error) {
	return func(ctx context.Context, f teamsync.Flags) (o teamsync.Options, err error) {
		db, err := a.Open.Store(ctx)
		if err != nil {
			return o, err
		}
		lib := func(db *sqlite.Store) (*library.Library, error) { return a.Open.Library(db) }
		return teamsync.Options{
			Flags: f, Database: db, Settings: a.FreshConfig, Library: lib, Out: a.IO.Out, Notice: a.IO.Notice,
		}, nil
	}
}

// NewCmdShare returns the command share.
func NewCmdShare(a *factory.Factory) *cobra.Command {
	cmd := teamsync.NewShare(syncOptions(a))
	cmd.ValidArgsFunction = factory.CompleteSessions(a.Open)
	return cmd
}

// SyncBeside starts a process that sends sessions to the server of a team, if there is one, or
// tells the one that runs that there is something to send.
func SyncBeside(a *factory.Factory) { SyncAfter(context.Background(), a, "", teamsync.AtEnd{}) }

// SyncAfter has a session sent that has ended, as the flags of run say.
func SyncAfter(ctx context.Context, a *factory.Factory, id string, e teamsync.AtEnd) {
	path, err := a.Open.Database()
	c, configErr := a.Config()
	if err != nil || configErr != nil {
		return // the command itself says so
	}
	if err := e.Send(ctx, c, path, detached.Program(), id, detached.WithoutSession(a.IO.Environ)); err != nil {
		a.IO.Notice("warning: the session was not sent: %s", printable.Line(err.Error()))
	}
}
