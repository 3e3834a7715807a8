package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Importer imports recordings into a database. All fields except Store and DryRun are required.
type Importer struct {
	Store    *sqlite.Store                                                   // nil in a dry run without a database
	DryRun   bool                                                            // only report what would be imported
	Private  bool                                                            // exclude imported sessions from sync
	Open     func(path string, seen func(n int)) (*archive.Recording, error) // may be called concurrently
	Out      io.Writer                                                       // receives a line for each recording
	Notice   func(format string, args ...any)                                // prints a notice to the user
	Progress *human.Bar                                                      // counts the bytes read

	bytes atomic.Int64 // number of bytes read
}

// imported is the result for a recording.
type imported struct {
	info   *store.Info // nil if it could not be read
	known  bool        // the database already contains it
	failed bool        // it was not, or not completely, imported
}

// Import imports the recordings at these paths, and prints their ids and totals. An unreadable
// recording does not stop the others; the error names all of them.
func (im *Importer) Import(ctx context.Context, paths []string) error {
	begun := time.Now()
	done := make([]imported, len(paths))
	err := sys.OnAllCores(len(paths), func(i int) (err error) {
		done[i], err = im.one(ctx, paths[i])
		done[i].failed = err != nil
		return err
	})
	im.Progress.Finish()
	return errors.Join(err, im.tell(ctx, paths, done, begun))
}

// tell prints what was imported, with ids and totals.
func (im *Importer) tell(ctx context.Context, paths []string, done []imported, begun time.Time) error {
	var short listing.ShortIDs
	if im.Store != nil {
		ids, err := im.Store.IDs(ctx)
		if err != nil {
			return err
		}
		short = listing.NewShortIDs(ids)
	}
	fresh, known, failed := 0, 0, 0
	for i, d := range done {
		path := printable.Line(paths[i])
		if d.failed {
			failed++
		}
		switch {
		case d.info == nil:
		case d.known:
			known++
			im.Notice("%s is already in the database as %s", path, short.Of(d.info.ID))
		case im.DryRun:
			fresh++
			fmt.Fprintf(im.Out, "%s: %s, %s\n", printable.Line(path), listing.Agent(d.info),
				printable.Clip(listing.Title(d.info), 60))
		default:
			fresh++
			fmt.Fprintf(im.Out, "%s  %s: %s, %s\n", short.Of(d.info.ID), printable.Line(path), listing.Agent(d.info),
				printable.Clip(listing.Title(d.info), 60))
		}
	}
	verb := "imported"
	switch {
	case im.DryRun:
		verb = "to be imported"
	case fresh > 0:
		verb += fmt.Sprintf(" (%s in %v)", human.FormatSize(im.bytes.Load()), time.Since(begun).Round(100*time.Millisecond))
	}
	text := fmt.Sprintf("%d %s, %d already there", fresh, verb, known)
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if failed < len(done) || len(done) > 1 { // otherwise the error has already said it
		im.Notice("%s", text)
	}
	return nil
}

func (im *Importer) one(ctx context.Context, path string) (imported, error) {
	rec, err := im.Open(path, func(n int) {
		im.bytes.Add(int64(n))
		im.Progress.Add(n)
	})
	if err != nil {
		return imported{}, err
	}
	defer rec.Close()
	raw := store.NewRecording(rec.Session.Cols, rec.Session.Rows)
	t, readErr := rec.Transcribe(raw.Write)
	known, err := im.put(ctx, t, raw)
	if err != nil {
		return imported{}, fmt.Errorf("%s: %w", path, err)
	}
	if warning := rec.Warning(); warning != "" {
		im.Notice("%s: %s", path, warning)
	}
	return imported{info: &store.Info{Session: t.Session}, known: known}, readErr
}

// put stores a recording with t's id. If the recording is already known, t gets its id instead. In
// a dry run it stores nothing.
func (im *Importer) put(ctx context.Context, t *session.Transcript, raw *store.Recording) (known bool, err error) {
	if im.Store != nil {
		id, err := im.Store.FindRecording(ctx, raw)
		if err == nil {
			t.Session.ID = id
		}
		if !errors.Is(err, session.ErrNotFound) {
			return err == nil, err
		}
	}
	if im.DryRun {
		return false, nil
	}
	t.Session.Private = im.Private
	if err = im.Store.Import(ctx, &t.Session, raw, t.Entries); err == nil {
		err = im.Store.PutScreenUsage(ctx, t.Session.ID, t.Usage)
	}
	if errors.Is(err, session.ErrExists) { // another process has imported it meanwhile
		return true, nil
	}
	return false, err
}
