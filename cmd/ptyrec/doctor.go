package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/detached"
	"github.com/ptyrec/ptyrec/internal/parallel"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/internal/rundir"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

type doctorFlags struct {
	repair, all, json bool
}

func newDoctorCmd(a *app) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"check", "repair"},
		Short:      "Check the database, the terminal and the surroundings; --repair mends",
		Long: `Doctor reads the whole database and reports what is damaged or lost in each session. It also checks
the terminal and the installed agents. With --repair it rebuilds the full-text index, extracts
sessions again whose entries are damaged or missing (other entries keep their ids), makes the files
private, and removes deleted data from the file. What a raw log has lost stays lost. The exit status
is 1 if something is still wrong in the end.`,
		Example: "  ptyrec doctor\n  ptyrec doctor --repair\n  ptyrec doctor --json",
		Args:    operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.all && !f.repair {
				return usageError(errors.New("--all goes with --repair"))
			}
			return doctor(cmd.Context(), a, f)
		},
	}
	cmd.Flags().BoolVar(&f.repair, "repair", false, "rebuild the index, and the entries that need it, from the raw logs")
	cmd.Flags().BoolVar(&f.all, "all", false, "with --repair: read all sessions again")
	cmd.Flags().BoolVar(&f.json, "json", false, "as JSON")
	return cmd
}

// Verdicts of an examination. "lost" is what nobody can bring back: it is told, and no failure.
const (
	verdictOK     = "ok"
	verdictNote   = "note"
	verdictLost   = "lost"
	verdictBad    = "bad"
	verdictMended = "mended"
)

// finding is one thing that the doctor has to say.
type finding struct {
	Verdict string `json:"verdict"`
	What    string `json:"what"`
	Session string `json:"session,omitempty"`
	Detail  string `json:"detail"`
}

// examination is a visit to the doctor.
type examination struct {
	app      *app
	flags    doctorFlags
	db       *store.Store
	findings []finding
}

func (x *examination) say(verdict, what, format string, args ...any) {
	x.findings = append(x.findings, finding{Verdict: verdict, What: what, Detail: fmt.Sprintf(format, args...)})
}

func (x *examination) sayOf(id, verdict, what, format string, args ...any) {
	x.findings = append(x.findings, finding{Verdict: verdict, What: what, Session: id, Detail: fmt.Sprintf(format, args...)})
}

// mended returns the verdict on something that --repair takes care of.
func (x *examination) mended() string {
	if x.flags.repair {
		return verdictMended
	}
	return verdictBad
}

func doctor(ctx context.Context, a *app, f doctorFlags) error {
	x := &examination{app: a, flags: f}
	err := x.database(ctx)
	x.folders()
	x.terminal()
	x.agents()
	if err := x.report(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	bad := 0
	for _, f := range x.findings {
		if f.Verdict == verdictBad {
			bad++
		}
	}
	if bad > 0 {
		return fail(fmt.Errorf("%d things are wrong", bad), "`ptyrec doctor --repair` mends what can be mended; make a copy of the database first")
	}
	return nil
}

func (x *examination) report() error {
	if x.flags.json {
		return cli.WriteJSON(x.app.stdout, map[string]any{"findings": x.findings})
	}
	for _, f := range x.findings {
		what := f.What
		if f.Session != "" {
			what += " " + f.Session
		}
		if _, err := fmt.Fprintf(x.app.stdout, "%-6s  %s: %s\n", f.Verdict, printable.Line(what), printable.Line(f.Detail)); err != nil {
			return err
		}
	}
	return nil
}

// database examines the database; there may be none yet.
func (x *examination) database(ctx context.Context) error {
	path, err := x.app.dbPath()
	if err != nil {
		return err
	}
	if !store.Exists(path) {
		x.say(verdictNote, "database", "%s is not there yet; the first recording makes it", path)
		return nil
	}
	x.permissions(path)
	if err := x.journals(path); err != nil {
		return err
	}
	x.db, err = x.app.openUsable(ctx)
	if errors.Is(err, session.ErrCorrupt) {
		x.say(x.mended(), "database", "%v", err)
		if !x.flags.repair {
			return nil // report counts it
		}
		err = x.salvage(ctx, path)
	}
	if err != nil {
		x.say(verdictBad, "database", "%v", err)
		return err
	}
	version, newest, err := x.db.Version(ctx)
	if err != nil {
		return err
	}
	x.say(verdictOK, "database", "%s, schema version %d of %d", path, version, newest)
	if err := x.files(ctx, path); err != nil {
		return err
	}
	return x.sessions(ctx)
}

// journals examines what is recorded beside the database, before that takes it in.
func (x *examination) journals(path string) error {
	states, err := store.InspectJournals(path)
	for _, s := range states {
		switch {
		case s.Aside:
			x.say(verdictNote, "journal", "%s is damaged, or no part of its session: what could be read is stored, and the file kept", s.Path)
		case s.Err != nil:
			x.sayOf(s.Session, verdictBad, "journal", "%v", s.Err)
		case s.Torn > 0:
			x.sayOf(s.Session, verdictLost, "journal", "its recorder was stopped while it wrote: the last %d bytes are no whole event and are cut off", s.Torn)
		}
	}
	return err
}

// files examines the full-text index and the file.
func (x *examination) files(ctx context.Context, path string) error {
	defer x.app.showSeconds("checking the file and the index")()
	if x.flags.repair { // in order: the file may be whole behind the index
		if err := x.index(ctx); err != nil {
			return err
		}
		return x.file(ctx, path)
	}
	return x.sideBySide(2, func(part *examination, i int) error {
		if i == 0 {
			return part.index(ctx)
		}
		return part.file(ctx, path)
	})
}

// sideBySide runs n parts of an examination on all cores, and reports what they find in order.
func (x *examination) sideBySide(n int, examine func(part *examination, i int) error) error {
	parts := make([]examination, n)
	err := parallel.Each(n, func(i int) error {
		parts[i] = examination{app: x.app, flags: x.flags, db: x.db}
		return examine(&parts[i], i)
	})
	for i := range parts {
		x.findings = append(x.findings, parts[i].findings...)
	}
	return err
}

// showSeconds shows on a terminal how long work of unknown length has taken, until done is called.
func (a *app) showSeconds(label string) (done func()) {
	shown := a.progress(label, "s", 0)
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		defer shown.Finish()
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-tick.C:
				shown.Add(1)
			case <-over:
				tick.Stop()
				return
			}
		}
	}()
	return func() { close(over); <-stopped }
}

// file examines the file, and with --repair copies what can be read of a damaged one into a new
// one.
func (x *examination) file(ctx context.Context, path string) error {
	problems, err := x.db.Check(ctx)
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, p := range problems {
		x.say(x.mended(), "file", "%s", p)
	}
	switch {
	case len(problems) == 0:
		x.say(verdictOK, "file", "whole")
		return x.scrub(ctx)
	case !x.flags.repair:
		return nil
	}
	if err := x.db.Close(); err != nil {
		return err
	}
	return x.salvage(ctx, path)
}

// salvage copies what can be read of a damaged file into a new one, and opens that.
func (x *examination) salvage(ctx context.Context, path string) error {
	kept, saved, err := store.Salvage(ctx, path)
	if errors.Is(err, session.ErrBusy) {
		return fail(err, "end all recorded sessions, and repair the database from a shell that is not recorded (bash --norc)")
	}
	if err != nil {
		return err
	}
	x.say(verdictMended, "file", "copied %s, %s of raw logs and %d entries into a new one; the damaged one is %s",
		cli.Plural(saved.Sessions, "session"), cli.Plural(saved.Segments, "part"), saved.Entries, kept)
	if saved.Orphans > 0 {
		x.say(verdictLost, "file", "the command, folder and window of %s", cli.Plural(saved.Orphans, "session"))
	}
	x.db, err = x.app.openStore(ctx)
	return err
}

// scrub, with --repair, takes out of the file what redact could not while others read it.
func (x *examination) scrub(ctx context.Context) error {
	if !x.flags.repair {
		return nil
	}
	err := x.db.Scrub(ctx)
	if errors.Is(err, session.ErrBusy) {
		x.say(verdictNote, "file", "other programs use it: what was deleted may still be in it")
		return nil
	}
	return err
}

func (x *examination) permissions(path string) {
	exposed, err := store.Exposed(path)
	if err != nil {
		x.say(verdictBad, "permissions", "%v", err)
		return
	}
	if x.flags.repair {
		if err := store.Protect(path); err != nil {
			x.say(verdictBad, "permissions", "%v", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(exposed)) {
		x.say(x.mended(), "permissions", "%s is open to others: %#o", name, uint32(exposed[name]))
	}
	if len(exposed) == 0 {
		x.say(verdictOK, "permissions", "nobody else can read it")
	}
}

// index examines the full-text index, and rebuilds it with --repair.
func (x *examination) index(ctx context.Context) error {
	missing, stale, err := x.db.CheckIndex(ctx)
	if errors.Is(err, session.ErrNotWritable) && !x.flags.repair {
		x.say(verdictNote, "index", "not examined: the database cannot be written")
		return nil
	}
	if errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrNotWritable) {
		return err
	}
	if x.flags.repair {
		// Where the entries cannot be read either, file makes a new database, and its
		// index.
		if err := x.db.Reindex(ctx); err != nil && !errors.Is(err, session.ErrCorrupt) {
			return err
		}
	}
	switch {
	case err != nil:
		x.say(x.mended(), "index", "%v", err)
	case missing+stale > 0:
		x.say(x.mended(), "index", "%d messages are not in it, %d are that should not be", missing, stale)
	default:
		x.say(verdictOK, "index", "all messages are in it")
	}
	return nil
}

// sessions examines each session.
func (x *examination) sessions(ctx context.Context) error {
	infos, err := x.db.Sessions(ctx, store.Filter{})
	if err != nil {
		x.say(verdictBad, "sessions", "%v", err)
		return err
	}
	x.say(verdictOK, "sessions", "%d", len(infos))
	bar := newCounter(x.app, "checking sessions", "sessions", len(infos))
	defer bar.Finish()
	return x.sideBySide(len(infos), func(part *examination, i int) error {
		if err := part.session(ctx, infos[i]); err != nil {
			part.sayOf(infos[i].ID, verdictBad, "session", "%v", err)
		}
		bar.Add(1)
		return ctx.Err()
	})
}

func (x *examination) session(ctx context.Context, info *store.Info) error {
	damage, events, err := rawDamage(ctx, x.db, info)
	if err != nil {
		return err
	}
	for _, d := range damage {
		x.sayOf(info.ID, verdictLost, "raw log", "output bytes %d to %d, from %s to %s: %v", d.StartByte, d.EndByte,
			d.StartAt.Round(time.Millisecond), d.EndAt.Round(time.Millisecond), reason(d))
	}
	if info.Status == store.Interrupted {
		x.sayOf(info.ID, verdictLost, "interrupted", "its recorder was stopped; recorded up to %s, output byte %d",
			info.StartedAt.Add(info.Duration).Local().Format(time.DateTime), info.RawBytes)
	}
	return x.entries(ctx, info, len(damage) > 0, events == 0)
}

func reason(d *store.Damage) string {
	if d.Err == nil {
		return "missing"
	}
	return cli.OneLine(d.Err.Error())
}

// rawDamage reads all of a raw log.
func rawDamage(ctx context.Context, db *store.Store, info *store.Info) (damage []*store.Damage, events int, err error) {
	source := archive.NewRawLog(ctx, db, info.ID, 0)
	defer source.Stop()
	for {
		if _, err := source.Next(); err != nil {
			source.Missing(info)
			return source.Damage, events, archive.IgnoreEnd(err)
		}
		events++
	}
}

// entries examines a session's entries, and reads them from the raw log again where that makes them
// better.
func (x *examination) entries(ctx context.Context, info *store.Info, damaged, empty bool) error {
	old, err := x.db.Entries(ctx, info.ID) // what cannot be read has no ids to keep
	if err != nil && !errors.Is(err, session.ErrCorrupt) {
		return err
	}
	whole := err == nil && messages(old) == info.Messages
	cut := info.Status == store.Interrupted
	unread := info.Unread && !cut
	wanted := !whole || unread || x.flags.repair && (cut || x.flags.all) && !damaged
	if info.Status == store.Live || !wanted || empty {
		return nil
	}
	if x.flags.repair {
		if err := x.rebuild(ctx, info, old); err != nil {
			return err
		}
	}
	switch {
	case err != nil:
		x.sayOf(info.ID, x.mended(), "entries", "damaged: %v", err)
	case !whole:
		x.sayOf(info.ID, x.mended(), "entries", "some are missing")
	case unread:
		verdict := verdictNote
		if x.flags.repair {
			verdict = verdictMended
		}
		x.sayOf(info.ID, verdict, "entries", "the conversation is not read out to its end; show, export and search do it when they come to it")
	default:
		x.sayOf(info.ID, verdictMended, "entries", "read again")
	}
	return nil
}

func messages(entries []*session.Entry) (n int) {
	for _, e := range entries {
		if e.Type == session.TypeMessage {
			n++
		}
	}
	return n
}

func (x *examination) rebuild(ctx context.Context, info *store.Info, old []*session.Entry) error {
	lib, err := x.app.library(x.db)
	if err != nil {
		return err
	}
	t, _, err := lib.Reread(ctx, info)
	if err != nil {
		return err
	}
	session.KeepIDs(old, t.Entries)
	return errors.Join(x.db.ReplaceEntries(ctx, info.ID, store.List(t.Entries)), x.db.UpdateSession(ctx, &t.Session))
}

// terminal says what ptyrec sees of the terminal.
func (x *examination) terminal() {
	a := x.app
	if !isTerminal(a.stdout) && !isTerminal(a.stdin) {
		x.say(verdictNote, "terminal", "none here; TERM=%s", os.Getenv("TERM"))
		return
	}
	cols, rows := recorder.WindowSize(a.stdout, a.stdin)
	x.say(verdictOK, "terminal", "%dx%d, TERM=%s COLORTERM=%s LANG=%s", cols, rows, os.Getenv("TERM"), os.Getenv("COLORTERM"), os.Getenv("LANG"))
	if outer := os.Getenv(detached.Variable); outer != "" {
		x.say(verdictNote, "terminal", "this runs in the recorded session %s", outer)
	}
}

func (x *examination) agents() {
	for _, name := range agentNames {
		path, err := exec.LookPath(name)
		if err != nil {
			x.say(verdictNote, "agent", "%s is not on PATH", name)
			continue
		}
		x.say(verdictOK, "agent", "%s is %s", name, path)
	}
}

// folders examines the folders that sockets of live sessions are in.
func (x *examination) folders() {
	folders := rundir.Folders()
	if path, err := x.app.dbPath(); err == nil {
		folders = append(folders, rundir.Links(path))
	}
	for _, dir := range folders {
		switch err := rundir.Check(dir); {
		case err == nil:
			x.say(verdictOK, "sockets", "%s", dir)
		case !errors.Is(err, fs.ErrNotExist):
			x.say(verdictBad, "sockets", "%v; sessions use another folder, and are found through the database: remove this one, or chmod 700 it if it is yours", err)
		}
	}
}
