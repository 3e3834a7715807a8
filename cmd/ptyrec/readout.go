package main

import (
	"context"
	"errors"
	"slices"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// readOut extracts the entries of a session whose recorder did not: it was killed, or a flood came
// at the command's end. It saves the entries in the database and returns them. If a part of the raw
// log is lost and old has more entries, it returns old. It is no error if the database cannot be
// written: the session is then read again the next time.
func readOut(ctx context.Context, a *app, db *store.Store, info *store.Info, old []*session.Entry) ([]*session.Entry, error) {
	t, damage, err := retranscribe(ctx, a, db, info)
	if err == nil && info.Beside {
		info.Agents = t.Session.Agents
		return t.Entries, nil
	}
	if errors.Is(err, errNoRawLog) && info.Beside {
		return old, nil
	}
	if errors.Is(err, errNoRawLog) {
		return old, unlessReadOnly(db.MarkRead(ctx, info.ID)) // it is all that there is
	}
	if err != nil {
		return nil, err
	}
	for _, d := range damage {
		a.notice("warning: %v", d)
	}
	info.Agents = t.Session.Agents
	if len(damage) > 0 && len(old) > len(t.Entries) {
		t.Entries, err = old, db.MarkRead(ctx, info.ID)
	} else {
		session.KeepIDs(old, t.Entries)
		err = errors.Join(db.ReplaceEntries(ctx, info.ID, t.Entries), db.UpdateSession(ctx, &t.Session))
	}
	if info.Status == store.Interrupted && t.Session.EndedAt != nil { // the log has it, the recorder could not state it
		err = errors.Join(err, db.FinishSession(ctx, info.ID, *t.Session.EndedAt, *t.Session.ExitCode, true))
	}
	info.Unread = err != nil
	return t.Entries, unlessReadOnly(err)
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
func readOutAll(ctx context.Context, a *app, db *store.Store, filter store.Filter, unsaved func(*store.Info, []*session.Entry) error) error {
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
		entries, err := db.Entries(ctx, info.ID)
		if err == nil {
			entries, err = readOut(ctx, a, db, info, entries)
		}
		if err == nil && info.Unread {
			err = unsaved(info, entries)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			a.notice("warning: session %s is not read out to its end: %v", info.ID, err)
		}
		bar.Add(int(info.RawBytes))
	}
	return nil
}
