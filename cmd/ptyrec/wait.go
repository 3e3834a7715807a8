package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/typing"
)

// Exit statuses of wait.
const (
	statusAsking  = 3   // the agent asks for approval
	statusTimeout = 124 // as timeout(1)
)

type waitFlags struct {
	idle    bool
	text    string
	log     string
	pattern string
	port    int
	exit    bool
	timeout time.Duration
	token   attachFlags // --token-file alone
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
	cmd.Flags().StringVar(&f.token.tokenFile, "token-file", "", "a `FILE` that holds the server's token")
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
	s, hello, err := joinAnywhere(ctx, a, ref, f.token, o)
	if err != nil {
		if f.exit && over(ctx, a, ref) {
			return nil
		}
		return err
	}
	defer s.Close()
	switch {
	case f.idle:
		err = waitIdle(ctx, s, hello)
	case f.text != "":
		err = waitText(ctx, a, s, re)
	case f.exit:
		err = waitExit(ctx, s)
	case f.port != 0:
		err = waitPort(ctx, s, f.port)
	default:
		err = waitLog(ctx, a, s, re)
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &cli.Failure{Err: fmt.Errorf("timed out after %v", f.timeout), Hint: "`ptyrec screen " + ref + "` shows what it does", Status: statusTimeout}
	}
	return sessionOver(err)
}

// waitIdle waits until the session is idle.
func waitIdle(ctx context.Context, s *client.Stream, hello protocol.Hello) error {
	for idle := typing.NewIdle(hello); ; {
		until, stop := ctx, context.CancelFunc(func() {})
		if due, ok := idle.Due(); ok {
			until, stop = context.WithDeadline(ctx, due)
		}
		e, err := s.Next(until)
		over := until.Err() != nil && ctx.Err() == nil
		stop()
		switch {
		case over && idle.State.State == "asking":
			return &cli.Failure{Err: errors.New("the agent asks for approval"), Hint: "answer it, or `ptyrec send` the key that does", Status: statusAsking}
		case over:
			return nil
		case err != nil:
			return err
		}
		idle.Take(e)
	}
}

func waitText(ctx context.Context, a *app, s *client.Stream, re *regexp.Regexp) error {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return err
		}
		screen, ok := e.(protocol.Screen)
		if !ok {
			continue
		}
		for _, line := range screen.Lines {
			if re.MatchString(line) {
				_, err := fmt.Fprintln(a.stdout, printable.Text(line))
				return err
			}
		}
	}
}

// joinAnywhere is joinLive for sessions of this machine, and the same for those of a server.
func joinAnywhere(ctx context.Context, a *app, ref string, f attachFlags, o client.AttachOptions) (*client.Stream, protocol.Hello, error) {
	if !strings.Contains(ref, "://") {
		return joinLive(ctx, a, ref, o)
	}
	server, id, err := client.SplitURL(ref)
	if err != nil {
		return nil, protocol.Hello{}, fail(err, "write https://HOST/s/ID")
	}
	token, err := f.serverToken(ref)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	sessions, err := client.Dial(ctx, server, client.Options{Token: token})
	if err != nil {
		return nil, protocol.Hello{}, attachError(err)
	}
	s, err := sessions.Attach(ctx, id, o)
	if err != nil {
		return nil, protocol.Hello{}, attachError(err)
	}
	return joined(ctx, s)
}

// over reports whether ref names a recorded session of this machine that has ended.
func over(ctx context.Context, a *app, ref string) bool {
	db, err := a.openStore(ctx)
	if err != nil {
		return false
	}
	info, err := findSession(ctx, db, ref)
	return err == nil && info.EndedAt != nil
}

// maxLine is how much of an unfinished line waitLog looks at, in bytes.
const maxLine = 64 << 10

// waitLog waits for a line of the output that re matches, and prints it.
func waitLog(ctx context.Context, a *app, s *client.Stream, re *regexp.Regexp) error {
	rest := ""
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return err
		}
		output, ok := e.(client.Output)
		if !ok {
			continue
		}
		lines := strings.Split(rest+string(output.Data), "\n")
		for _, line := range lines {
			if line = strings.TrimRight(ansi.Strip(line), "\r"); re.MatchString(line) {
				_, err := fmt.Fprintln(a.stdout, printable.Text(line))
				return err
			}
		}
		rest = lines[len(lines)-1]
		rest = rest[max(0, len(rest)-maxLine):]
	}
}

// waitExit waits for the end of the session.
func waitExit(ctx context.Context, s *client.Stream) error {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return err
		}
		if _, ok := e.(protocol.Exit); ok {
			return nil
		}
	}
}

// portStep is how often a port is tried.
const portStep = 100 * time.Millisecond

// waitPort waits until something listens on a port of this machine, or the session ends.
func waitPort(ctx context.Context, s *client.Stream, port int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel(nil)
	watcher.Go(func() {
		if err := waitExit(ctx, s); err == nil {
			cancel(io.EOF)
		}
	})
	tick := time.NewTicker(portStep)
	defer tick.Stop()
	for d := (net.Dialer{}); ; {
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort("localhost", strconv.Itoa(port)))
		if err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
