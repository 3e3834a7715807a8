package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/store/pg"
)

// teamDB is the database of a team, used by its operator.
type teamDB struct {
	*pg.Store
	ctx context.Context // of the command
}

// teamDB opens the database that the command line or the environment names.
func (a *app) teamDB(cmd *cobra.Command) (*teamDB, error) {
	name, err := a.dbName()
	if err != nil {
		return nil, err
	}
	if !pg.Is(name) {
		return nil, misuse("name the database: --db postgres://USER@HOST/NAME", "a team's database is in PostgreSQL")
	}
	db, err := openTeam(cmd.Context(), a, name)
	return &teamDB{db, pg.As(cmd.Context(), pg.Viewer{Operator: true})}, err
}
