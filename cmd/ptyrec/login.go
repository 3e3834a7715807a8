package main

import (
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/teamsync"
)

func newLoginCmd(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "login URL --token-file FILE",
		Short: "Let sync send sessions to the server of a team",
		Long: `Login makes sure that the server takes the token in FILE, and keeps it where only you can read it. What is sent, say ` + "`folders`" + ` and the other
settings of [team] in the configuration (docs/team.md): without them, nothing is.`,
		Example: `  ptyrec login https://ptyrec.example.com --token-file token.txt
  ptyrec login https://ptyrec.example.com --token-file - <token.txt`,
		Args: operands(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return teamsync.Login(cmd.Context(), args[0], file, a.stdin)
		},
	}
	cmd.Flags().StringVar(&file, "token-file", "", "read the token from this `FILE`; -: from standard input")
	return cmd
}

func newLogoutCmd(*app) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Forget the token for the server of a team",
		Long:  "Logout removes what login keeps. The token stays valid: `ptyrec team token rm` makes it void.",
		Args:  operands(0, 0),
		RunE:  func(*cobra.Command, []string) error { return teamsync.Logout() },
	}
}
