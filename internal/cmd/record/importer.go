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
	"github.com/ptyrec/ptyrec/internal/human/bytesize"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/human/progress"
	"github.com/ptyrec/ptyrec/internal/sys/parallel"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Importer takes recordings into a database. All fields but Store and DryRun are needed.
type Importer struct {
	Store    *sqlite.Store                                                   // nil in a dry run without a database
	DryRun   bool                                                            // say what would be done, and do nothing
	Private  bool                                                            // what is imported is never sent to the server of a team
	Open     func(path string, seen func(n int)) (*archive.Recording, error) // may be called concurrently
	Out      io.Writer                                                       // gets a line for each recording
	Notice   func(format string, args ...any)                                // tells the user what else there is to know
	Progress *progress.Bar                                                   // of the bytes read

	bytes atomic.Int64 // read
}

// imported is what became of a recording.
type imported struct {
	info   *store.Info // nil: it could not be read
	known  bool        // it is in the database already
	failed bool        // nothing of it was imported, or not all
}

// Import imports the recordings at these paths, and says under which ids, and how much that was.
// What cannot be read does not stop the others; the error names all of them.
func (im *Importer) Import(ctx context.Context, paths []string) error {
	begun := time.Now()
	done := make([]imported, len(paths))
	err := parallel.Each(len(paths), func(i int) (err error) {
		done[i], err = im.one(ctx, paths[i])
		done[i].failed = err != nil
		return err
	})
	im.Progress.Finish()
	return errors.Join(err, im.tell(ctx, paths, done, begun))
}

// tell prints what was imported, under which id, and how much that was.
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
			fmt.Fprintf(im.Out, "%s: %s, %s\n", printable.Line(path), listing.Agent(d.info), printable.Clip(listing.Title(d.info), 60))
		default:
			fresh++
			fmt.Fprintf(im.Out, "%s  %s: %s, %s\n", short.Of(d.info.ID), printable.Line(path), listing.Agent(d.info), printable.Clip(listing.Title(d.info), 60))
		}
	}
	verb := "imported"
	switch {
	case im.DryRun:
		verb = "to be imported"
	case fresh > 0:
		verb += fmt.Sprintf(" (%s in %v)", bytesize.Format(im.bytes.Load()), time.Since(begun).Round(100*time.Millisecond))
	}
	text := fmt.Sprintf("%d %s, %d there already", fresh, verb, known)
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if failed < len(done) || len(done) > 1 { // else the error has said it
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

// put stores a recording under t's id, unless it is known, whose id t then gets, or this is but a
// dry run.
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
	if errors.Is(err, session.ErrExists) { // another has been faster
		return true, nil
	}
	return false, err
}
