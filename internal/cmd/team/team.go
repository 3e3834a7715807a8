// Package team implements the commands for a team's server.
package team

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// NewCmdTeam returns the team command.
func NewCmdTeam(f *factory.Factory) *cobra.Command {
	cmd := NewAdminCmd(AdminOptions{Out: f.IO.Out, Open: func(ctx context.Context) (Admin, error) {
		name, err := f.DatabaseName()
		if err != nil {
			return nil, err
		}
		if postgres.Is(name) {
			return f.OpenTeam(ctx, name)
		}
		if f.Database != "" {
			return nil, failure.Misuse("name the database: --db postgres://USER@HOST/NAME", "not a team's database")
		}
		c, err := f.Config()
		if err != nil {
			return nil, err
		}
		server, _, err := teamsync.Connect(c.Team.Server)
		return Remote(server), err
	}})
	// They also exist without "team".
	cmd.AddCommand(teamsync.NewLogin(f.IO.In), teamsync.NewLogout(), NewCmdSync(f), NewCmdShare(f))
	return cmd
}
