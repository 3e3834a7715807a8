// Package record has the commands that record sessions: run, resume, exec and import.
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
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/team"
	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/sys/orphans"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/ignore"
	"github.com/ptyrec/ptyrec/recorder/recording"
	"github.com/ptyrec/ptyrec/session"
)

type runFlags struct {
	input     bool
	nested    bool
	anyway    bool
	keep      bool
	private   bool // it is never sent to the server of a team
	sync      teamsync.AtEnd
	detach    bool
	hosted    bool   // this is what --detach has started
	owned     bool   // it ends with the process that has started it, and with all that was started in it
	starter   int    // the process that has started it, and types into it; 0: none
	size      string // COLSxROWS, without a terminal
	continues string // the id of the session whose conversation goes on

	notify *bool // --notify; nil: as configured
	ignore ignore.List
}

// NewCmdRun returns the command run.
func NewCmdRun(a *factory.Factory) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:        "run [flags] [--] [COMMAND…]",
		SuggestFor: []string{"record", "rec", "exec", "start"},
		Short:      "Record a command (default: $SHELL); its exit status is ours",
		Long: `Run runs a command in a terminal of its own and records what it shows. The command gets every key,
signal and window size, and its exit status is passed on. Flags after the command's name belong to
the command. Its output is that of a terminal even if it goes into a file or a pipe: with colours, and
lines that end with CR LF.

While it runs, you can join the session with ` + "`ptyrec attach`" + `. Programs can watch it; they can type only
after ` + "`ptyrec grant`" + `, and until you press Ctrl+\ here. With --keep the session continues when this
terminal is closed. With --detach it has no terminal, and run prints its id.

With --notify, run tells you when the agent asks for approval or has finished a turn of 20 s or
more, and you have not typed since: by the terminal's bell and notification, and by the desktop's.
[notify] in the configuration has more ways (docs/notify.md).

What run.ignore in the configuration names by folder, command or git remote runs unrecorded.`,
		Example: `  ptyrec run -- claude
  ptyrec run codex --model gpt-5
  ptyrec run --notify -- claude   tells you when it waits for you
  ptyrec run                      your shell
  ptyrec run --detach -- codex    in the background; ptyrec attach last shows it`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.sync.Check(f.detach); err != nil {
				return failure.Usage(err)
			}
			if cmd.Flags().Changed("size") && !f.detach && !f.hosted {
				return failure.Usage(errors.New("--size goes with --detach: else the window is the terminal's"))
			}
			c, err := a.Config()
			if err != nil {
				return unrecorded(a, args, f, err)
			}
			if f.ignore, err = c.Run.Ignored(); err != nil {
				return err
			}
			if !cmd.Flags().Changed("input") {
				f.input = c.Run.Input
			}
			return run(cmd.Context(), a, args, f)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().BoolVar(&f.input, "input", false, "also record what is typed, as far as the screen shows it (no passwords)")
	cmd.Flags().BoolVar(&f.nested, "nested", false, "record even inside a recorded session")
	cmd.Flags().BoolVar(&f.anyway, "anyway", false, "run the command even where it cannot be recorded, and say so; inside a recorded session, say nothing")
	cmd.Flags().BoolVar(&f.keep, "keep", false, "go on when the terminal is closed")
	cmd.Flags().BoolVar(&f.private, "private", false, "never send this session, and those that are started in it, to the server of a team")
	f.sync.Register(cmd.Flags())
	cmd.Flags().BoolFunc("notify", "tell you when an agent asks for approval, or has finished a long turn; --notify=false: never (default as configured, see docs/notify.md)",
		func(text string) error {
			on, err := strconv.ParseBool(text)
			f.notify = &on
			return err
		})
	cmd.Flags().BoolVar(&f.detach, "detach", false, "run in the background, without a terminal, and print the session's id")
	cmd.Flags().StringVar(&f.size, "size", detached.DefaultSize, "the window with --detach, `COLSxROWS`")
	cmd.Flags().BoolVar(&f.hosted, "hosted", false, "")
	cmd.Flags().BoolVar(&f.owned, "owned", false, "")
	cmd.Flags().IntVar(&f.starter, "starter", 0, "")
	for _, name := range []string{"hosted", "owned", "starter"} {
		_ = cmd.Flags().MarkHidden(name) // it is there
	}
	return cmd
}

func run(ctx context.Context, a *factory.Factory, command []string, f runFlags) error {
	if len(command) == 0 {
		command = []string{cli.Shell()}
	}
	if err := Check(command[0]); err != nil {
		return err
	}
	if f.private {
		a.IO.Environ = detached.Private(a.IO.Environ)
	}
	if id := detached.RecordedBy(a.IO.Environ); id != "" && !a.Open.IsOver(ctx, id) {
		return failure.New(fmt.Errorf("the session %s around this is not private, and records it", id), "run it in a terminal that is not recorded")
	}
	if f.detach {
		if err := ignored(ctx, a, command, f); err != nil {
			return err
		}
		return detach(a, command, f)
	}
	outer := os.Getenv(detached.Variable)
	if outer != "" && !f.nested && !a.Open.IsOver(ctx, outer) {
		if !f.anyway {
			a.IO.Notice("this runs in the recorded session %s already: not recorded again (--nested records it)", outer)
		}
		return Replace(command, a.IO.Environ)
	}
	if err := ignored(ctx, a, command, f); err != nil {
		return err
	}
	return record(ctx, a, command, f)
}

// ignored becomes a command that the configuration says not to record, or does nothing. Without a
// terminal it is an error: the command would run unseen.
func ignored(ctx context.Context, a *factory.Factory, command []string, f runFlags) error {
	dir, _ := os.Getwd() // a folder without a name may be any
	why, found := f.ignore.Match(ctx, dir, command)
	if !found {
		return nil
	}
	why = printable.Clip(why, 200)
	if f.detach || f.hosted {
		return failure.New(fmt.Errorf("this is not recorded (run.ignore has %s), and without a recording it cannot be detached", why), "run it on a terminal, or change run.ignore: `ptyrec config edit`")
	}
	a.IO.Notice("not recorded: run.ignore has %s", why)
	return Replace(command, a.IO.Environ)
}

// unrecorded says why a command cannot be recorded. With --anyway the command runs nevertheless: an
// agent's wrapper, or a shell's start, must not fail because of us.
func unrecorded(a *factory.Factory, command []string, f runFlags, err error) error {
	if !f.anyway || err == nil {
		return err
	}
	if len(command) == 0 {
		command = []string{cli.Shell()}
	}
	if err := Check(command[0]); err != nil {
		return err
	}
	a.IO.Notice("warning: this is not recorded: %v", err)
	return Replace(command, a.IO.Environ)
}

// recorderGC is the garbage that a recorder may hold, in percent of what it uses
// (runtime/debug.SetGCPercent): it is there all day, and nobody waits for it. At the start somebody
// does.
const (
	recorderGC = 50
	startTime  = time.Second
)

func record(ctx context.Context, a *factory.Factory, command []string, f runFlags) error {
	if os.Getenv("GOGC") == "" {
		time.AfterFunc(startTime, func() { debug.SetGCPercent(recorderGC) })
	}
	s := Session(command, a.IO.Out, a.IO.In)
	s.Continues, s.Private = f.continues, detached.IsPrivate(a.IO.Environ)
	if f.hosted {
		var err error
		if s.Cols, s.Rows, err = detached.ParseSize(f.size); err != nil {
			return failure.Usage(err)
		}
	}
	to, err := startRecording(ctx, a, command, s, f)
	if err != nil {
		return unrecorded(a, command, f, err)
	}
	defer to.Close()
	o := recorder.Options{
		Env:    detached.InSession(a.IO.Environ, s.ID, s.Private),
		Stdin:  a.IO.In,
		Stdout: a.IO.Out,
		Input:  f.input,
		Leader: detached.Program(),
	}
	if f.hosted {
		o.Cols, o.Rows = s.Cols, s.Rows
	}
	if f.hosted && f.owned {
		o.Owner = detached.Owner()
		orphans.Adopt() // of a leader that is killed
		defer orphans.EndDescendants()
	}
	beside := time.AfterFunc(startTime, func() { team.SyncBeside(a) })
	result, err := to.Run(ctx, o)
	beside.Stop()
	if err != nil {
		return Failure(err)
	}
	if warning := result.Warning(); warning != "" {
		a.IO.Notice("warning: %s", warning)
	}
	a.Retain()
	team.SyncAfter(ctx, a, s.ID, f.sync)
	if !f.hosted && result.InDatabase() {
		tellRecorded(ctx, a, to)
	}
	if result.Status != 0 {
		return cli.ExitStatus(result.Status)
	}
	return nil
}

// startRecording begins to record a session of a command.
func startRecording(ctx context.Context, a *factory.Factory, command []string, s session.Session, f runFlags) (*recording.Recording, error) {
	path, err := a.Open.Database()
	if err != nil {
		return nil, err
	}
	r, err := a.Open.Redaction()
	if err != nil {
		return nil, err
	}
	c, err := a.Config()
	if err != nil {
		return nil, err
	}
	n, err := c.Notify.Flagged(f.notify)
	if err != nil {
		return nil, err
	}
	o := recording.Options{Notify: n, Environ: detached.InSession(a.IO.Environ, s.ID, s.Private), Command: command, Session: s, Database: path, Redact: r, Server: "ptyrec " + buildinfo.Version(), Warn: a.IO.Notice, Keep: f.keep, Starter: f.starter}
	if f.hosted {
		o.Hosted = detached.Report
	}
	return recording.Start(ctx, o)
}

// tellRecorded says that a session was recorded, and how to see it, as often as run.notice says.
func tellRecorded(ctx context.Context, a *factory.Factory, r *recording.Recording) {
	c, err := a.Config()
	if err != nil || c.Run.Notice == config.NoticeNever {
		return // what is wrong with the configuration was told before
	}
	most := 0
	if c.Run.Notice == config.NoticeFirst {
		most = config.NoticeTimes
	}
	if name, ok := r.Name(ctx, most); ok {
		a.IO.Notice("recorded as %s: `ptyrec show %[1]s` shows it, `ptyrec list` lists all sessions", name)
	}
}
