package manage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Deleter deletes sessions of a database. All fields are required.
type Deleter struct {
	Store    *sqlite.Store
	Out      io.Writer                        // receives the list of the sessions
	Confirm  func(what string) error          // returns an error unless the user agrees
	Notice   func(format string, args ...any) // prints a notice to the user
	Terminal bool                             // a person waits, so explain what takes long
}

// Delete lists the sessions, asks the user to confirm, and deletes them. The errors have hints.
func (d Deleter) Delete(ctx context.Context, infos []*store.Info) error {
	ids, err := d.Store.IDs(ctx)
	if err != nil {
		return err
	}
	short, now := listing.NewShortIDs(ids), time.Now()
	var size int64
	for _, info := range infos {
		size += info.StoredBytes
		fmt.Fprintf(d.Out, "%s  %s  %s\n", short.Of(info.ID), listing.Day(info.StartedAt.Local(), now),
			printable.Clip(listing.Title(info), 60))
	}
	what := fmt.Sprintf("%s, %s on disk", printable.Plural(len(infos), "session"), human.FormatSize(size))
	if err := d.Confirm("delete " + what); err != nil {
		return err
	}
	for _, info := range infos {
		if err := d.Store.DeleteSession(ctx, info.ID); err != nil {
			return err
		}
	}
	if err := d.scrub(ctx, what); err != nil {
		return err
	}
	d.Notice("deleted %s", what)
	return nil
}

// slowScrub is the size from which scrubbing a database takes some seconds, in bytes.
const slowScrub = 100 << 20

func (d Deleter) scrub(ctx context.Context, what string) error {
	if info, err := os.Stat(d.Store.Path()); err == nil && info.Size() > slowScrub && d.Terminal {
		d.Notice("overwriting deleted data in a database of %s", human.FormatSize(info.Size()))
	}
	if err := scrub(ctx, d.Store, what); err != nil {
		return err
	}
	for _, name := range d.Store.Damaged() {
		d.Notice("warning: deleted data may also be in %s, which `ptyrec doctor --repair` kept: delete that file if you "+
			"no longer need it", name)
	}
	return nil
}

// scrub removes deleted data from the database's files. The data is already deleted from the
// database. what names it in the error, which has a hint.
func scrub(ctx context.Context, db *sqlite.Store, what string) error {
	err := db.Scrub(ctx)
	if err == nil {
		return nil
	}
	hint := "run `ptyrec doctor --repair`"
	switch {
	case errors.Is(err, session.ErrBusy):
		hint = "close the other programs that use the database, and " + hint
	case errors.Is(err, session.ErrFull):
		hint = "make room on the disk, and " + hint
	}
	return failure.New(fmt.Errorf("deleted %s, but its data may still be in the database's files: %w", what, err), hint)
}

// DeleteOne deletes a session that the user has confirmed. It returns an explanatory error for a
// live session.
func DeleteOne(ctx context.Context, db *sqlite.Store, id string) error {
	info, err := db.Find(ctx, id)
	switch {
	case err != nil:
		return err
	case info.Status == store.Live:
		return errors.New("the session is being recorded: end it first")
	}
	if err := db.DeleteSession(ctx, info.ID); err != nil {
		return err
	}
	return scrub(ctx, db, "the session")
}
