package record

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// execOptions are the options of exec.
type execOptions struct {
	IO *cli.IO

	token   join.Token // only --token-file
	sandbox string
	cwd     string
	env     []string
	timeout time.Duration
	pty     bool
	detach  bool
	resume  string
}

// NewCmdExec returns the exec command.
func NewCmdExec(f *factory.Factory) *cobra.Command {
	o := &execOptions{IO: f.IO}
	cmd := &cobra.Command{
		Use:   "exec [flags] URL -- COMMAND…",
		Short: "Run a command on another machine",
		Long: `Exec runs a command on a machine with ` + "`ptyrec sandbox`" + `, or in a LangSmith sandbox (URL
of its dataplane), and connects its streams and exit status. One word is a command line for bash
there; several are a program and its arguments.

Lost connections are retried; no output is lost or repeated, and the command and its recording
continue meanwhile. Output is text: bytes that are not UTF-8 become U+FFFD.

Ctrl+C kills the command and everything it has started; a second Ctrl+C leaves it. With --pty,
Ctrl+C goes to the command and Ctrl+] leaves. --resume continues a command that you left, within a
week, with its output from the start.

The token comes from $PTYREC_TOKEN or --token-file. The exit status is that of the command (128+n
after signal n); 124 after --timeout; 255 if it is unknown, because the command could not be
started or reached.`,
		Example: `  ptyrec exec https://build.lan -- make -j8
  ptyrec exec https://build.lan 'make 2>&1 | tail' --cwd /src
  tar c . | ptyrec exec https://build.lan --sandbox agent-1 -- tar x -C /tmp
  id=$(ptyrec exec --detach https://build.lan -- make)
  ptyrec exec --resume $id https://build.lan`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.resume != "" {
				return cli.Operands(1, 1)(cmd, args)
			}
			return cli.Operands(2, -1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return execRemote(cmd.Context(), o, args[0], args[1:])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.token.File, "token-file", "", "read the server's token from `FILE`")
	flags.StringVar(&o.sandbox, "sandbox", "", "use sandbox `NAME` of a ptyrec server (default \"default\")")
	flags.StringVar(&o.cwd, "cwd", "", "run in `FOLDER` of that machine")
	flags.StringArrayVar(&o.env, "env", nil, "set variable `NAME=VALUE`; may be repeated")
	flags.DurationVar(&o.timeout, "timeout", 0, "kill the command after `TIME`, such as 30s or 10m")
	flags.BoolVar(&o.pty, "pty", false, "run the command in a terminal of 80x24")
	flags.BoolVar(&o.detach, "detach", false, "start the command, print its id, and exit")
	flags.StringVar(&o.resume, "resume", "", "continue the command `ID`")
	return cmd
}

func execRemote(ctx context.Context, o *execOptions, where string, words []string) error {
	if o.detach && o.resume != "" {
		return failure.Usage(errors.New("--detach and --resume cannot be combined"))
	}
	if o.timeout < 0 {
		return failure.Usage(fmt.Errorf("--timeout must be at least 0, not %v", o.timeout))
	}
	token, err := o.token.For(where)
	if err != nil {
		return failure.New(err, "check --token-file: it must name a file with the server's token")
	}
	signal.Ignore(syscall.SIGPIPE)         // if the reader of stdout has left, the write fails and the command is killed
	interrupts, stop := interruptSignals() // Ctrl+C goes to the command as soon as it has started
	defer stop()
	c, err := startRemote(ctx, where, token, o.order(words))
	if err != nil {
		return explainRemote(err, o.resume)
	}
	defer c.Close()
	if o.detach {
		_, err := fmt.Fprintln(o.IO.Out, c.ID())
		return err
	}
	streams := remoteStreams{
		Stdin: o.IO.In, Stdout: o.IO.Out, Stderr: o.IO.Err, Interrupts: interrupts,
		Note: func(message string) { o.IO.Notice("warning: %s", message) },
	}
	if o.pty && cli.IsTerminal(o.IO.In) {
		state, err := term.MakeRaw(int(o.IO.In.Fd()))
		if err != nil {
			return err
		}
		defer func() { _ = term.Restore(int(o.IO.In.Fd()), state) }()
		streams.LeaveKey = 0x1d
	}
	status, err := connectRemote(ctx, c, streams)
	if err != nil {
		return explainRemote(err, c.ID())
	}
	return ended(status)
}

// order returns the order for the command line.
func (o *execOptions) order(words []string) remoteOrder {
	return remoteOrder{
		Words: words, Resume: o.resume, Sandbox: o.sandbox, Cwd: o.cwd, Env: append(o.env,
			detached.PrivateEnv(o.IO.Environ)...), Timeout: o.timeout, PTY: o.pty,
		NoStdin: o.detach && !o.pty || isNull(o.IO.In),
	}
}

func ended(status int) error {
	if status == 0 {
		return nil
	}
	return cli.ExitStatus(status)
}
