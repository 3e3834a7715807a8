package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/await"
	"github.com/ptyrec/ptyrec/internal/join"
	"github.com/ptyrec/ptyrec/internal/opener"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/protocol"
)

type waitFlags struct {
	await.Flags
	token join.Token // --token-file alone
}

func newWaitCmd(a *app) *cobra.Command {
	var f waitFlags
	cmd := &cobra.Command{
		Use:   "wait S --idle | --text RE | --log TEXT | --log-regexp RE | --port N | --exit [--for D]",
		Short: "Wait until a live session is idle, shows or has written a text, listens or ends",
		Long: `Wait returns when a session's agent has been waiting for a prompt for a moment (--idle; without an agent: its shell, for a command; without a
shell: when nothing more is written, or for 10 seconds nothing at all), or when the screen shows what a regular expression matches, in what was
written since Enter was typed last (--text), and prints that. Within ssh, or a program that takes keys, nobody can tell whether a command runs there: silence counts. --log and --log-regexp
wait for a line of all that the session writes, from its beginning, and print it; --port waits until something listens on that port of this
machine, and --exit until the session ends. S may be a session on a server, as https://HOST/s/ID; its token is $PTYREC_TOKEN, or in --token-file.

The exit status is 0 then; 3 where the agent asks for approval instead of being idle; 124 when the time is over; 1 where the session ends first.`,
		Example: `  ptyrec send last "run the tests" --enter && ptyrec wait last --idle --for 10m
  ptyrec wait 01a1fcd2 --text 'PASS|FAIL'
  ptyrec wait last --log 'listening on' --for 30s`,
		Args:              operands(1, 1),
		ValidArgsFunction: completeLive(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			re, err := f.Check()
			if err != nil {
				return err
			}
			return wait(cmd.Context(), a, args[0], f, re)
		},
	}
	f.Register(cmd.Flags())
	cmd.Flags().StringVar(&f.token.File, "token-file", "", "a `FILE` that holds the server's token")
	return cmd
}

func wait(ctx context.Context, a *app, ref string, f waitFlags, re *regexp.Regexp) error {
	if f.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.Timeout)
		defer stop()
	}
	line, err := f.For(ctx, func(ctx context.Context, o client.AttachOptions) (*client.Stream, protocol.Hello, error) {
		return f.join(ctx, a, ref, o)
	}, re)
	if joining := (*await.JoinError)(nil); errors.As(err, &joining) {
		if f.Exit && over(ctx, a, ref) {
			return nil
		}
		return f.Failure(ctx, joining.Err, ref)
	}
	if err == nil && line != nil {
		_, err = fmt.Fprintln(a.stdout, printable.Text(*line))
	}
	return join.Over(f.Failure(ctx, err, ref))
}

// join attaches to a session of this machine, or to one of a server.
func (f *waitFlags) join(ctx context.Context, a *app, ref string, o client.AttachOptions) (*client.Stream, protocol.Hello, error) {
	if strings.Contains(ref, "://") {
		return join.URL(ctx, ref, f.token, o)
	}
	return joinLive(ctx, a, ref, o)
}

// over reports whether ref names a recorded session of this machine that has ended.
func over(ctx context.Context, a *app, ref string) bool {
	db, err := a.openStore(ctx)
	if err != nil {
		return false
	}
	info, err := opener.Find(ctx, db, ref)
	return err == nil && info.EndedAt != nil
}
