package opener

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Store opens the database until the command ends. It creates the database if needed.
func (o *Opener) Store(ctx context.Context) (*sqlite.Store, error) {
	defer o.opened()
	return o.store(ctx)
}

func (o *Opener) store(ctx context.Context) (*sqlite.Store, error) {
	path, err := o.Database()
	if err != nil {
		return nil, err
	}
	s, err := openDatabase(ctx, path, databaseWait)
	if err != nil {
		return nil, err
	}
	o.CloseLater(s)
	return s, o.importJournals(ctx, s)
}

// importJournals imports the journals next to the database. What cannot be imported now can be read
// from the journals.
func (o *Opener) importJournals(ctx context.Context, s *sqlite.Store) error {
	bar := o.Progress("storing what was recorded", "", 0)
	defer bar.Finish()
	var seen, all int64
	_ = s.ImportJournals(ctx, func(done, total int64) { // doctor reports what stays
		bar.Grow(total - all)
		bar.Add(int(done - seen))
		seen, all = done, total
	})
	return ctx.Err()
}

// databaseWait is how long a command waits for a database that other programs have locked.
const databaseWait = 10 * time.Second

func openDatabase(ctx context.Context, path string, wait time.Duration) (*sqlite.Store, error) {
	s, err := sqlite.OpenWaiting(ctx, path, wait)
	if errors.Is(err, session.ErrCorrupt) {
		return nil, failure.New(err,
			"`ptyrec doctor --repair` copies what can be read into a new database, and keeps this one")
	}
	return s, err
}

// ErrNoDatabase reports that there is no database yet.
var ErrNoDatabase = errors.New("there is no database")

// Existing opens the database for reading, and does not create it. If it cannot be used, the result
// has only the sessions with a journal.
func (o *Opener) Existing(ctx context.Context) (*sqlite.Store, error) {
	defer o.opened()
	return o.existing(ctx)
}

func (o *Opener) existing(ctx context.Context) (*sqlite.Store, error) {
	s, err := o.Usable(ctx)
	if err == nil {
		if o.Hidden = s.Unreadable(); o.Hidden != nil {
			o.Notice("warning: some recordings are not shown: %v; `ptyrec doctor` explains how to repair it", o.Hidden)
		}
	}
	if errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrCorrupt) || errors.Is(err, session.ErrFull) ||
		errors.Is(err, fs.ErrNotExist) {
		return o.beside(ctx, err)
	}
	return s, err
}

// Usable opens the database for reading, or returns an error if it cannot be used.
func (o *Opener) Usable(ctx context.Context) (*sqlite.Store, error) {
	path, err := o.Database()
	if err != nil {
		return nil, err
	}
	there, err := sqlite.Exists(path)
	switch {
	case !there && err != nil:
		return nil, failure.New(fmt.Errorf("the sessions in %s cannot be read: %w", path, err),
			"`ptyrec doctor` says what is wrong")
	case !there:
		return nil, failure.New(fmt.Errorf("%w at %s", ErrNoDatabase, path), "record a session first: ptyrec run -- COMMAND")
	}
	s, err := o.store(ctx)
	if errors.Is(err, session.ErrNotWritable) || errors.Is(err, session.ErrFull) {
		var readErr error
		if s, readErr = sqlite.OpenReadOnly(ctx, path); readErr == nil {
			o.CloseLater(s)
			return s, nil
		}
		if !errors.Is(err, session.ErrFull) { // otherwise there is no database because the disk is full
			err = readErr
		}
	}
	return s, err
}

// beside opens the journals for a database that cannot be read because of cause. It returns cause
// if there are none.
func (o *Opener) beside(ctx context.Context, cause error) (*sqlite.Store, error) {
	path, err := o.Database()
	if err != nil {
		return nil, err
	}
	s, err := sqlite.Beside(path, cause)
	if err != nil {
		return nil, err
	}
	if _, err := s.Sessions(ctx, store.Filter{Limit: 1}); err != nil {
		return nil, cause
	}
	o.Notice("warning: %v; only the sessions that are not in it yet are shown", cause)
	return s, nil
}
