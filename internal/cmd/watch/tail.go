package watch

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client/management"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// tailOptions are the options of tail.
type tailOptions struct {
	IO   *cli.IO
	Open *opener.Opener
	Live join.Live

	last    int
	asJSON  bool
	verbose render.Terminal
}

// NewCmdTail returns the tail command.
func NewCmdTail(f *factory.Factory) *cobra.Command {
	o := &tailOptions{IO: f.IO, Open: f.Open, Live: f.Live}
	cmd := &cobra.Command{
		Use:        "tail [S | FILE | ws://HOST:PORT[/AGENT[/SESSION]]]",
		SuggestFor: []string{"follow", "watch"},
		Short:      "Follow the messages of a live session",
		Long: `Tail prints the last messages of a session, by default the newest live one, and each new message
when it is complete, until the session ends. --json prints each entry as a line of JSON.

On a management server (ws:// or wss://, docs/management.md) it follows the session SESSION (main
by default) of the machine AGENT (which you can omit if there is only one), and exits with the
session's status. The token comes from $PTYREC_TOKEN or ?token= in the URL.`,
		Example: `  ptyrec tail
  ptyrec tail 4f1a --tools
  ptyrec tail ws://mgmt.example:8121/agent-01
  ptyrec tail --json -n 0 | jq -r 'select(.role == "assistant").text'`,
		Args:              cli.Operands(0, 1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.last < 0 {
				return failure.Usage(fmt.Errorf("--lines must be at least 0, not %d", o.last))
			}
			return tailSession(cmd.Context(), o, args)
		},
	}
	cmd.Flags().IntVarP(&o.last, "lines", "n", 10, "begin with the last `N` messages")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "write JSON lines")
	cmd.Flags().BoolVar(&o.verbose.Tools, "tools", false, "show tool input and output")
	cmd.Flags().BoolVar(&o.verbose.Thinking, "thinking", false, "show the agents' thinking")
	cmd.Flags().BoolVar(&o.verbose.Events, "events", false, "show all events")
	return cmd
}

func tailSession(ctx context.Context, o *tailOptions, args []string) error {
	to := tailOutput{Out: o.IO.Out, Format: o.verbose, JSON: o.asJSON, Last: o.last}
	to.Format.Width, to.Format.Color = o.IO.Width(), bool(o.IO.Colours())
	if len(args) > 0 && management.Is(args[0]) {
		return tailManaged(ctx, o, args[0], to)
	}
	if lib, s, err := o.Open.Sandbox(ctx, false, args); s != nil || err != nil {
		if err != nil {
			return err
		}
		return tailSandbox(ctx, lib, s, to)
	}
	db, info, ref, err := tailed(ctx, o, args)
	if err != nil {
		return err
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	if !o.asJSON {
		o.IO.Notice("%s, %s: %s", opener.ShortID(ctx, db, info.ID), info.Status, listing.Title(info))
	}
	return opener.Missing(tailStored(ctx, lib, info, ref, to))
}

// tailed returns the session to follow.
func tailed(ctx context.Context, o *tailOptions, args []string) (*sqlite.Store, *store.Info, archive.Ref, error) {
	if len(args) > 0 {
		return o.Open.Session(ctx, args)
	}
	db, err := o.Open.Existing(ctx)
	if err != nil {
		return nil, nil, archive.Ref{}, err
	}
	infos, err := db.Sessions(ctx, store.Filter{Live: true, Limit: 1})
	if err != nil {
		return nil, nil, archive.Ref{}, err
	}
	if len(infos) == 0 {
		return nil, nil, archive.Ref{}, failure.New(fmt.Errorf("no session is being recorded"),
			"`ptyrec tail last` shows the end of the last one")
	}
	return db, infos[0], archive.Ref{}, nil
}

// tailManaged follows the session at the URL of a management server. The command's exit status is
// that of the session.
func tailManaged(ctx context.Context, o *tailOptions, where string, to tailOutput) error {
	r, err := o.Open.Redaction()
	if err != nil {
		return err
	}
	log, err := o.Live.Managed(ctx, where)
	if err != nil {
		return err
	}
	defer func() { _ = log.Stream.Close() }()
	begins := func(s session.Session) {
		if !to.JSON {
			o.IO.Notice("%s, live: %s", listing.ShortID(s.ID), printable.Line(s.Title))
		}
	}
	if err := tailRemote(ctx, log, r, begins, to); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	switch status, ok := log.Stream.ExitStatus(); {
	case !ok || status < 0:
		return failure.New(errors.New("the session is gone, its exit status is unknown"), "its output until then was printed")
	case status > 0:
		return cli.ExitStatus(status)
	}
	return nil
}
