// Package record implements the commands that record sessions: run, resume, exec and import.
package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/team"
	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/recording"
	"github.com/ptyrec/ptyrec/session"
)

// runOptions are the options of run.
type runOptions struct {
	IO     *cli.IO
	Open   *opener.Opener
	Config func() (*config.Config, error)
	Retain func() // applies the retention after the command has ended
	Send   team.Sending

	redact *bool // --redact; nil if not given

	input     bool
	nested    bool
	anyway    bool
	keep      bool
	private   bool // exclude it from sync
	sync      teamsync.AtEnd
	detach    bool
	hosted    bool   // started by --detach
	owned     bool   // the session ends with the process that started it, and kills all its processes
	starter   int    // process that started it and types into it; 0: none
	size      string // COLSxROWS, for a session without a terminal
	continues string // id of the session whose conversation it continues

	notify *bool // --notify; nil: as configured
	ignore config.IgnoreList
}

func newRunOptions(f *factory.Factory) *runOptions {
	return &runOptions{IO: f.IO, Open: f.Open, Config: f.Config, Retain: f.Retain, Send: team.SendingOf(f)}
}

// NewCmdRun returns the run command.
func NewCmdRun(f *factory.Factory) *cobra.Command {
	o := newRunOptions(f)
	cmd := &cobra.Command{
		Use:        "run [flags] [--] [COMMAND…]",
		SuggestFor: []string{"record", "rec", "exec", "start"},
		Short:      "Record a command (default $SHELL), and exit with its status",
		Long: `Run runs a command in its own terminal and records what it shows. Keys, signals and window sizes
are passed on to the command, and its exit status is passed back. Flags after the command's name
belong to the command. In a file or a pipe, the output is still that of a terminal, with colours
and CR LF.

You can join the session with ` + "`ptyrec attach`" + `. Programs can watch it, but type only after
` + "`ptyrec grant`" + `, and until you press Ctrl+\ here. With --keep the session continues when this
terminal is closed. With --detach it has no terminal, and run prints its id.

With --notify, run notifies you when the agent asks for approval, or finishes a turn of 20 s or
more, unless you have typed since: through the terminal and the desktop. Configure more ways in
[notify] (docs/notify.md).

Commands in run.ignore of the configuration (by folder, command or git remote) run unrecorded.`,
		Example: `  ptyrec run -- claude
  ptyrec run codex --model gpt-5
  ptyrec run --notify -- claude   tells you when it waits for you
  ptyrec run                      your shell
  ptyrec run --detach -- codex    in the background; ptyrec attach last shows it`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.sync.Check(o.detach); err != nil {
				return failure.Usage(err)
			}
			if cmd.Flags().Changed("size") && !o.detach && !o.hosted {
				return failure.Usage(errors.New("--size requires --detach"))
			}
			c, err := o.Config()
			if err != nil {
				return unrecorded(o, args, err)
			}
			if o.ignore, err = c.Run.Ignored(); err != nil {
				return err
			}
			if !cmd.Flags().Changed("input") {
				o.input = c.Run.Input
			}
			o.redact = f.Redact
			return run(cmd.Context(), o, args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().BoolVar(&o.input, "input", false, "record input that the screen shows (no passwords)")
	cmd.Flags().BoolVar(&o.nested, "nested", false, "record even inside a recorded session")
	cmd.Flags().BoolVar(&o.anyway, "anyway", false, "run the command even if it cannot be recorded")
	cmd.Flags().BoolVar(&o.keep, "keep", false, "continue when the terminal is closed")
	cmd.Flags().BoolVar(&o.private, "private", false, "never send the session to a team's server")
	o.sync.Register(cmd.Flags())
	cmd.Flags().BoolFunc("notify", "notify when an agent asks or is done (docs/notify.md)",
		func(text string) error {
			on, err := strconv.ParseBool(text)
			o.notify = &on
			return err
		})
	cmd.Flags().BoolVar(&o.detach, "detach", false, "run in the background, and print the session's id")
	cmd.Flags().StringVar(&o.size, "size", detached.DefaultSize, "set the size of the window with --detach to `COLSxROWS`")
	cmd.Flags().BoolVar(&o.hosted, "hosted", false, "")
	cmd.Flags().BoolVar(&o.owned, "owned", false, "")
	cmd.Flags().IntVar(&o.starter, "starter", 0, "")
	for _, name := range []string{"hosted", "owned", "starter"} {
		_ = cmd.Flags().MarkHidden(name) // the flag exists
	}
	return cmd
}

func run(ctx context.Context, o *runOptions, command []string) error {
	if len(command) == 0 {
		command = []string{cli.Shell()}
	}
	if err := Check(command[0]); err != nil {
		return err
	}
	if o.private {
		o.IO.Environ = detached.Private(o.IO.Environ)
	}
	if id := detached.RecordedBy(o.IO.Environ); id != "" && !o.Open.IsOver(ctx, id) {
		return failure.New(fmt.Errorf("cannot be private: session %s around it is recorded", id),
			"run it in a terminal that is not recorded")
	}
	if o.detach {
		if err := ignored(ctx, o, command); err != nil {
			return err
		}
		return detach(o, command)
	}
	outer := os.Getenv(detached.Variable)
	if outer != "" && !o.nested && !o.Open.IsOver(ctx, outer) {
		if !o.anyway {
			o.IO.Notice("session %s already records this; use --nested to record it again", outer)
		}
		return Replace(command, o.IO.Environ)
	}
	if err := ignored(ctx, o, command); err != nil {
		return err
	}
	return record(ctx, o, command)
}

// ignored replaces this process by a command that the configuration excludes from recording.
// Without a terminal it returns an error, because the command would run unseen.
func ignored(ctx context.Context, o *runOptions, command []string) error {
	dir, _ := os.Getwd() // a folder without a name may be any folder
	why, found := o.ignore.Match(ctx, dir, command)
	if !found {
		return nil
	}
	why = printable.Clip(why, 200)
	if o.detach || o.hosted {
		return failure.New(fmt.Errorf("--detach requires a recording, but run.ignore excludes this (%s)", why),
			"omit --detach, or change run.ignore with `ptyrec config edit`")
	}
	o.IO.Notice("not recorded: run.ignore has %s", why)
	return Replace(command, o.IO.Environ)
}

// unrecorded returns the error for a command that cannot be recorded. With --anyway it runs the
// command instead, because the wrapper of an agent or the start of a shell must not fail because of
// us.
func unrecorded(o *runOptions, command []string, err error) error {
	if !o.anyway || err == nil {
		return err
	}
	if len(command) == 0 {
		command = []string{cli.Shell()}
	}
	if err := Check(command[0]); err != nil {
		return err
	}
	o.IO.Notice("warning: this is not recorded: %v", err)
	return Replace(command, o.IO.Environ)
}

// recorderGC is the garbage collection target of a recorder (debug.SetGCPercent): it runs all day
// without being watched, except at its start.
const (
	recorderGC = 50
	startTime  = time.Second
)

func record(ctx context.Context, o *runOptions, command []string) error {
	if os.Getenv("GOGC") == "" {
		time.AfterFunc(startTime, func() { debug.SetGCPercent(recorderGC) })
	}
	s := Session(command, o.IO.Out, o.IO.In)
	s.Continues, s.Private = o.continues, detached.IsPrivate(o.IO.Environ)
	if o.hosted {
		var err error
		if s.Cols, s.Rows, err = detached.ParseSize(o.size); err != nil {
			return failure.Usage(err)
		}
	}
	to, err := startRecording(ctx, o, command, s)
	if err != nil {
		return unrecorded(o, command, err)
	}
	defer to.Close()
	opts := recorder.Options{
		Env:    detached.InSession(o.IO.Environ, s.ID, s.Private),
		Stdin:  o.IO.In,
		Stdout: o.IO.Out,
		Input:  o.input,
		Leader: detached.Program(),
	}
	if o.hosted {
		opts.Cols, opts.Rows = s.Cols, s.Rows
	}
	if o.hosted && o.owned {
		opts.Owner = detached.Owner()
		proc.Adopt() // descendants of a killed leader
		defer proc.EndDescendants()
	}
	beside := time.AfterFunc(startTime, o.Send.Beside)
	result, err := to.Run(ctx, opts)
	beside.Stop()
	if err != nil {
		return Failure(err)
	}
	if warning := result.Warning(); warning != "" {
		o.IO.Notice("warning: %s", warning)
	}
	o.Retain()
	o.Send.After(ctx, s.ID, o.sync)
	if !o.hosted && result.InDatabase() {
		tellRecorded(ctx, o, to)
	}
	if result.Status != 0 {
		return cli.ExitStatus(result.Status)
	}
	return nil
}

// startRecording starts to record a command's session.
func startRecording(ctx context.Context, o *runOptions, command []string, s session.Session) (*recording.Recording,
	error) {
	path, err := o.Open.Database()
	if err != nil {
		return nil, err
	}
	r, err := o.Open.Redaction()
	if err != nil {
		return nil, err
	}
	c, err := o.Config()
	if err != nil {
		return nil, err
	}
	n, err := c.Notify.Flagged(o.notify)
	if err != nil {
		return nil, err
	}
	opts := recording.Options{Notify: n, Environ: detached.InSession(o.IO.Environ, s.ID, s.Private), Command: command,
		Session: s, Database: path, Redact: r, Server: "ptyrec " +
			buildinfo.Version(), Warn: o.IO.Notice, Keep: o.keep, Starter: o.starter}
	if o.hosted {
		opts.Hosted = detached.Report
	}
	return recording.Start(ctx, opts)
}

// tellRecorded prints that a session was recorded and how to see it, as often as run.notice says.
func tellRecorded(ctx context.Context, o *runOptions, r *recording.Recording) {
	c, err := o.Config()
	if err != nil || c.Run.Notice == config.NoticeNever {
		return // errors in the configuration were reported before
	}
	most := 0
	if c.Run.Notice == config.NoticeFirst {
		most = config.NoticeTimes
	}
	if name, ok := r.Name(ctx, most); ok {
		o.IO.Notice("recorded as %s: `ptyrec show %[1]s` shows it, `ptyrec list` lists all sessions", name)
	}
}
