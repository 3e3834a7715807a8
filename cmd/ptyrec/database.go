package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/listing"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// dbPath returns the path of the database.
func (a *app) dbPath() (string, error) {
	if a.dbFlag != "" {
		return a.dbFlag, nil
	}
	return config.DatabasePath(a.loadConfig)
}

// openStore opens the database until the command ends. It creates one if needed.
func (a *app) openStore(ctx context.Context) (*store.Store, error) {
	path, err := a.dbPath()
	if err != nil {
		return nil, err
	}
	s, err := openDatabase(ctx, path, databaseWait)
	if err != nil {
		return nil, err
	}
	a.closeLater(s)
	return s, a.takeIn(ctx, s)
}

// takeIn brings into the database what is beside it. What it does not take can be read there.
func (a *app) takeIn(ctx context.Context, s *store.Store) error {
	bar := a.progress("storing what was recorded", "", 0)
	defer bar.Finish()
	var seen, all int64
	_ = s.TakeIn(ctx, func(done, total int64) { // doctor reports what stays
		bar.Grow(total - all)
		bar.Add(int(done - seen))
		seen, all = done, total
	})
	return ctx.Err()
}

// databaseWait is how long a command waits for other programs that have locked the database.
const databaseWait = 10 * time.Second

func openDatabase(ctx context.Context, path string, wait time.Duration) (*store.Store, error) {
	s, err := store.OpenWaiting(ctx, path, wait)
	if errors.Is(err, session.ErrCorrupt) {
		return nil, fail(err, "`ptyrec doctor --repair` copies what can be read into a new database, and keeps this one")
	}
	return s, err
}

var errNoDatabase = errors.New("there is no database")

// openExisting opens the database for reading; a new one would be of no use. If it cannot be used,
// the sessions are those that only a journal describes.
func (a *app) openExisting(ctx context.Context) (*store.Store, error) {
	s, err := a.openUsable(ctx)
	if errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrCorrupt) || errors.Is(err, session.ErrFull) || errors.Is(err, fs.ErrNotExist) {
		return a.openBeside(ctx, err)
	}
	return s, err
}

// openUsable opens the database for reading, or returns an error if it cannot be used.
func (a *app) openUsable(ctx context.Context) (*store.Store, error) {
	path, err := a.dbPath()
	if err != nil {
		return nil, err
	}
	if !store.Exists(path) {
		return nil, fail(fmt.Errorf("%w at %s", errNoDatabase, path), "record a session first: ptyrec run -- COMMAND")
	}
	s, err := a.openStore(ctx)
	if errors.Is(err, session.ErrNotWritable) || errors.Is(err, session.ErrFull) {
		var readErr error
		if s, readErr = store.OpenReadOnly(ctx, path); readErr == nil {
			a.closeLater(s)
			return s, nil
		}
		if !errors.Is(err, session.ErrFull) { // else the full disk is why there is no database
			err = readErr
		}
	}
	return s, err
}

// openBeside opens what was recorded for a database that cannot be read because of cause. It
// returns cause if that is nothing.
func (a *app) openBeside(ctx context.Context, cause error) (*store.Store, error) {
	path, err := a.dbPath()
	if err != nil {
		return nil, err
	}
	s, err := store.Beside(path, cause)
	if err != nil {
		return nil, err
	}
	if _, err := s.Sessions(ctx, store.Filter{Limit: 1}); err != nil {
		return nil, cause
	}
	a.notice("warning: %v; these are only the sessions that it has not taken in", cause)
	return s, nil
}

// findSession returns the session that ref names.
func findSession(ctx context.Context, s *store.Store, ref string) (*store.Info, error) {
	info, err := s.Find(ctx, ref)
	switch {
	case errors.Is(err, session.ErrNotFound) && ref == "last":
		return nil, fail(worded{"no session is recorded yet", err}, "record one: ptyrec run -- COMMAND")
	case errors.Is(err, session.ErrNotFound):
		return nil, fail(worded{fmt.Sprintf("no session's id begins with %q", ref), err}, "`ptyrec list` shows the sessions")
	case errors.Is(err, session.ErrAmbiguous):
		return nil, ambiguous(ctx, s, ref)
	}
	return info, err
}

// ambiguous names the sessions that an id's beginning could mean, up to five of them.
func ambiguous(ctx context.Context, s *store.Store, ref string) error {
	ids, err := s.IDs(ctx)
	if err != nil {
		return err
	}
	short := listing.NewShortIDs(ids)
	var names []string
	for _, id := range ids {
		if strings.HasPrefix(id, strings.ToLower(ref)) {
			names = append(names, short.Of(id))
		}
	}
	named := strings.Join(names[:min(5, len(names))], ", ")
	if len(names) > 5 {
		named += ", …"
	}
	return fail(worded{fmt.Sprintf("%d sessions' ids begin with %q", len(names), ref), session.ErrAmbiguous}, "write more of it: "+named)
}
