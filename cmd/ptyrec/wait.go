package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/await"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/join"
	"github.com/ptyrec/ptyrec/internal/opener"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/protocol"
)

type waitFlags struct {
	idle    bool
	text    string
	log     string
	pattern string
	port    int
	exit    bool
	timeout time.Duration
	token   join.Token // --token-file alone
}

// check returns an error unless there is one thing to wait for, and what --text or the log must
// match.
func (f *waitFlags) check() (re *regexp.Regexp, err error) {
	wanted := 0
	for _, given := range []bool{f.idle, f.text != "", f.log != "", f.pattern != "", f.port != 0, f.exit} {
		if given {
			wanted++
		}
	}
	if wanted != 1 {
		return nil, usageError(errors.New("wait: it takes one of --idle, --text, --log, --log-regexp, --port and --exit"))
	}
	if f.port < 0 || f.port > 65535 {
		return nil, usageError(fmt.Errorf("--port %d: it must be 1 to 65535", f.port))
	}
	if f.log != "" {
		return regexp.MustCompile(regexp.QuoteMeta(f.log)), nil
	}
	if re, err = regexp.Compile(f.text + f.pattern); err != nil {
		flag := "--text"
		if f.pattern != "" {
			flag = "--log-regexp"
		}
		return nil, usageError(fmt.Errorf("%s: %w", flag, err))
	}
	return re, nil
}

func newWaitCmd(a *app) *cobra.Command {
	var f waitFlags
	cmd := &cobra.Command{
		Use:   "wait S --idle | --text RE | --log TEXT | --log-regexp RE | --port N | --exit [--for D]",
		Short: "Wait until a live session is idle, shows or has written a text, listens or ends",
		Long: `Wait returns when a session's agent has been waiting for a prompt for a moment (--idle; without an agent: when nothing more is written,
or for 10 seconds nothing at all), or when the screen shows what a regular expression matches (--text), and prints that. --log and --log-regexp
wait for a line of all that the session writes, from its beginning, and print it; --port waits until something listens on that port of this
machine, and --exit until the session ends. S may be a session on a server, as https://HOST/s/ID; its token is $PTYREC_TOKEN, or in --token-file.

The exit status is 0 then; 3 where the agent asks for approval instead of being idle; 124 when the time is over; 1 where the session ends first.`,
		Example: `  ptyrec send last "run the tests" --enter && ptyrec wait last --idle --for 10m
  ptyrec wait 01a1fcd2 --text 'PASS|FAIL'
  ptyrec wait last --log 'listening on' --for 30s`,
		Args:              operands(1, 1),
		ValidArgsFunction: completeLive(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			re, err := f.check()
			if err != nil {
				return err
			}
			return wait(cmd.Context(), a, args[0], f, re)
		},
	}
	cmd.Flags().BoolVar(&f.idle, "idle", false, "until the agent waits for a prompt")
	cmd.Flags().StringVar(&f.text, "text", "", "until the screen shows what `RE` matches")
	cmd.Flags().StringVar(&f.log, "log", "", "until a line with this `TEXT` was written")
	cmd.Flags().StringVar(&f.pattern, "log-regexp", "", "until a line was written that `RE` matches")
	cmd.Flags().IntVar(&f.port, "port", 0, "until something listens on this `PORT` of this machine")
	cmd.Flags().BoolVar(&f.exit, "exit", false, "until the session ends")
	cmd.Flags().DurationVar(&f.timeout, "for", 0, "wait no longer, as `30s` or 10m")
	cmd.Flags().StringVar(&f.token.File, "token-file", "", "a `FILE` that holds the server's token")
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "timeout" { // its name before --for
			name = "for"
		}
		return pflag.NormalizedName(name)
	})
	return cmd
}

func wait(ctx context.Context, a *app, ref string, f waitFlags, re *regexp.Regexp) error {
	if f.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.timeout)
		defer stop()
	}
	o := client.AttachOptions{Name: "wait", Kind: protocol.Agent, Mode: protocol.ModeText}
	if f.idle {
		o.Entries = new(int) // what was typed is among them
	} else if f.text == "" {
		o.Mode = protocol.ModeBytes // from the beginning
	}
	s, hello, err := f.join(ctx, a, ref, o)
	if err != nil {
		if f.exit && over(ctx, a, ref) {
			return nil
		}
		return err
	}
	defer s.Close()
	line, err := f.await(ctx, s, hello, re)
	if err == nil && line != nil {
		_, err = fmt.Fprintln(a.stdout, printable.Text(*line))
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &cli.Failure{Err: fmt.Errorf("timed out after %v", f.timeout), Hint: "`ptyrec screen " + ref + "` shows what it does", Status: cli.StatusTimeout}
	}
	if errors.Is(err, await.ErrAsking) {
		return &cli.Failure{Err: err, Hint: "answer it, or `ptyrec send` the key that does", Status: cli.StatusAsking}
	}
	return join.Over(err)
}

// join attaches to a session of this machine, or to one of a server.
func (f *waitFlags) join(ctx context.Context, a *app, ref string, o client.AttachOptions) (*client.Stream, protocol.Hello, error) {
	if strings.Contains(ref, "://") {
		return join.URL(ctx, ref, f.token, o)
	}
	return joinLive(ctx, a, ref, o)
}

// await waits for what the flags say, and returns the line that --text or the log waited for.
func (f *waitFlags) await(ctx context.Context, s *client.Stream, hello protocol.Hello, re *regexp.Regexp) (found *string, err error) {
	var line string
	switch {
	case f.idle:
		return nil, await.Idle(ctx, s, hello)
	case f.exit:
		return nil, await.Exit(ctx, s)
	case f.port != 0:
		return nil, await.Port(ctx, s, f.port)
	case f.text != "":
		line, err = await.Text(ctx, s, re)
	default:
		line, err = await.Log(ctx, s, re)
	}
	return &line, err
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
