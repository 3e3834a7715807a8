package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

type exportFlags struct {
	filterFlags
	session string
	format  string
	all     bool
	dir     string
	at      float64 // seconds, or atEnd
}

func newExportCmd(a *app) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:        "export [FILE] [--session S] [--format F]",
		SuggestFor: []string{"save", "convert"},
		Short:      "Write the last session, or S, as " + strings.Join(formatNames(), ", "),
		Long: `Export writes a session. FILE's ending chooses the format; without FILE, and with -, it goes to stdout, as JSON. FILE appears
whole or not at all. html is one page with the conversation beside a player of the recording; svg is the screen at the end,
at --at SECONDS, or at an entry (--session S#12); cast is an asciicast v3, cast2 a v2, with a marker at each message. --all writes each
session that the filters choose to DIR/DATE_TIME_ID.F.`,
		Example: `  ptyrec export session.json
  ptyrec export talk.html --session 019a
  ptyrec export screen.svg --session 'last#12'
  ptyrec export --format jsonl | jq .
  ptyrec export --all --format md --since 2w -o notes`,
		Args: operands(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			if err := f.check(cmd, args); err != nil {
				return usageError(err)
			}
			if f.all {
				return exportAll(cmd.Context(), a, f)
			}
			return export(cmd.Context(), a, path, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "last", "session: an `ID`, a unique beginning of one, or last")
	flags.StringVar(&f.format, "format", "", "`FORMAT`: "+strings.Join(formatNames(), ", "))
	flags.Float64Var(&f.at, "at", 0, "svg: the screen at this `SECOND` of the recording (default the end)")
	flags.BoolVar(&f.all, "all", false, "all sessions, or those that the filters below choose")
	flags.StringVarP(&f.dir, "output", "o", "", "with --all: the `DIR` to write to")
	f.register(a, cmd)
	_ = cmd.RegisterFlagCompletionFunc("session", completeSessions(a))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check says what is wrong with the command line.
func (f *exportFlags) check(cmd *cobra.Command, args []string) error {
	if !cmd.Flags().Changed("at") {
		f.at = atEnd
	}
	filtered := false
	for _, name := range []string{"agent", "since", "until", "on", "cwd", "command", "tag", "live"} {
		filtered = filtered || cmd.Flags().Changed(name)
	}
	switch {
	case f.all && (len(args) > 0 || cmd.Flags().Changed("session")):
		return errors.New("--all takes no file and no session")
	case f.all && f.dir == "":
		return errors.New("--all needs a folder: -o DIR")
	case !f.all && (f.dir != "" || filtered):
		return errors.New("a folder and filters go with --all")
	case !(f.at >= 0):
		return errors.New("--at takes seconds from the start, 0 or more")
	}
	return nil
}

func export(ctx context.Context, a *app, path string, f exportFlags) error {
	if err := a.noSession(ctx, path); err != nil {
		return err
	}
	format, err := formatOf(path, f.format)
	if err != nil {
		return err
	}
	db, info, ref, err := a.openSession(ctx, []string{f.session})
	if err != nil {
		return err
	}
	if slices.Contains(render.Formats, format) {
		defer debug.SetGCPercent(debug.SetGCPercent(400)) // the entries are needed to the end: there is little to collect
	}
	return a.writeFile(path, func(w io.Writer) error {
		return exporter{a, db, f.at, ref.seq}.write(ctx, w, format, info)
	})
}

// noSession keeps what names a session from being taken for a file.
func (a *app) noSession(ctx context.Context, path string) error {
	if path == "-" || strings.ContainsAny(path, "./") {
		return nil
	}
	db, err := a.openExisting(ctx)
	if err != nil {
		return nil //nolint:nilerr // then there is no session, which is told later
	}
	if _, err := db.Find(ctx, path); err != nil {
		return nil //nolint:nilerr // likewise
	}
	return usageError(fmt.Errorf("%s is a session, and no file: name it with --session %s", path, path))
}

// exportAll writes each session that is chosen to a file of its own. One that cannot be written does not keep the others.
func exportAll(ctx context.Context, a *app, f exportFlags) error {
	format, err := formatOf("-", f.format)
	if err != nil {
		return err
	}
	db, infos, _, err := f.sessions(ctx, a, time.Now(), 0)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	bar := newCounter(a, "export", "sessions", len(infos))
	defer bar.Finish()
	err = eachParallel(len(infos), func(i int) error {
		defer bar.Add(1)
		info := infos[i]
		name := info.StartedAt.UTC().Format("2006-01-02_150405_") + info.ID + "." + ending(format)
		return a.writeFile(filepath.Join(f.dir, name), func(w io.Writer) error {
			return exporter{a, db, f.at, 0}.write(ctx, w, format, info)
		})
	})
	if err == nil {
		bar.Finish()
		a.notice("%s written to %s", plural(len(infos), "session"), f.dir)
	}
	return err
}

// ending gives the ending of a format's files.
func ending(format string) string {
	if format == "cast2" {
		return "cast"
	}
	return format
}

// exporter writes sessions in any format.
type exporter struct {
	a   *app
	db  *store.Store
	at  float64 // svg: seconds, or atEnd
	seq int     // svg: the entry; 0: none is named
}

func (x exporter) write(ctx context.Context, w io.Writer, format string, info *store.Info) error {
	switch format {
	case "cast", "cast2":
		return writeCast(ctx, x.a, w, x.db, info, format)
	case "svg":
		return x.writeScreen(ctx, w, info)
	}
	t, err := storedTranscript(ctx, x.a, x.db, info)
	if err != nil {
		return err
	}
	if format == "html" {
		return writePage(ctx, x.a, w, x.db, info, t)
	}
	return render.Write(w, format, t)
}

// recordingFormats are those that show the raw log, which render has no part in.
var recordingFormats = []string{"html", "svg", "cast", "cast2"}

func formatNames() []string { return slices.Concat(render.Formats, recordingFormats) }

// formatOf checks the format's name; without one, path's ending chooses, and JSON goes to stdout.
func formatOf(path, name string) (string, error) {
	var err error
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	switch {
	case name == "" && path == "-":
		name = "json"
	case name == "" && ending == "htm":
		name = "html"
	case name == "" && slices.Contains(recordingFormats, ending):
		name = ending
	case name == "":
		name, err = render.FormatOf(path)
	case !slices.Contains(formatNames(), name):
		err = fmt.Errorf("%w: %q", render.ErrFormat, name)
	}
	if err != nil {
		return "", &failure{err: err, hint: "use --format " + strings.Join(formatNames(), "|"), status: statusUsage}
	}
	return name, nil
}

// storedTranscript gives a session's transcript from its entries, which are read out first where that is to be done.
func storedTranscript(ctx context.Context, a *app, db *store.Store, info *store.Info) (*session.Transcript, error) {
	entries, err := db.Entries(ctx, info.ID)
	if errors.Is(err, session.ErrCorrupt) {
		a.notice("warning: %v; the raw log is read instead, `ptyrec doctor --repair` mends it", err)
		t, _, err := retranscribe(ctx, a, db, info)
		return t, err
	}
	if err != nil {
		return nil, err
	}
	if info.Unread && info.Status != store.Live {
		if entries, err = readOut(ctx, a, db, info, entries); err != nil {
			return nil, err
		}
	}
	r, err := a.redaction()
	if err != nil {
		return nil, err
	}
	s := info.Session
	if s.Agents == nil {
		s.Agents = []session.Agent{}
	}
	t := &session.Transcript{
		Format: session.TranscriptFormat, Version: session.TranscriptVersion,
		Session: s, Entries: append([]*session.Entry{}, entries...),
	}
	r.transcript(t, nil) // what was stored before redaction was on
	return t, nil
}
