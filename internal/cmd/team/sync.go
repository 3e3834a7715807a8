package team

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// NewCmdSync returns the sync command.
func NewCmdSync(f *factory.Factory) *cobra.Command {
	cmd := teamsync.NewSync(syncOptions(f))
	cmd.ValidArgsFunction = factory.CompleteSessions(f.Open)
	return cmd
}

// syncOptions returns a function that returns the options for sync once the flags are known.
func syncOptions(f *factory.Factory) func(context.Context, teamsync.Flags) (teamsync.Options, error) {
	return func(ctx context.Context, flags teamsync.Flags) (o teamsync.Options, err error) {
		db, err := f.Open.Store(ctx)
		if err != nil {
			return o, err
		}
		lib := func(db *sqlite.Store) (*library.Library, error) { return f.Open.Library(db) }
		return teamsync.Options{
			Flags: flags, Database: db, Settings: f.FreshConfig, Library: lib, Out: f.IO.Out, Notice: f.IO.Notice,
		}, nil
	}
}

// NewCmdShare returns the share command.
func NewCmdShare(f *factory.Factory) *cobra.Command {
	cmd := teamsync.NewShare(syncOptions(f))
	cmd.ValidArgsFunction = factory.CompleteSessions(f.Open)
	return cmd
}

// Sending sends sessions to a team's server, if there is one, in the background of other commands.
type Sending struct {
	IO       *cli.IO
	Database func() (path string, err error)
	Config   func() (*config.Config, error)
}

// SendingOf returns the Sending of a command that f makes.
func SendingOf(f *factory.Factory) Sending {
	return Sending{IO: f.IO, Database: f.DatabasePath, Config: f.Config}
}

// Beside starts a process that sends sessions, or wakes the running one.
func (s Sending) Beside() { s.After(context.Background(), "", teamsync.AtEnd{}) }

// After sends a session that has ended, as configured by the flags of run.
func (s Sending) After(ctx context.Context, id string, e teamsync.AtEnd) {
	path, err := s.Database()
	c, configErr := s.Config()
	if err != nil || configErr != nil {
		return // a command that needs the configuration reports the error
	}
	if err := e.Send(ctx, c, path, detached.Program(), id, detached.WithoutSession(s.IO.Environ)); err != nil {
		s.IO.Notice("warning: the session was not sent: %s", printable.Line(err.Error()))
	}
}
