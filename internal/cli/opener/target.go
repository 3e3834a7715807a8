package opener

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Target is what an argument names: a session of the database, or a recording's file.
type Target struct {
	Ref  archive.Ref
	File string        // path of a recording, or "-"; empty for a session
	DB   *sqlite.Store // nil for a file
	Info *store.Info
}

// Resolve finds what the first of args names, or else the last session. A name with a dot or a
// slash, and "-", is a file; any other is a session, or a file if there is no such session. If both
// exist, it returns an error.
func (o *Opener) Resolve(ctx context.Context, args []string) (Target, error) {
	name := archive.Last
	if len(args) > 0 {
		name = args[0]
	}
	if name == "-" || cli.IsPath(name) || strings.ContainsAny(name, "./") && IsFile(name) {
		return fileTarget(name)
	}
	ref, err := parseRef(name)
	if err != nil {
		return Target{}, err
	}
	db, info, err := o.named(ctx, ref.Session)
	found := err == nil || errors.Is(err, session.ErrAmbiguous)
	beside := len(args) > 0 && !o.Named && IsFile(ref.Session)
	switch {
	case found && beside:
		return Target{}, failure.Misuse(fmt.Sprintf("write ./%s for the file, --session %[1]s for the session",
			ref.Session), "%q is both a session and a file", ref.Session)
	case beside && errors.Is(err, session.ErrNotFound), beside && errors.Is(err, ErrNoDatabase):
		return Target{Ref: ref, File: ref.Session}, nil
	}
	return Target{Ref: ref, DB: db, Info: info}, err
}

// fileTarget returns the file with this name, or the part of one that a #N at the end selects.
func fileTarget(name string) (Target, error) {
	t := Target{File: name}
	if IsFile(name) {
		return t, nil
	}
	ref, err := parseRef(name)
	if err == nil && !ref.Whole() && IsFile(ref.Session) {
		return Target{Ref: ref, File: ref.Session}, nil
	}
	if _, err := os.Stat(name); err != nil {
		return t, nil //nolint:nilerr // opening it reports the error
	}
	return t, failure.New(fmt.Errorf("%s is a folder, and %w", name, session.ErrNotRecording),
		"name a recording, or import all of them: ptyrec import "+name)
}

// Session opens what the first of args names, or else the last session. A recording's file is
// imported into its own temporary database, which is removed when the command ends.
func (o *Opener) Session(ctx context.Context, args []string) (*sqlite.Store, *store.Info, archive.Ref, error) {
	defer o.opened()
	return o.session(ctx, args)
}

func (o *Opener) session(ctx context.Context, args []string) (*sqlite.Store, *store.Info, archive.Ref, error) {
	t, err := o.Resolve(ctx, args)
	if err == nil && t.File != "" {
		t.DB, t.Info, err = o.File(ctx, t.File)
	}
	return t.DB, t.Info, t.Ref, err
}

// Whole is like Session, for a command that needs a whole session.
func (o *Opener) Whole(ctx context.Context, args []string) (*sqlite.Store, *store.Info, error) {
	db, info, ref, err := o.session(ctx, args)
	if err == nil && !ref.Whole() {
		err = WholeOnly(ref)
	}
	return db, info, err
}

// Stored is like Session, for a command that changes a session in the database.
func (o *Opener) Stored(ctx context.Context, args []string) (*sqlite.Store, *store.Info, archive.Ref, error) {
	t, err := o.Resolve(ctx, args)
	if err == nil && t.File != "" {
		err = failure.Misuse("import it first: ptyrec import "+t.File, "%s is a file that is not in the database", t.File)
	}
	return t.DB, t.Info, t.Ref, err
}

// WholeOnly returns the error of a command that needs a whole session and was passed a part of one.
func WholeOnly(ref archive.Ref) error {
	return failure.Misuse("name the session without #"+fmt.Sprint(ref.First),
		"this needs a whole session, not a part of one")
}

// named opens the database and finds the session with this name.
func (o *Opener) named(ctx context.Context, name string) (*sqlite.Store, *store.Info, error) {
	db, err := o.existing(ctx)
	if err != nil {
		return nil, nil, err
	}
	info, err := Find(ctx, db, name)
	return db, info, err
}

// File imports a recording into its own temporary database.
func (o *Opener) File(ctx context.Context, path string) (*sqlite.Store, *store.Info, error) {
	rec, err := o.Recording(path, func(int) {})
	if err != nil {
		return nil, nil, err
	}
	defer rec.Close()
	dir, err := os.MkdirTemp("", "ptyrec-")
	if err != nil {
		return nil, nil, err
	}
	done := o.Temps.Add(dir)
	o.CloseLater(Closer(func() error {
		defer done()
		return os.RemoveAll(dir)
	}))
	db, err := openDatabase(ctx, filepath.Join(dir, "ptyrec.db"), databaseWait)
	if err != nil {
		return nil, nil, err
	}
	o.CloseLater(db)
	if err := db.CreateSession(ctx, &rec.Session); err != nil {
		return nil, nil, err
	}
	raw := store.NewRecording(rec.Session.Cols, rec.Session.Rows)
	var putErr error
	t, readErr := rec.Transcribe(func(e session.Event) {
		raw.Write(e)
		if putErr == nil { // what is complete need not stay in memory
			putErr = db.PutSegments(ctx, rec.Session.ID, raw.Take())
		}
	})
	switch {
	case putErr != nil:
		return nil, nil, putErr
	case readErr != nil && len(t.Entries) == 0:
		return nil, nil, readErr
	case readErr != nil:
		o.Notice("warning: %v", readErr)
	}
	if warning := rec.Warning(); warning != "" {
		o.Notice("%s: %s", path, warning)
	}
	if err := db.FinishImport(ctx, &t.Session, raw, t.Entries); err != nil {
		return nil, nil, err
	}
	info, err := db.Find(ctx, t.Session.ID)
	return db, info, err
}

// IsFile reports whether a name is that of a recording's file, not a session's id.
func IsFile(name string) bool {
	info, err := os.Stat(name)
	return name == "-" || err == nil && !info.IsDir()
}
