package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/listing"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// aliasSession adds the flag --session to a command, as another way to name the session that is its
// first argument.
func aliasSession(a *app, cmd *cobra.Command) {
	var ref string
	cmd.Flags().StringVar(&ref, "session", "", "the session `S`, instead of the argument")
	_ = cmd.Flags().MarkHidden("session") // the argument is the way
	_ = cmd.RegisterFlagCompletionFunc("session", completeSessions(a))
	with := func(args []string) []string {
		if a.sessionFlag = cmd.Flags().Changed("session"); a.sessionFlag {
			args = append([]string{ref}, args...)
		}
		return args
	}
	check, run := cmd.Args, cmd.RunE
	if check == nil {
		check = operands(0, -1)
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error { return check(cmd, with(args)) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, with(args)) }
}

// parseRef is archive.ParseRef with a hint.
func parseRef(text string) (archive.Ref, error) {
	r, err := archive.ParseRef(text)
	if err != nil {
		return r, &cli.Failure{Err: err, Hint: "write S#12 or S#4..S#12, with the numbers that show and search give", Status: cli.StatusUsage}
	}
	return r, nil
}

// target is what an argument names: a session of the database, or a recording's file.
type target struct {
	ref  archive.Ref
	file string       // a recording's path, or "-"; empty: a session
	db   *store.Store // nil: a file
	info *store.Info
}

// resolve finds what the first of args names, else the last session. A name with a dot or a slash,
// and -, is a file; any other is a session, or a file if there is no such session. If there are
// both, the error says so.
func (a *app) resolve(ctx context.Context, args []string) (target, error) {
	name := archive.Last
	if len(args) > 0 {
		name = args[0]
	}
	if name == "-" || cli.IsPath(name) || strings.ContainsAny(name, "./") && isFile(name) {
		return fileTarget(name)
	}
	ref, err := parseRef(name)
	if err != nil {
		return target{}, err
	}
	db, info, err := a.openNamed(ctx, ref.Session)
	found := err == nil || errors.Is(err, session.ErrAmbiguous)
	beside := len(args) > 0 && !a.sessionFlag && isFile(ref.Session)
	switch {
	case found && beside:
		return target{}, misuse(fmt.Sprintf("write ./%s for the file, --session %[1]s for the session", ref.Session), "%q is both a session and a file", ref.Session)
	case beside && errors.Is(err, session.ErrNotFound), beside && errors.Is(err, errNoDatabase):
		return target{ref: ref, file: ref.Session}, nil
	}
	return target{ref: ref, db: db, info: info}, err
}

// fileTarget is the file of this name, or the part of one that a #N at the end names.
func fileTarget(name string) (target, error) {
	t := target{file: name}
	if isFile(name) {
		return t, nil
	}
	ref, err := parseRef(name)
	if err == nil && !ref.Whole() && isFile(ref.Session) {
		return target{ref: ref, file: ref.Session}, nil
	}
	if _, err := os.Stat(name); err != nil {
		return t, nil //nolint:nilerr // opening it says what is wrong
	}
	return t, fail(fmt.Errorf("%s is a folder, and %w", name, session.ErrNotRecording), "name a recording, or import all of them: ptyrec import "+name)
}

// openSession opens what the first of args names, else the last session. A recording's file is
// opened as a session of a database of its own, which is removed when the command is over.
func (a *app) openSession(ctx context.Context, args []string) (*store.Store, *store.Info, archive.Ref, error) {
	t, err := a.resolve(ctx, args)
	if err == nil && t.file != "" {
		t.db, t.info, err = a.openFile(ctx, t.file)
	}
	return t.db, t.info, t.ref, err
}

// openWhole is openSession for a command that has no use for a part of a session.
func (a *app) openWhole(ctx context.Context, args []string) (*store.Store, *store.Info, error) {
	db, info, ref, err := a.openSession(ctx, args)
	if err == nil && !ref.Whole() {
		err = wholeOnly(ref)
	}
	return db, info, err
}

// openStored is openSession for a command that changes what the database has of a session.
func (a *app) openStored(ctx context.Context, args []string) (*store.Store, *store.Info, archive.Ref, error) {
	t, err := a.resolve(ctx, args)
	if err == nil && t.file != "" {
		err = misuse("import it first: ptyrec import "+t.file, "%s is a file that is not in the database", t.file)
	}
	return t.db, t.info, t.ref, err
}

func wholeOnly(ref archive.Ref) error {
	return misuse("name the session without #"+fmt.Sprint(ref.First), "this needs a whole session, not a part of one")
}

// openNamed opens the database and finds the session of this name.
func (a *app) openNamed(ctx context.Context, name string) (*store.Store, *store.Info, error) {
	db, err := a.openExisting(ctx)
	if err != nil {
		return nil, nil, err
	}
	info, err := findSession(ctx, db, name)
	return db, info, err
}

// openFile takes a recording into a database of its own.
func (a *app) openFile(ctx context.Context, path string) (*store.Store, *store.Info, error) {
	rec, err := a.openRecording(path, func(int) {})
	if err != nil {
		return nil, nil, err
	}
	defer rec.Close()
	dir, err := os.MkdirTemp("", "ptyrec-")
	if err != nil {
		return nil, nil, err
	}
	done := a.temps.Add(dir)
	a.closeLater(closer(func() error {
		defer done()
		return os.RemoveAll(dir)
	}))
	db, err := openDatabase(ctx, filepath.Join(dir, "ptyrec.db"), databaseWait)
	if err != nil {
		return nil, nil, err
	}
	a.closeLater(db)
	raw := store.NewRecording(rec.Session.Cols, rec.Session.Rows)
	t, readErr := rec.Transcribe(raw.Write)
	if readErr != nil && len(t.Entries) == 0 {
		return nil, nil, readErr
	}
	if readErr != nil {
		a.notice("warning: %v", readErr)
	}
	if warning := rec.Warning(); warning != "" {
		a.notice("%s: %s", path, warning)
	}
	if err := db.Import(ctx, &t.Session, raw, t.Entries); err != nil {
		return nil, nil, err
	}
	info, err := db.Find(ctx, t.Session.ID)
	return db, info, err
}

type closer func() error

func (c closer) Close() error { return c() }

// liveName is the live session that an argument names; #N of it means nothing here.
func liveName(arg string) (string, error) {
	if cli.IsPath(arg) {
		if _, err := os.Stat(arg); !errors.Is(err, fs.ErrNotExist) {
			return "", misuse("to see it: ptyrec play "+arg, "%s is a file, not a running session", arg)
		}
	}
	ref, err := parseRef(arg)
	return ref.Session, err
}

// missing says which numbers there are, if err is that an entry is missing.
func missing(err error) error {
	if e := (*archive.MissingError)(nil); errors.As(err, &e) {
		return fail(err, "`ptyrec show "+e.Session+"` shows the numbers")
	}
	return err
}

// shortID returns the beginning of an id that no other session shares.
func shortID(ctx context.Context, db *store.Store, id string) string {
	ids, err := db.IDs(ctx)
	if err != nil {
		return id
	}
	return listing.NewShortIDs(ids).Of(id)
}

// isFile reports whether a name is that of a recording's file, not a session's id.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return name == "-" || err == nil && !info.IsDir()
}
