package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// grantOptions are the options of grant.
type grantOptions struct {
	IO   *cli.IO
	Live join.Live

	limit time.Duration // --for
}

// NewCmdGrant returns the grant command.
func NewCmdGrant(f *factory.Factory) *cobra.Command {
	o := &grantOptions{IO: f.IO, Live: f.Live}
	cmd := &cobra.Command{
		Use:        "grant S [--for D]",
		SuggestFor: []string{"allow", "permit"},
		Short:      "Let programs type into a live session",
		Long: `Grant lets programs (ptyrec send, an attached agent) type into a live session, until you press
Ctrl+\ in its terminal, run ptyrec revoke, or the time is up. The recording says who typed what. A
program that was started in a recorded session cannot grant this.`,
		Example: `  ptyrec grant last
  ptyrec grant 4f1a --for 10m`,
		Args:              cli.Operands(1, 1),
		ValidArgsFunction: factory.CompleteLive(f.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.limit < 0 {
				return failure.Usage(fmt.Errorf("--for must be a positive time, such as 10m, not %v", o.limit))
			}
			return grant(cmd.Context(), o, args[0])
		},
	}
	cmd.Flags().DurationVar(&o.limit, "for", 0, "end the grant after `TIME`, such as 10m or 1h30m")
	return cmd
}

// NewCmdRevoke returns the revoke command.
func NewCmdRevoke(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke S",
		Short: "Withdraw permission to type into a live session",
		Long: `Revoke withdraws the permission to type into a live session from programs and all viewers, as
Ctrl+\ in the session's terminal does. They can still watch.`,
		Example: "  ptyrec revoke last",
		Args:    cli.Operands(1, 1), ValidArgsFunction: factory.CompleteLive(f.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, hello, err := f.Live.Join(cmd.Context(), args[0], client.AttachOptions{Name: "revoke", Mode: protocol.ModeNone})
			if err != nil {
				return err
			}
			defer s.Close()
			return join.Refused(s.Revoke(cmd.Context()), hello.Session.ID)
		},
	}
}

func grant(ctx context.Context, o *grantOptions, ref string) error {
	s, hello, err := o.Live.Join(ctx, ref, client.AttachOptions{Name: join.Granter(), Mode: protocol.ModeNone})
	if err != nil {
		return err
	}
	defer s.Close()
	id := hello.Session.ID
	if os.Getenv(detached.Variable) == id {
		return failure.New(errors.New("a session cannot grant itself"), "grant it from another terminal")
	}
	if err := s.Grant(ctx, o.limit); err != nil {
		return join.Refused(err, id)
	}
	until := ""
	if o.limit > 0 {
		until = fmt.Sprintf(" for %v", o.limit)
	}
	o.IO.Notice("programs may type into session %s%s; `ptyrec revoke %[1]s` or Ctrl+\\ in its terminal ends that",
		listing.ShortID(id), until)
	return nil
}
