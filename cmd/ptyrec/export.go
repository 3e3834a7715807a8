package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

type exportFlags struct {
	session string
	format  string
}

func newExportCmd(a *app) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export [FILE] [--session S] [--format F]",
		Short: "Write the last session, or S, as " + strings.Join(formatNames(), ", "),
		Long: `Export writes a session's conversation. FILE's ending chooses the format; without FILE, and with -, it goes to
stdout, as JSON. FILE appears whole or not at all.`,
		Example: `  ptyrec export session.json
  ptyrec export talk.md --session 019a
  ptyrec export --format jsonl | jq .`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			return export(cmd.Context(), a, path, f)
		},
	}
	cmd.Flags().StringVar(&f.session, "session", "last", "session: an `ID`, a unique beginning of one, or last")
	cmd.Flags().StringVar(&f.format, "format", "", "`FORMAT`: "+strings.Join(formatNames(), ", "))
	return cmd
}

func export(ctx context.Context, a *app, path string, f exportFlags) error {
	format, err := formatOf(path, f.format)
	if err != nil {
		return err
	}
	db, err := a.openExisting(ctx)
	if err != nil {
		return err
	}
	info, err := findSession(ctx, db, f.session)
	if err != nil {
		return err
	}
	return a.writeFile(path, func(w io.Writer) error {
		if format == castFormat {
			return writeCast(ctx, a, w, db, info)
		}
		t, err := storedTranscript(ctx, a, db, info)
		if err != nil {
			return err
		}
		return render.Write(w, format, t)
	})
}

// castFormat is the raw log itself, which render has no part in.
const castFormat = "cast"

func formatNames() []string { return append(slices.Clone(render.Formats), castFormat) }

// formatOf checks the format's name; without one, path's ending chooses, and JSON goes to stdout.
func formatOf(path, name string) (string, error) {
	var err error
	switch {
	case name == "" && path == "-":
		name = "json"
	case name == "" && filepath.Ext(path) == "."+castFormat:
		name = castFormat
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

// storedTranscript gives a session's transcript from its entries. Where its recorder did not come to read out all of it (killed, or
// behind), the raw log is read first.
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
	if isUnread(info, entries) {
		return reread(ctx, a, db, info)
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

// isUnread tells that entries may be missing: the recorder logs the exit last.
func isUnread(info *store.Info, entries []*session.Entry) bool {
	switch {
	case info.Status == store.Interrupted:
		return true
	case info.Status == store.Live || info.ExitCode == nil:
		return false
	}
	return !slices.ContainsFunc(entries, func(e *session.Entry) bool { return e.Event == session.EventExit })
}

// reread reads a session's raw log anew and replaces its entries.
func reread(ctx context.Context, a *app, db *store.Store, info *store.Info) (*session.Transcript, error) {
	t, damage, err := retranscribe(ctx, a, db, info)
	if err != nil {
		return nil, err
	}
	for _, d := range damage {
		a.notice("warning: %v", d)
	}
	if err := db.ReplaceEntries(ctx, info.ID, t.Entries); err != nil {
		return nil, err
	}
	return t, db.UpdateSession(ctx, &t.Session)
}
