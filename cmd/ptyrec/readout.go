package main

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// readOut reads a session's raw log if its recorder could not read all of it: it was killed, or was
// behind when its command ended. The entries go to the database, so this happens once. If the
// database cannot be written, which is no error, it happens again the next time, and info.Unread
// stays set. It calls seen with the bytes of output that it has read. The caller must call done
// when it has the entries.
func readOut(ctx context.Context, a *app, db *store.Store, info *store.Info, seen func(n int)) (entries iter.Seq2[*session.Entry, error], done func(), err error) {
	r, err := newReading(a, db, info)
	if err != nil {
		return nil, nil, err
	}
	r.seen = seen
	if err := r.readOut(ctx, a, db); err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	if !info.Unread {
		return db.Each(ctx, info.ID), func() {}, r.Close()
	}
	return r.spool.All(), func() { _ = r.Close() }, nil
}

// readOut reads the session and saves the entries, as far as the database takes them: see the
// function of that name.
func (r *reading) readOut(ctx context.Context, a *app, db *store.Store) error {
	info := r.info
	err := r.run(ctx, db)
	none := errors.Is(err, errNoRawLog)
	if none {
		err = nil
	}
	if err == nil && !none {
		info.Agents, info.Title = r.session.Agents, r.session.Title
		for _, d := range r.damage {
			a.notice("warning: %v", d)
		}
	}
	switch {
	case err != nil:
		return err
	case info.Beside:
		info.Unread = true
		return nil
	case none:
		err = db.MarkRead(ctx, info.ID) // its entries are all that there is
	default:
		err = r.save(ctx, db)
	}
	info.Unread = err != nil && !none
	return unlessReadOnly(err)
}

// unlessReadOnly returns err unless it says that the database cannot be written now.
func unlessReadOnly(err error) error {
	if errors.Is(err, session.ErrNotWritable) || errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrFull) {
		return nil
	}
	return err
}

// readOutAll reads out the sessions that the filter chooses and that are not read out yet, so that
// the database finds what was said in them. It calls unsaved with the entries that the database
// does not take now. It warns of what cannot be read.
func readOutAll(ctx context.Context, a *app, db *store.Store, filter store.Filter, unsaved func(*store.Info, iter.Seq2[*session.Entry, error]) error) error {
	filter.Unread, filter.Limit = true, 0
	infos, err := db.Sessions(ctx, filter)
	if err != nil {
		return err
	}
	infos = slices.DeleteFunc(infos, func(i *store.Info) bool { return i.Status == store.Live })
	bar := newProgress(a, "reading what was left unread", nil)
	defer bar.Finish()
	for _, info := range infos {
		bar.Grow(info.RawBytes)
	}
	for _, info := range infos {
		entries, done, err := readOut(ctx, a, db, info, bar.Add)
		if err == nil {
			if info.Unread {
				err = unsaved(info, entries)
			}
			done()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			a.notice("warning: session %s is not read out to its end: %v", info.ID, err)
		}
	}
	return nil
}
