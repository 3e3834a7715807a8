package factory

import (
	"context"
	"errors"

	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// DatabasePath returns the path of the database, which is a file.
func (f *Factory) DatabasePath() (string, error) {
	name, err := f.DatabaseName()
	if err == nil && postgres.Is(name) {
		return "", failure.New(errors.New("this command needs a database file, not PostgreSQL"),
			"unset --db and $PTYREC_DB to use the database file; `ptyrec serve` shows the sessions in PostgreSQL")
	}
	return name, err
}

// DatabaseName returns the path of the database, or the connection string of one in PostgreSQL.
func (f *Factory) DatabaseName() (string, error) {
	if f.Database != "" {
		return f.Database, nil
	}
	return config.DatabasePath(f.Config)
}

// newOpener returns the Opener for the command.
func newOpener(f *Factory) *opener.Opener {
	return &opener.Opener{
		Database: f.DatabasePath, Recording: f.openRecording, Redaction: f.redaction, Team: f.team, Opened: f.Retain,
		Progress: f.IO.Progress, Notice: f.IO.Notice, Temps: &f.IO.Temps,
	}
}

// team returns a reader of the sessions on the team's server.
func (f *Factory) team() (opener.Sessions, error) {
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	return teamsync.NewReader(c.Team.Server)
}

// OpenTeam opens a PostgreSQL database until the command ends.
func (f *Factory) OpenTeam(ctx context.Context, dsn string) (*postgres.Store, error) {
	db, err := postgres.Open(ctx, dsn)
	if err != nil {
		return nil, failure.New(err,
			"write postgres://USER@HOST/NAME, and put the password into $PGPASSWORD or ~/.pgpass")
	}
	f.Open.CloseLater(db)
	return db, nil
}
