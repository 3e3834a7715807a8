package manage

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// forgetOptions are the options of forget.
type forgetOptions struct {
	IO   *cli.IO
	Live join.Live

	yes bool
}

// NewCmdForget returns the forget command.
func NewCmdForget(f *factory.Factory) *cobra.Command {
	o := &forgetOptions{IO: f.IO, Live: f.Live}
	cmd := &cobra.Command{
		Use:   "forget [S]",
		Short: "Stop recording a live session, and delete it",
		Long: `Forget stops the recording of a live session and deletes it. The command continues, unrecorded;
viewers are notified and disconnected. Without S it forgets the session in which it runs; confirm
with Ctrl+\ in that session's terminal, because a program inside could run forget, too. From
another terminal, forget asks first, unless you pass --yes.`,
		Example: `  ptyrec forget                 in the session itself
  ptyrec forget 4f1a`,
		Args:              cli.Operands(0, 1),
		ValidArgsFunction: factory.CompleteLive(f.Open),
		RunE:              func(cmd *cobra.Command, args []string) error { return forget(cmd.Context(), o, args) },
	}
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask for confirmation (from another terminal)")
	return cmd
}

func forget(ctx context.Context, o *forgetOptions, args []string) error {
	ref := os.Getenv(detached.Variable)
	if len(args) > 0 {
		ref = args[0]
	}
	if ref == "" {
		return failure.Misuse("name the session: `ptyrec list --live` lists live sessions",
			"this terminal is not in a recorded session")
	}
	s, hello, err := o.Live.Join(ctx, ref, client.AttachOptions{Name: join.Granter(), Mode: protocol.ModeNone})
	if err != nil {
		return err
	}
	defer s.Close()
	id := hello.Session.ID
	inside := os.Getenv(detached.Variable) == id
	if !inside && !o.yes {
		if err := o.IO.Agreed("stop recording session " + listing.ShortID(id) + " and delete it"); err != nil {
			return err
		}
	}
	if inside {
		signal.Ignore(syscall.SIGQUIT) // Ctrl+\ must not end it
	}
	done := make(chan struct{})
	defer func() { _ = s.Close(); <-done }()
	go func() {
		defer close(done)
		for {
			e, err := s.Next(ctx)
			if err != nil {
				return
			}
			if n, ok := e.(protocol.Notice); ok && live.IsAsk(n.Text) {
				o.IO.Notice("%s", n.Text)
			}
		}
	}()
	if err := s.Forget(ctx); err != nil {
		return join.Refused(err, id)
	}
	o.IO.Notice("the recording is deleted; the command continues unrecorded")
	return nil
}
