package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func newSyncCmd(a *app) *cobra.Command {
	cmd := teamsync.NewSync(a.syncOptions)
	cmd.ValidArgsFunction = completeSessions(a)
	return cmd
}

// syncOptions returns what sending sessions needs.
func (a *app) syncOptions(ctx context.Context, f teamsync.Flags) (o teamsync.Options, err error) {
	db, err := a.openStore(ctx)
	if err != nil {
		return o, err
	}
	lib := func(db *sqlite.Store) (*library.Library, error) { return a.library(db) }
	return teamsync.Options{Flags: f, Database: db, Settings: a.freshConfig, Library: lib, Out: a.stdout, Notice: a.notice}, nil
}

func newShareCmd(a *app) *cobra.Command {
	cmd := teamsync.NewShare(a.syncOptions)
	cmd.ValidArgsFunction = completeSessions(a)
	return cmd
}

// syncBeside starts a process that sends sessions to the server of a team, if there is one, or
// tells the one that runs that there is something to send.
func (a *app) syncBeside() { a.syncAfter(context.Background(), "", teamsync.AtEnd{}) }

// syncAfter has a session sent that has ended, as the flags of run say.
func (a *app) syncAfter(ctx context.Context, id string, e teamsync.AtEnd) {
	path, err := a.dbPath()
	c, configErr := a.loadConfig()
	if err != nil || configErr != nil {
		return // the command itself says so
	}
	if err := e.Send(ctx, c, path, detached.Program(), id, detached.WithoutSession(a.environ)); err != nil {
		a.notice("warning: the session was not sent: %s", printable.Line(err.Error()))
	}
}
