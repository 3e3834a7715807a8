package main

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// errNoRawLog says that a session has entries at most: there is nothing to read them from again.
var errNoRawLog = errors.New("the session has no raw log")

// retranscribe reads a stored session's raw log again. The error is errNoRawLog if it is empty and
// always was.
func retranscribe(ctx context.Context, a *app, s *store.Store, info *store.Info) (*session.Transcript, []*store.Damage, error) {
	r, err := a.redaction()
	if err != nil {
		return nil, nil, err
	}
	source := archive.NewRawLog(ctx, s, info.ID, 0)
	defer source.Stop()
	t, err := archive.Transcribe(info.Session, source, nil)
	if info.EndedAt != nil || t.Session.ExitCode == nil {
		t.Session.EndedAt, t.Session.ExitCode = info.EndedAt, info.ExitCode
	}
	source.Missing(info)
	if err == nil && source.Number == 0 && len(source.Damage) == 0 {
		return nil, nil, errNoRawLog
	}
	r.Transcript(t, nil)
	return t, source.Damage, err
}

// storedEntries returns a session's entries one by one. It reads them out of the raw log first if
// that has not been done, and where the stored ones are damaged. The caller must call done when it
// has them.
func storedEntries(ctx context.Context, a *app, db *store.Store, info *store.Info) (entries iter.Seq2[*session.Entry, error], done func(), err error) {
	entries, done = db.Each(ctx, info.ID), func() {}
	if info.Beside || info.Unread && info.Status != store.Live {
		bar := a.progress("reading the recording", "", info.RawBytes)
		entries, done, err = readOut(ctx, a, db, info, bar.Add)
		bar.Finish()
		if errors.Is(err, session.ErrCorrupt) {
			entries, done, err = store.Failed(err), func() {}, nil
		}
	}
	return mended(ctx, a, db, info, entries), done, err
}

// mended returns entries. From where they are damaged on, it reads them out of the raw log.
func mended(ctx context.Context, a *app, db *store.Store, info *store.Info, entries iter.Seq2[*session.Entry, error]) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		last := 0
		for e, err := range entries {
			if errors.Is(err, session.ErrCorrupt) {
				a.notice("warning: %v; the raw log is read instead, `ptyrec doctor --repair` mends it", err)
				rest, err := reread(ctx, a, db, info, last)
				for _, e := range rest {
					if !yield(e, nil) {
						return
					}
				}
				if err != nil {
					yield(nil, err)
				}
				return
			}
			if err == nil {
				last = e.Seq
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// reread returns the entries behind number last, out of the raw log.
func reread(ctx context.Context, a *app, db *store.Store, info *store.Info, last int) ([]*session.Entry, error) {
	t, _, err := retranscribe(ctx, a, db, info)
	if t == nil {
		return nil, err
	}
	return slices.DeleteFunc(t.Entries, func(e *session.Entry) bool { return e.Seq <= last }), err
}
