// Package export has the commands that write sessions and their screens to files.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/store"
)

// exportOptions are the options of export.
type exportOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	factory.FilterFlags
	format string
	all    bool
	dir    string
	at     human.Moment
	part   factory.PartFlags

	animate bool
}

// NewCmdExport returns the export command.
func NewCmdExport(f *factory.Factory) *cobra.Command {
	o := &exportOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:        "export [S|FILE] [OUT] [--format F]",
		SuggestFor: []string{"save", "convert"},
		Short:      "Write a session as " + strings.Join(export.Formats(), ", "),
		Long: `Export writes a session (the last one by default) or a recording's file. The extension of OUT
chooses the format; without OUT, or for -, export writes JSON to stdout. OUT is written completely
or not at all.

  html          a page with the conversation next to a player of the recording
  svg           the screen when the last message was complete, or at --at;
                with --animate the whole recording
  cast, cast2   asciicast v3 or v2, with a marker at each message
  diff          the same as ptyrec diff

S#12 exports the session from entry 12 on; S#4..S#12 also ends there. --from and --to also take
times, --only takes kinds of messages. Nothing else is exported, in any format: recordings are
redrawn without earlier and later text. ` + "`ptyrec help sessions`" + ` explains how to name sessions.

--all exports each selected session to DIR/DATE_TIME_TITLE.F.`,
		Example: `  ptyrec export talk.md
  ptyrec export last
  ptyrec export 4f1a talk.html
  ptyrec export 'last#4..last#12' part.html
  ptyrec export last --from 1:30 --to 5m talk.svg --animate
  ptyrec export last talk.md --only prompts,replies
  ptyrec export session.cast talk.md
  ptyrec export --format jsonl | jq .
  ptyrec export --all --format md --since 2w -o notes`,
		Args:              cli.Operands(0, 2),
		ValidArgsFunction: factory.CompletePlay(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, args); err != nil {
				return failure.Usage(err)
			}
			if o.all {
				return exportAll(cmd.Context(), o)
			}
			of, out, err := exportArguments(args, o.Open.Named)
			if err != nil {
				return err
			}
			return exportOne(cmd.Context(), o, of, out)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "", "write `FORMAT`: "+strings.Join(export.Formats(), ", "))
	flags.Var(&o.at, "at", "svg: show the screen at `SECONDS`, or end (default: the last message is complete)")
	flags.BoolVar(&o.all, "all", false, "export all selected sessions")
	flags.StringVarP(&o.dir, "output", "o", "", "with --all: write to `DIR`")
	o.Register(o.Open, cmd)
	o.RegisterTeam(cmd.Flags())
	_ = cmd.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(export.Formats(), cobra.ShellCompDirectiveNoFileComp))
	o.part.Register(cmd)
	cmd.Flags().BoolVar(&o.animate, "animate", false, "svg: animate the recording, for browsers and READMEs")
	return cmd
}

// check validates the command line.
func (o *exportOptions) check(cmd *cobra.Command, args []string) error {
	filtered := false
	for _, name := range []string{"agent", "since", "until", "on", "cwd", "command", "tag", "branch", "commit", "live",
		"sandbox", "owner", "space"} {
		filtered = filtered || cmd.Flags().Changed(name)
	}
	switch {
	case o.all && len(args) > 0:
		return errors.New("--all cannot be combined with a session or file")
	case o.all && (o.part.From != "" || o.part.To != ""):
		return errors.New("--from and --to require a single session")
	case o.all && o.dir == "":
		return errors.New("--all requires -o DIR")
	case !o.all && (o.dir != "" || filtered):
		return errors.New("--output and filters require --all")
	}
	return nil
}

// exportArguments splits the arguments into the session or recording to export and the file to
// write. A single argument that is a path is the file to write, unless it is an existing recording.
func exportArguments(args []string, named bool) (of []string, out string, err error) {
	switch {
	case len(args) == 0:
		return nil, "-", nil
	case len(args) == 2:
		return args[:1], args[1], nil
	case named || args[0] != "-" && !cli.IsPath(args[0]):
		return args, "-", nil
	case archive.IsRecordingName(args[0]) && opener.IsFile(args[0]):
		return nil, "", failure.Misuse(fmt.Sprintf("to read it: ptyrec export %s -; to write the last session to it: "+
			"ptyrec export last %[1]s", args[0]),
			"%s exists and is a recording", args[0])
	}
	return nil, args[0], nil
}

func exportOne(ctx context.Context, o *exportOptions, of []string, out string) error {
	format, err := export.FormatOf(out, o.format)
	if err != nil {
		return err
	}
	if o.animate && format != "svg" {
		return failure.Misuse("name a file that ends with .svg, or add --format svg",
			"--animate writes an animated SVG, not %s", format)
	}
	if o.animate && o.at.Given {
		return failure.Usage(errors.New("--animate and --at cannot be combined"))
	}
	if _, s, err := o.Open.Sandbox(ctx, o.Team, of); s != nil || err != nil {
		if err != nil {
			return err
		}
		return exportSandbox(ctx, o, s, out, format)
	}
	db, info, ref, err := o.Open.In(ctx, o.Team, of)
	if err == nil {
		ref, err = o.part.Of(ref)
	}
	if err != nil {
		return err
	}
	if slices.Contains(render.Formats(), format) {
		// All entries are in use until the end, so there is little to collect.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	return o.IO.WriteFile(out, func(w io.Writer) error {
		return opener.Missing(export.Exporter{Library: lib, At: o.at, Ref: ref, Animate: o.animate}.Write(ctx, w, format,
			info))
	})
}

// exportAll writes each selected session to its own file. If one fails, the others are still
// written.
func exportAll(ctx context.Context, o *exportOptions) error {
	format, err := export.FormatOf("-", o.format)
	if err != nil {
		return err
	}
	db, infos, _, err := o.Choose(ctx, o.Open, time.Now(), 0)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		o.NoticeNone(o.Open)
		return nil
	}
	if err := sys.PrivateFolder(o.dir); err != nil {
		return err
	}
	if export.NeedsRecording(format) {
		all := len(infos)
		if infos = slices.DeleteFunc(infos, func(i *store.Info) bool { return !i.Recorded() }); len(infos) < all {
			o.IO.Notice("skipped %s from agents' logs: they have no recording", printable.Plural(all-len(infos), "session"))
		}
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	only, err := o.part.Of(archive.Ref{})
	if err != nil {
		return err
	}
	x := export.Exporter{Library: lib, At: o.at, Ref: only, Animate: o.animate && format == "svg"}
	bar := o.IO.Counter("export", "sessions", len(infos))
	defer bar.Finish()
	err = x.WriteAll(ctx, o.dir, format, infos, func(path string, write func(io.Writer) error) error {
		defer bar.Add(1)
		return o.IO.WriteFile(path, write)
	})
	if err == nil {
		bar.Finish()
		o.IO.Notice("%s written to %s", printable.Plural(len(infos), "session"), o.dir)
	}
	return err
}

// exportSandbox writes a sandbox in a format without a recording.
func exportSandbox(ctx context.Context, o *exportOptions, s *library.Sandbox, out, format string) error {
	if !slices.Contains(render.Formats(), format) {
		return failure.Misuse("export one of its commands: `ptyrec list --sandbox "+s.Name()+"`",
			"a sandbox cannot be exported as %s", format)
	}
	t, err := s.Transcript(ctx)
	if err != nil {
		return opener.Missing(err)
	}
	return o.IO.WriteFile(out, func(w io.Writer) error { return render.Write(w, format, t) })
}
