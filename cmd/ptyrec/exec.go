package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/remotecmd"
	wire "github.com/ptyrec/ptyrec/protocol/command"
)

// statusRemote is the exit status of exec if the command's own is not known, as with ssh.
const statusRemote = 255

type execFlags struct {
	token   attachFlags // --token-file alone
	sandbox string
	cwd     string
	env     []string
	timeout time.Duration
	pty     bool
	detach  bool
	resume  string
}

func newExecCmd(a *app) *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] URL -- COMMAND…",
		Short: "Run a command on a machine where ptyrec serve --allow-run runs",
		Long: `Exec runs a command on the machine of a ` + "`ptyrec serve --allow-run`" + `, or in a LangSmith sandbox (the URL of its
dataplane), with the streams and the exit status here. One word is a command line for bash there; several are a
program and its arguments.

A connection that is lost is made again, and goes on where it was: nothing comes twice, and nothing is left out. The
command and its recording do not depend on it. Output is text: bytes that are not UTF-8 become U+FFFD.

Ctrl+C kills the command with all that it has started; a second Ctrl+C leaves it. With --pty Ctrl+C goes to the command, and
Ctrl+] leaves. --resume continues one that was left, within a week: its output comes from the beginning.

The token is $PTYREC_TOKEN, or in --token-file. The exit status is the command's (128+n after signal n); 124 if its --timeout was over;
255 if it is not known, because the command could not be started or reached.`,
		Example: `  ptyrec exec https://build.lan -- make -j8
  ptyrec exec https://build.lan 'make 2>&1 | tail' --cwd /src
  tar c . | ptyrec exec https://build.lan --sandbox agent-1 -- tar x -C /tmp
  id=$(ptyrec exec --detach https://build.lan -- make)
  ptyrec exec --resume $id https://build.lan`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.resume != "" {
				return operands(1, 1)(cmd, args)
			}
			return operands(2, -1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return execRemote(cmd.Context(), a, args[0], args[1:], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.token.tokenFile, "token-file", "", "a `FILE` that holds the server's token")
	flags.StringVar(&f.sandbox, "sandbox", "", "the `NAME` of the sandbox on a ptyrec server (default \"default\")")
	flags.StringVar(&f.cwd, "cwd", "", "run in this `FOLDER` there")
	flags.StringArrayVar(&f.env, "env", nil, "set a variable, as `NAME=VALUE`; may be repeated")
	flags.DurationVar(&f.timeout, "timeout", 0, "kill the command after this time, as `30s` or 10m")
	flags.BoolVar(&f.pty, "pty", false, "run it in a terminal of 80x24 cells")
	flags.BoolVar(&f.detach, "detach", false, "start it, print its id, and leave it")
	flags.StringVar(&f.resume, "resume", "", "continue the command with this `ID`")
	return cmd
}

// away is how long a command runs on while nobody is connected, and how long it can be continued
// then: a laptop may sleep for days.
const away = 7 * 24 * time.Hour

// request returns what the server is asked to run.
func (f *execFlags) request(words []string) (client.Exec, error) {
	e := client.Exec{
		Command: words[0], Cwd: f.cwd, Timeout: f.timeout, PTY: f.pty, NoStdin: f.detach && !f.pty || isNull(os.Stdin),
		IdleTimeout: away, TTL: away,
	}
	if len(words) > 1 {
		e.Command = shellquote.Join(words...)
	}
	if e.Timeout == 0 {
		e.Timeout = wire.Never * time.Second
	}
	for _, pair := range f.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return e, usageError(fmt.Errorf("--env %q: it takes NAME=VALUE", pair))
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[name] = value
	}
	return e, nil
}

// isNull reports whether f is /dev/null, which has nothing to read.
func isNull(f *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(own, null)
}

// deadly are the signals that kill the command.
var deadly = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// sameSignal is the time within which signals are one: timeout(1) sends its own twice.
const sameSignal = 200 * time.Millisecond

func execRemote(ctx context.Context, a *app, where string, words []string, f execFlags) error {
	if f.detach && f.resume != "" {
		return usageError(errors.New("--detach and --resume exclude each other"))
	}
	if f.timeout < 0 {
		return usageError(fmt.Errorf("--timeout %v: it must not be negative", f.timeout))
	}
	token, err := f.token.serverToken(where)
	if err != nil {
		return fail(err, "--token-file names a file with the server's token")
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that has left is an error of the write, and ends the command
	// Ctrl+C goes to the command as soon as there is one.
	interrupts := make(chan struct{}, 2)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, deadly...)
	go func() {
		var last time.Time
		for range signals {
			if now := time.Now(); now.Sub(last) > sameSignal {
				interrupts <- struct{}{}
				last = now
			}
		}
	}()
	dialing, stop := signal.NotifyContext(ctx, deadly...)
	c, err := f.start(dialing, where, token, words)
	if interrupted := dialing.Err() != nil; interrupted && err != nil {
		err = cli.ExitStatus(128 + int(syscall.SIGINT))
	}
	stop()
	if err != nil {
		return execError(err, f.resume)
	}
	defer c.Close()
	if f.detach {
		_, err := fmt.Fprintln(a.stdout, c.ID())
		return err
	}
	streams := remotecmd.Streams{
		Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr, Interrupts: interrupts,
		Note: func(message string) { a.notice("warning: %s", message) },
	}
	if f.pty && isTerminal(a.stdin) {
		state, err := term.MakeRaw(int(a.stdin.Fd()))
		if err != nil {
			return err
		}
		defer func() { _ = term.Restore(int(a.stdin.Fd()), state) }()
		streams.LeaveKey = 0x1d
	}
	status, err := remotecmd.Connect(ctx, c, streams)
	if err != nil {
		return execError(err, c.ID())
	}
	return ended(status)
}

func ended(status int) error {
	if status == 0 {
		return nil
	}
	return cli.ExitStatus(status)
}

// start starts the command, or finds the one to continue.
func (f *execFlags) start(ctx context.Context, where, token string, words []string) (*client.Command, error) {
	where, _, _ = strings.Cut(where, "#") // it may hold the token
	var e client.Exec
	if f.resume == "" {
		var err error
		if e, err = f.request(words); err != nil {
			return nil, err
		}
	}
	p, err := client.DialCommands(ctx, where, f.sandbox, client.Options{Token: token})
	if err != nil {
		return nil, err
	}
	if f.resume != "" {
		return p.Resume(ctx, f.resume, 0, 0)
	}
	return p.Start(ctx, e)
}

// execError says what to do next about a command whose end is not known.
func execError(err error, id string) error {
	var status cli.ExitStatus
	var usage *cli.Failure
	var said *client.CommandError
	f := &cli.Failure{Err: err, Status: statusRemote}
	switch {
	case errors.As(err, &status), errors.As(err, &usage):
		return err
	case errors.Is(err, remotecmd.ErrLeft):
		f.Hint, f.Status = "it may run on: `ptyrec exec --resume "+id+" URL`", 128+int(syscall.SIGINT)
	case errors.Is(err, client.ErrLost):
		f.Hint = "it may run on: `ptyrec exec --resume " + id + " URL` continues"
	case errors.Is(err, client.ErrToken):
		f.Hint = "set $PTYREC_TOKEN, or --token-file, to the token that `ptyrec serve` printed"
	case errors.As(err, &said):
		if said.Type == wire.CommandTimeout {
			f.Status = statusTimeout
		}
		f.Hint = "the server says so; see `ptyrec exec --help`"
	default:
		f.Hint = "the URL is that of `ptyrec serve --allow-run`, or of a LangSmith dataplane"
	}
	return f
}
