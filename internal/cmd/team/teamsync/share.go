package teamsync

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/store"
)

// ShareFlags are the flags of share.
type ShareFlags struct {
	For    string // lifetime of the link
	Anyone bool   // works without a token, too
	Revoke bool   // revoke the existing links and create none
}

// NewShare returns the command share. open returns its options, as for sync.
func NewShare(open func(ctx context.Context, f Flags) (Options, error)) *cobra.Command {
	var f ShareFlags
	cmd := &cobra.Command{
		Use:   "share S",
		Short: "Print a link to a session",
		Long: `Share prints a link that opens one session, for people who have signed in to your team's server,
even if they may not read it otherwise. It sends the session first if necessary; sessions that
sync does not send cannot be shared. A link is valid for 7 days, or as long as you say. --revoke
invalidates all links to the session.`,
		Example: `  ptyrec share last
  ptyrec share 4f1a --for 12h
  ptyrec share last --anyone     who has the link needs no token
                                 (the server must allow that)
  ptyrec share last --revoke     no link to it opens it any more`,
		Args: cli.Operands(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := open(cmd.Context(), Flags{})
			if err != nil {
				return err
			}
			return Share(cmd.Context(), o, f, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.For, "for", "7d", "limit the link to `TIME` (12h, 30d; at most 366d)")
	flags.BoolVar(&f.Anyone, "anyone", false, "create a link that opens without signing in")
	flags.BoolVar(&f.Revoke, "revoke", false, "invalidate all links to the session")
	cmd.MarkFlagsMutuallyExclusive("revoke", "for")
	cmd.MarkFlagsMutuallyExclusive("revoke", "anyone")
	return cmd
}

// Share creates a link to the session that ref names, or revokes all its links. The errors have
// hints.
func Share(ctx context.Context, o Options, f ShareFlags, ref string) error {
	valid, err := human.ParseAge(f.For)
	if err != nil || valid < time.Second {
		return &failure.Error{Err: fmt.Errorf("--for must be a time such as 12h or 7d, not %s", f.For), Misuse: true}
	}
	info, err := o.Database.Find(ctx, ref)
	if err != nil {
		return err
	}
	s, err := o.syncer()
	if err != nil {
		return err
	}
	if f.Revoke {
		n, err := s.Revoke(ctx, info.ID)
		if err == nil {
			o.Notice("%s invalidated", links(n))
		}
		return hinted(err)
	}
	if err := o.sendOne(ctx, s, info); err != nil {
		return hinted(err)
	}
	link, err := s.Share(ctx, info.ID, valid, f.Anyone)
	if err != nil {
		return hinted(err)
	}
	if _, err := fmt.Fprintln(o.Out, link.URL); err != nil {
		return err
	}
	who := "people who have signed in"
	if link.Anyone {
		who = "anyone who has it"
	}
	o.Notice("the link opens this session for %s until %s", who, link.Expires.Local().Format("2006-01-02 15:04"))
	return nil
}

func links(n int) string {
	if n == 1 {
		return "1 link to the session is"
	}
	return fmt.Sprint(n, " links to the session are")
}

// sendOne sends a session unless the server has its current state.
func (o *Options) sendOne(ctx context.Context, s *team.Syncer, info *store.Info) error {
	if sent, err := s.Sent(ctx, info); sent || err != nil {
		return err
	}
	leave, err := o.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if s.Library, err = o.Library(o.Database); err != nil {
		return err
	}
	return s.Send(ctx, info)
}

// hinted adds a hint to an error.
func hinted(err error) error {
	for reason, hint := range map[error]string{
		team.ErrRuns:         "share it after it has ended, or set `live = true` in [team] of the configuration",
		team.ErrRedactionOff: "turn redaction on: docs/privacy.md",
		team.ErrOutside:      "`folders` and `agents` in [team] of the configuration choose what is sent (docs/team.md)",
		team.ErrPrivate:      "private sessions cannot be shared",
		team.ErrNever:        "withdrawn sessions cannot be shared",
		team.ErrNotSent:      "there are no links to it",
	} {
		if errors.Is(err, reason) {
			return failure.New(err, hint)
		}
	}
	return err
}
