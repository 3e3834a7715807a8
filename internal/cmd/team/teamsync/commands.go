package teamsync

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// NewSync returns the command sync. open returns its options.
func NewSync(open func(ctx context.Context, f Flags) (Options, error)) *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:   "sync [S…]",
		Short: "Send sessions to your team's server",
		Long: `Sync sends ended sessions to your team's server, as configured in [team] (docs/team.md), or the
named ones of these: without secrets and without your input. It sends what is new, and exits.
Sessions outside of ` + "`folders`" + ` are never sent.`,
		Example: `  ptyrec sync --dry-run          what would be sent
  ptyrec sync
  ptyrec sync --status           what waits, since when, and why
  ptyrec sync --withdraw last    the server deletes it
  ptyrec sync --never last       it is never sent`,
		Args: cli.Operands(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := open(cmd.Context(), f)
			if err != nil {
				return err
			}
			return Run(cmd.Context(), o, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.DryRun, "dry-run", false, "show what would be sent")
	flags.BoolVar(&f.Status, "status", false, "show what waits, since when, and why")
	flags.BoolVar(&f.Withdraw, "withdraw", false, "delete the named sessions on the server, and never send them again")
	flags.BoolVar(&f.Check, "check", false, "check that the server has the sessions of the last 30 days")
	flags.BoolVar(&f.Never, "never", false, "exclude the named sessions from sync")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "status", "withdraw", "never")
	flags.BoolVar(&f.Background, "background", false, "")
	_ = flags.MarkHidden("background") // the flag exists
	return cmd
}

// NewLogin returns the command login, which may read the token from stdin.
func NewLogin(stdin io.Reader) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "login URL",
		Short: "Log in to a team's server",
		Long: `Login opens a page of the server in your browser. Sign in there, compare the code with the one
that login prints, and confirm that this machine may act as you. Or pass a token from an admin
with --token-file. The token is stored where only you can read it. Nothing is sent until you
configure ` + "`folders`" + ` in [team] (docs/team.md).`,
		Example: `  ptyrec login https://ptyrec.example.com
  ptyrec login https://ptyrec.example.com --token-file token.txt
  ptyrec login https://ptyrec.example.com --token-file - <token.txt`,
		Args: cli.Operands(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return loginByBrowser(cmd.Context(), args[0], cmd.ErrOrStderr())
			}
			return Login(cmd.Context(), args[0], file, stdin)
		},
	}
	cmd.Flags().StringVar(&file, "token-file", "", "read the token from `FILE`; - is stdin")
	return cmd
}

// NewLogout returns the command logout.
func NewLogout() *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Log out of a team's server",
		Long: `Logout removes the stored token. If you logged in with a browser, the token becomes invalid; one
from an admin stays valid until ` + "`ptyrec team token rm`" + `.`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return Logout(cmd.Context(), cmd.ErrOrStderr()) },
	}
}
