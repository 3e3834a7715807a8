package teamsync

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// NewSync returns the command sync. open prepares what it needs.
func NewSync(open func(ctx context.Context, f Flags) (Options, error)) *cobra.Command {
	var f Flags
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
	flags.BoolVar(&f.DryRun, "dry-run", false, "only print what would be sent")
	flags.BoolVar(&f.Status, "status", false, "only print what waits, since when and why")
	flags.BoolVar(&f.Withdraw, "withdraw", false, "take the named sessions back, and never send them again")
	flags.BoolVar(&f.Check, "check", false, "first ask the server whether it still has what was sent in the last 30 days, which is otherwise done once a day")
	flags.BoolVar(&f.Never, "never", false, "never send the named sessions")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "status", "withdraw", "never")
	flags.BoolVar(&f.Background, "background", false, "")
	_ = flags.MarkHidden("background") // it is there
	return cmd
}

// NewLogin returns the command login, which may read the token from stdin.
func NewLogin(stdin io.Reader) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "login URL",
		Short: "Log in to the server of a team",
		Long: `Login opens a page of the server in your browser, where you sign in and confirm that this machine may act as you, if the page shows the code
that login prints. Or it takes a token that an admin has made. It keeps the token where only you can read it. What is sent, say ` + "`folders`" + `
and the other settings of [team] in the configuration (docs/team.md): without them, nothing is.`,
		Example: `  ptyrec login https://ptyrec.example.com
  ptyrec login https://ptyrec.example.com --token-file token.txt
  ptyrec login https://ptyrec.example.com --token-file - <token.txt`,
		Args: cli.Operands(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return LoginByBrowser(cmd.Context(), args[0], cmd.ErrOrStderr())
			}
			return Login(cmd.Context(), args[0], file, stdin)
		},
	}
	cmd.Flags().StringVar(&file, "token-file", "", "read the token from this `FILE`; -: from standard input")
	return cmd
}

// NewLogout returns the command logout.
func NewLogout() *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Forget the token for the server of a team",
		Long: `Logout removes what login keeps. If you logged in by a browser, the token is void then; one that an admin has made stays valid until
` + "`ptyrec team token rm`" + `.`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return Logout(cmd.Context(), cmd.ErrOrStderr()) },
	}
}
