package find

import (
	"context"
	"errors"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// showOptions are the options of show.
type showOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	tools, thinking, events, raw, asJSON bool

	part factory.PartFlags
	team bool
}

// NewCmdShow returns the show command.
func NewCmdShow(f *factory.Factory) *cobra.Command {
	o := &showOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:        "show [S|FILE]",
		SuggestFor: []string{"cat", "view", "print", "read"},
		Short:      "Show the conversation of a session",
		Long: `Show prints the conversation of a session or a recording's file, on a terminal through a pager
($PTYREC_PAGER, $PAGER, less). Tool calls take one line; --tools shows their input and output.
S#12 begins at entry 12, S#4..S#12 also ends there; ` + "`ptyrec help sessions`" + ` explains how to name
sessions.`,
		Example: `  ptyrec show
  ptyrec show 4f1a --tools --thinking
  ptyrec show last#12
  ptyrec show last --from 1:30 --only prompts,replies
  ptyrec show talk.cast --json | jq -r '.entries[].text'
  ptyrec show last --raw > session.bytes`,
		Args:              cli.Operands(0, 1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (o.raw || o.asJSON) && (o.tools || o.thinking || o.events || o.raw && o.asJSON) {
				return failure.Usage(errors.New("--raw and --json cannot be combined with other flags"))
			}
			return show(cmd.Context(), o, args)
		},
	}
	o.part.Register(cmd)
	cmd.Flags().BoolVar(&o.tools, "tools", false, "show tool input and output")
	cmd.Flags().BoolVar(&o.thinking, "thinking", false, "show the agents' thinking")
	cmd.Flags().BoolVar(&o.events, "events", false, "show all events: resizes, busy, idle, …")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "write the transcript as JSON")
	cmd.Flags().BoolVar(&o.team, "team", false, factory.TeamUsage)
	cmd.Flags().BoolVar(&o.raw, "raw", false, "write the raw output of the command")
	return cmd
}

// showGC is the garbage collection target of show (debug.SetGCPercent). A session of 50 MB with a
// million links took 120 MB with Go's default of 100, takes 90 MB with this value, and is shown as
// fast.
const showGC = 30

func show(ctx context.Context, o *showOptions, args []string) error {
	defer debug.SetGCPercent(debug.SetGCPercent(showGC))
	if lib, s, err := o.Open.Sandbox(ctx, o.team, args); s != nil || err != nil {
		if err != nil {
			return err
		}
		return showSandbox(ctx, o, lib, s)
	}
	db, info, ref, err := o.Open.In(ctx, o.team, args)
	if err == nil {
		ref, err = o.part.Of(ref)
	}
	if err != nil {
		return err
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	if o.raw {
		if !ref.Whole() {
			return opener.WholeOnly(ref)
		}
		return showRaw(ctx, o, lib, info)
	}
	if ref.Whole() && !o.asJSON && (info.Process == "" || info.Status != store.Live) {
		return showWhole(ctx, o, lib, info)
	}
	return showPart(ctx, o, lib, info, ref)
}

// showPart shows a part of a session, or all of it as JSON or while it runs.
func showPart(ctx context.Context, o *showOptions, lib *library.Library, info *store.Info, ref archive.Ref) error {
	t, err := lib.Transcript(ctx, info)
	if err != nil {
		return err
	}
	if ref, err = ref.Resolve(t); err == nil {
		t, err = ref.Cut(t, info.Name != "")
	}
	if err != nil {
		return opener.Missing(err)
	}
	return showTranscript(o, t, info, ref)
}

// showTranscript writes a transcript, or the part of it that ref selects.
func showTranscript(o *showOptions, t *session.Transcript, info *store.Info, ref archive.Ref) error {
	if o.asJSON {
		return o.IO.WriteFile("-", func(w io.Writer) error { return render.Write(w, "json", t) })
	}
	return o.IO.Page(func(w io.Writer) error {
		return writeConversation(w, o.renderer(), t.Session, store.List(t.Entries), info, ref)
	})
}

// showWhole writes a whole session, without holding all of it in memory.
func showWhole(ctx context.Context, o *showOptions, lib *library.Library, info *store.Info) error {
	s, entries, done, err := lib.Visible(ctx, info)
	if err != nil {
		return err
	}
	defer done()
	return o.IO.Page(func(w io.Writer) error {
		return writeConversation(w, o.renderer(), s, entries, info, archive.Ref{})
	})
}

func (o *showOptions) renderer() *render.Terminal {
	return &render.Terminal{Width: o.IO.Width(), Color: bool(o.IO.Colours()), Tools: o.tools, Thinking: o.thinking,
		Events: o.events}
}

// showRaw writes the raw output of a session.
func showRaw(ctx context.Context, o *showOptions, lib *library.Library, info *store.Info) error {
	return cli.WriteBuffered(o.IO.Out, func(w io.Writer) error { return lib.WriteOutput(ctx, w, info) })
}

// showSandbox writes a sandbox like a session.
func showSandbox(ctx context.Context, o *showOptions, lib *library.Library, s *library.Sandbox) error {
	if o.raw {
		for _, info := range s.Infos {
			if err := showRaw(ctx, o, lib, info); err != nil {
				return err
			}
		}
		return nil
	}
	t, err := s.Transcript(ctx)
	if err != nil {
		return opener.Missing(err)
	}
	return showTranscript(o, t, s.Info(), s.Ref)
}

// ShowSession shows a session as show does without flags.
func ShowSession(ctx context.Context, f *factory.Factory, id string) error {
	return show(ctx, &showOptions{IO: f.IO, Open: f.Open}, []string{id})
}
