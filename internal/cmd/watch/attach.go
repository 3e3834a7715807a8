// Package watch implements the commands that watch live sessions and type into them.
package watch

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cli/tui"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
)

// attachOptions are the options of attach.
type attachOptions struct {
	IO     *cli.IO
	Open   *opener.Opener
	Live   join.Live
	Config func() (*config.Config, error)

	control   bool
	resize    bool
	record    bool
	detachKey string
	token     join.Token
}

func newAttachOptions(f *factory.Factory) *attachOptions {
	return &attachOptions{IO: f.IO, Open: f.Open, Live: f.Live, Config: f.Config}
}

// NewCmdAttach returns the attach command.
func NewCmdAttach(f *factory.Factory) *cobra.Command {
	o := newAttachOptions(f)
	cmd := &cobra.Command{
		Use:        "attach [S | https://HOST/s/S | ws://HOST:PORT[/AGENT[/SESSION]]]",
		SuggestFor: []string{"join", "watch", "connect"},
		Short:      "Watch a live session in this terminal, or type into it",
		Long: `Attach shows the screen of a live session, by default the newest one, on this machine or on a
server. You only watch, unless you pass --control. Ctrl+] detaches; the session continues. It keeps
the size of its window, and a smaller window here shows a part of it, unless you pass --resize.
Lost connections are retried.

The output of the session cannot drive your terminal; attach draws a picture of its screen. With
--control your terminal reports keys, mouse, focus and pastes in the way the session's program
requests, until you leave.

On a management server (ws:// or wss://, docs/management.md) it shows the session SESSION (main by
default) of the machine AGENT (which you can omit if there is only one). --control starts main if
it does not exist.

The exit status is that of the session if it ends while you watch, and 0 if you leave. A server's
token comes from its address (…#token=…), --token, $PTYREC_TOKEN or --token-file.`,
		Example: `  ptyrec attach
  ptyrec attach 4f1a --control
  ptyrec attach https://build.example/s/4f1a --token-file FILE
  ptyrec attach ws://mgmt.example:8121/agent-01 --control
  ptyrec attach ws://mgmt.example:8121/agent-01/build --record
  ptyrec attach --detach-key ctrl+q`,
		Args: cli.Operands(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("detach-key") {
				c, err := o.Config()
				if err != nil {
					return err
				}
				o.detachKey = c.Attach.DetachKey
			}
			return attach(cmd.Context(), o, append(args, "last")[0])
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.control, "control", false, "take control, and type into the session")
	flags.BoolVar(&o.resize, "resize", false, "resize the session to this terminal; implies --control")
	flags.BoolVar(&o.record, "record", false, "record the session in your database, too")
	flags.StringVar(&o.detachKey, "detach-key", "", "detach with `KEY`: ctrl+ and a to z, ], \\, ^ or _ (default ctrl+])")
	flags.StringVar(&o.token.Text, "token", "", "use the server's `TOKEN` (others can see it in ps)")
	flags.StringVar(&o.token.File, "token-file", "", "read the server's token from `FILE`")
	cmd.ValidArgsFunction = factory.CompleteLive(o.Open)
	return cmd
}

func attach(ctx context.Context, o *attachOptions, where string) error {
	key, err := cli.ParseKey(o.detachKey)
	if err != nil {
		return &failure.Error{Err: err, Hint: cli.KeyHint, Misuse: true}
	}
	if !cli.IsTerminal(o.IO.Out) || !cli.IsTerminal(o.IO.In) {
		return failure.New(errors.New("attach needs a terminal"),
			"use `ptyrec tail` for the conversation, `ptyrec screen S` for the screen")
	}
	server, ref, err := attached(where)
	if err != nil {
		return err
	}
	token, err := o.token.For(where)
	if err != nil {
		return err
	}
	options := o.Live.Options(nil)
	options.Token = token
	sessions, err := client.Dial(ctx, server, options)
	if err != nil {
		return join.Error(err)
	}
	how := client.AttachOptions{Name: join.ViewerName(), Control: o.control || o.resize}
	if how.Control {
		cols, rows, _ := term.GetSize(int(o.IO.Out.Fd())) // if unknown, the server chooses
		how.Start = &client.Start{Cols: cols, Rows: rows}
	}
	var log *join.Recorder
	if o.record {
		path, err := o.Open.Database()
		if err != nil {
			return err
		}
		how.Mode, how.From = protocol.ModeFrames, new(int64)
		log = join.NewRecorder(path, where, func(err error) { o.IO.Notice("warning: this session is not recorded: %v", err) })
	}
	stream, err := sessions.Attach(ctx, ref, how)
	if err != nil {
		return join.Error(err)
	}
	w := &tui.Watcher{Stream: stream, In: o.IO.In, Out: o.IO.Out, Err: o.IO.Err, Detach: key, DetachName: o.detachKey,
		Control: o.control || o.resize, Resize: o.resize}
	if log != nil {
		w.Observe = log.Take
	}
	if server == "" {
		w.Stored = func(ctx context.Context, id string) (int, bool) { return storedStatus(ctx, o, id) }
	}
	return watch(ctx, o, w, log)
}

// attached returns the server and the session that where names. The server is empty if it is this
// machine.
func attached(where string) (server, ref string, err error) {
	if !strings.Contains(where, "://") {
		ref, err = opener.LiveName(where)
		return "", ref, err
	}
	if server, ref, err = client.SplitURL(where); err != nil {
		return "", "", failure.New(err, "write https://HOST/s/ID")
	}
	return server, ref, nil
}

// watch shows a session until it ends or the user leaves, and returns the session's exit status.
func watch(ctx context.Context, o *attachOptions, w *tui.Watcher, log *join.Recorder) error {
	ended, err := w.Run(ctx)
	if log != nil {
		log.Finish(o.IO.Notice)
	}
	for _, text := range ended.Notices {
		o.IO.Notice("%s", text)
	}
	var failed *tui.StreamError
	var gone *tui.GoneError
	switch {
	case errors.As(err, &failed):
		return join.Error(failed.Err)
	case errors.As(err, &gone):
		return failure.New(err, "`ptyrec show "+gone.Name+"` shows what was recorded of it")
	case err != nil || ended.Status == 0:
		return err
	}
	return cli.ExitStatus(ended.Status)
}

// storedStatus returns the exit status of a session that has ended according to the database. ok is
// false for any other session.
func storedStatus(ctx context.Context, o *attachOptions, id string) (status int, ok bool) {
	db, err := o.Open.Existing(ctx)
	if err != nil {
		return 0, false
	}
	info, err := db.Find(ctx, id)
	if err != nil || info.Status == store.Live || info.ExitCode == nil {
		return 0, false
	}
	return *info.ExitCode, true
}

// AttachTo shows a live session as attach does without flags.
func AttachTo(ctx context.Context, f *factory.Factory, id string) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	o := newAttachOptions(f)
	o.detachKey = c.Attach.DetachKey
	return attach(ctx, o, id)
}
