package library

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// readOut extracts a session's raw log if its recorder could not: it was killed, or had not caught
// up when its command ended. The entries are saved, so this happens once. If the database cannot be
// written, which is not an error, it happens again the next time, and info.Unread stays set. It
// calls seen with the number of output bytes that it has read. The caller must call done when it
// has the entries.
func (l *Library) readOut(ctx context.Context, info *store.Info,
	seen func(n int)) (entries iter.Seq2[*session.Entry, error], done func(), err error) {
	r, err := l.newReading(info)
	if err != nil {
		return nil, nil, err
	}
	r.seen = seen
	if err := r.readOut(ctx); err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	if !info.Unread {
		return l.Store.Each(ctx, info.ID), func() {}, r.Close()
	}
	return r.spool.All(), func() { _ = r.Close() }, nil
}

// unlessReadOnly returns err unless it means that the database cannot be written now.
func unlessReadOnly(err error) error {
	if errors.Is(err, session.ErrNotWritable) || errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrFull) {
		return nil
	}
	return err
}

// ReadOutAll extracts the sessions that the filter selects and that are not completely extracted.
// It ignores the filter's agent, because agents are known only after the extraction. It warns about
// what cannot be read.
func (l *Library) ReadOutAll(ctx context.Context, filter store.Filter) error {
	return l.readOutAll(ctx, filter, func(*store.Info, iter.Seq2[*session.Entry, error]) error { return nil })
}

// readOutAll implements ReadOutAll. It calls unsaved for sessions whose entries could not be saved
// in the database.
func (l *Library) readOutAll(ctx context.Context, filter store.Filter,
	unsaved func(*store.Info, iter.Seq2[*session.Entry, error]) error) error {
	filter.Unread, filter.Limit, filter.Agent = true, 0, ""
	infos, err := l.Store.Sessions(ctx, filter)
	if err != nil {
		return err
	}
	infos = slices.DeleteFunc(infos, func(i *store.Info) bool { return i.Status == store.Live })
	var total int64
	for _, info := range infos {
		total += info.RawBytes
	}
	bar := l.progress("extracting conversations", total)
	defer bar.Finish()
	for _, info := range infos {
		entries, done, err := l.readOut(ctx, info, bar.Add)
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
			l.warn("warning: session %s is not extracted to its end: %v", info.ID, err)
		}
	}
	return nil
}

// saidBy reports whether agent takes part in a conversation. It is true if agent is empty.
func saidBy(agent string, entries []*session.Entry) bool {
	return agent == "" || slices.ContainsFunc(entries, func(e *session.Entry) bool { return e.Agent == agent })
}

// Search searches the database, and the sessions whose entries could not be saved in it, whose hits
// come first. There are at most q.Filter.Limit hits.
func (l *Library) Search(ctx context.Context, q store.Query) (labels []*store.LabelHit, hits []*store.Hit, err error) {
	var unsaved []*store.Hit
	searched := map[string]bool{}
	err = l.readOutAll(ctx, q.Filter, func(info *store.Info, all iter.Seq2[*session.Entry, error]) error {
		entries, err := collect(all)
		if err != nil || !saidBy(q.Filter.Agent, entries) {
			return err
		}
		found := store.SearchEntries(q, info, entries)
		unsaved, searched[info.ID] = append(unsaved, found...), true
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if labels, hits, err = l.Store.SearchAll(ctx, q); err != nil {
		return nil, nil, err
	}
	hits = slices.DeleteFunc(hits, func(h *store.Hit) bool { return searched[h.Session.ID] })
	hits = append(unsaved, hits...)
	return labels, hits[:min(len(hits), q.Filter.Limit-len(labels))], nil
}
