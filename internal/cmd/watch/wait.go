package watch

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/protocol"
)

// waitOptions are the options of wait.
type waitOptions struct {
	IO   *cli.IO
	Open *opener.Opener
	Live join.Live

	waitFlags
	token join.Token // only --token-file
}

// NewCmdWait returns the wait command.
func NewCmdWait(f *factory.Factory) *cobra.Command {
	o := &waitOptions{IO: f.IO, Open: f.Open, Live: f.Live}
	cmd := &cobra.Command{
		Use:   "wait S --idle | --text RE | --log TEXT | --log-regexp RE | --port N | --exit [--timeout TIME]",
		Short: "Wait until a live session is idle, prints a text or ends",
		Long: `Wait waits until something happens in a live session, and then exits.

--idle: the agent waits for a prompt. Without an agent: the shell waits for a command. Without a
shell, or while an editor or ssh runs in it: the program has written nothing for a moment, or
nothing at all in its first 10 seconds.

--text RE: the screen shows text that matches the regular expression. Prints the line. If Enter
was typed in the session, only text written since then counts.

--log TEXT, --log-regexp RE: the session has written a matching line since its start. Prints the
line.

--port PORT: a program listens on a port of this machine.

--exit: the session has ended.

S may be a session on a server, such as https://HOST/s/ID. Its token comes from $PTYREC_TOKEN or
--token-file.

The exit status is 0 on success, 3 if --idle finds the agent asking for approval, 124 after
--timeout, and 1 if the session ends first.`,
		Example: `  ptyrec send last "make test" --enter && ptyrec wait last --idle --timeout 10m
  ptyrec wait 4f1a --text 'PASS|FAIL'
  ptyrec wait last --log 'listening on' --timeout 30s`,
		Args:              cli.Operands(1, 1),
		ValidArgsFunction: factory.CompleteLive(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			re, err := o.Check()
			if err != nil {
				return err
			}
			return wait(cmd.Context(), o, args[0], re)
		},
	}
	o.Register(cmd.Flags())
	cmd.Flags().StringVar(&o.token.File, "token-file", "", "read the server's token from `FILE`")
	return cmd
}

func wait(ctx context.Context, o *waitOptions, ref string, re *regexp.Regexp) error {
	if o.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, o.Timeout)
		defer stop()
	}
	var joining error
	line, err := o.For(ctx, func(ctx context.Context, how client.AttachOptions) (s *client.Stream, hello protocol.Hello,
		err error) {
		s, hello, joining = o.join(ctx, ref, how)
		return s, hello, joining
	}, re)
	switch {
	case joining != nil && o.Exit && over(ctx, o, ref):
		return nil
	case joining != nil:
		return o.Failure(ctx, joining, ref)
	}
	if err == nil && line != nil {
		_, err = fmt.Fprintln(o.IO.Out, printable.Text(*line))
	}
	return join.Over(o.Failure(ctx, err, ref))
}

// join attaches to a session of this machine or of a server.
func (o *waitOptions) join(ctx context.Context, ref string, how client.AttachOptions) (*client.Stream, protocol.Hello,
	error) {
	if strings.Contains(ref, "://") {
		return join.URL(ctx, ref, o.token, how)
	}
	return o.Live.Join(ctx, ref, how)
}

// over reports whether ref names a recorded session of this machine that has ended.
func over(ctx context.Context, o *waitOptions, ref string) bool {
	db, err := o.Open.Store(ctx)
	if err != nil {
		return false
	}
	info, err := opener.Find(ctx, db, ref)
	return err == nil && info.EndedAt != nil
}
