package doctor

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// database examines the database, which may not exist yet.
func (x *examination) database(ctx context.Context) error {
	path := x.Path
	there, err := sqlite.Exists(path)
	if err != nil {
		x.say(Bad, "database", "%v%s", err, advice(path, err))
	}
	if !there {
		if err == nil {
			x.say(Note, "database", "%s does not exist yet; the first recording creates it", path)
		}
		return nil
	}
	x.permissions(path)
	x.journals(path)
	x.db, err = x.Open(ctx)
	if errors.Is(err, session.ErrCorrupt) {
		x.say(x.mended(), "database", "%v", err)
		if !x.Repair {
			return nil // the report counts it
		}
		err = x.salvage(ctx, path)
	}
	if err != nil {
		x.say(Bad, "database", "%v%s", err, advice(path, err))
		return err
	}
	version, newest, err := x.db.Version(ctx)
	if err != nil {
		return err
	}
	x.say(OK, "database", "%s, schema version %d of %d", path, version, newest)
	if err := x.files(ctx, path); err != nil {
		return err
	}
	return x.sessions(ctx)
}

// journals examines the journals, before they are imported.
func (x *examination) journals(path string) {
	states, err := sqlite.InspectJournals(path)
	if err != nil {
		x.say(Bad, "journals", "%v%s", err, advice(sqlite.JournalFolder(path), err))
	}
	for _, s := range states {
		switch {
		case s.Aside:
			x.say(Note, "journal", "%s is damaged, or no part of its session: what could be read is stored, and the file kept",
				s.Path)
		case s.Err != nil:
			x.sayOf(s.Session, Bad, "journal", "%v%s", s.Err, advice(s.Path, s.Err))
			x.hidden[s.Session] = true
		case s.Torn > 0:
			x.sayOf(s.Session, Lost, "journal",
				"its recorder was stopped while it wrote: the last %d bytes are no whole event and are cut off", s.Torn)
		}
	}
}

// files examines the full-text index and the file.
func (x *examination) files(ctx context.Context, path string) error {
	defer x.showSeconds("checking the file and the index")()
	if x.Repair { // in this order: the file may be intact behind a damaged index
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

// file examines the file. With Repair it copies the readable data of a damaged one into a new one.
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
		x.say(OK, "file", "whole")
		return x.scrub(ctx)
	case !x.Repair:
		return nil
	}
	if err := x.db.Close(); err != nil {
		return err
	}
	return x.salvage(ctx, path)
}

// salvage copies the readable data of a damaged file into a new one, and opens that.
func (x *examination) salvage(ctx context.Context, path string) error {
	kept, saved, err := sqlite.Salvage(ctx, path)
	if errors.Is(err, session.ErrBusy) {
		return failure.New(err,
			"end all recorded sessions, and repair the database from a shell that is not recorded (bash --norc)")
	}
	if err != nil {
		return err
	}
	x.say(Mended, "file", "copied %s, %s of raw logs and %d entries into a new one; the damaged one is %s",
		printable.Plural(saved.Sessions, "session"), printable.Plural(saved.Segments, "part"), saved.Entries, kept)
	if saved.Orphans > 0 {
		x.say(Lost, "file", "the command, folder and window of %s", printable.Plural(saved.Orphans, "session"))
	}
	x.db, err = x.OpenNew(ctx)
	return err
}

// scrub removes, with Repair, the data that redact could not remove while others were reading the
// file.
func (x *examination) scrub(ctx context.Context) error {
	if !x.Repair {
		return nil
	}
	err := x.db.Scrub(ctx)
	if errors.Is(err, session.ErrBusy) {
		x.say(Note, "file", "other programs use it: deleted data may still be in it")
		return nil
	}
	return err
}

// permissions examines who can read the database's files, and makes them private with Repair.
func (x *examination) permissions(path string) {
	exposed, err := sqlite.Exposed(path)
	if err != nil {
		x.say(Bad, "permissions", "%v", err)
		return
	}
	if x.Repair {
		if err := sqlite.Protect(path); err != nil {
			x.say(Bad, "permissions", "%v", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(exposed)) {
		x.say(x.mended(), "permissions", "other users can read %s: its mode is %#o", name, uint32(exposed[name]))
	}
	if len(exposed) == 0 {
		x.say(OK, "permissions", "no one else can read it")
	}
}

// index examines the full-text index, and rebuilds it with Repair.
func (x *examination) index(ctx context.Context) error {
	missing, stale, err := x.db.CheckIndex(ctx)
	if errors.Is(err, session.ErrNotWritable) && !x.Repair {
		x.say(Note, "index", "not examined: the database cannot be written")
		return nil
	}
	if errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrNotWritable) {
		return err
	}
	if x.Repair {
		// If the entries cannot be read either, file creates a new database with a new index.
		if err := x.db.Reindex(ctx); err != nil && !errors.Is(err, session.ErrCorrupt) {
			return err
		}
	}
	switch {
	case err != nil:
		x.say(x.mended(), "index", "%v", err)
	case missing+stale > 0:
		x.say(x.mended(), "index", "%d messages are missing, %d should not be in it", missing, stale)
	default:
		x.say(OK, "index", "it has all messages")
	}
	return nil
}
