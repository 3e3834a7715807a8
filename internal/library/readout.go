package library

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
func (l *Library) readOut(ctx context.Context, info *store.Info, seen func(n int)) (entries iter.Seq2[*session.Entry, error], done func(), err error) {
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

// unlessReadOnly returns err unless it says that the database cannot be written now.
func unlessReadOnly(err error) error {
	if errors.Is(err, session.ErrNotWritable) || errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrFull) {
		return nil
	}
	return err
}

// ReadOutAll reads out the sessions that the filter chooses and that are not read out yet, whatever
// their agents: those are known only when a session is read. Then the database knows what was said
// in them, as far as it takes that now. ReadOutAll warns of what cannot be read.
func (l *Library) ReadOutAll(ctx context.Context, filter store.Filter) error {
	return l.readOutAll(ctx, filter, func(*store.Info, iter.Seq2[*session.Entry, error]) error { return nil })
}

// readOutAll implements ReadOutAll. It calls unsaved with the entries that the database does not
// take now.
func (l *Library) readOutAll(ctx context.Context, filter store.Filter, unsaved func(*store.Info, iter.Seq2[*session.Entry, error]) error) error {
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
	bar := l.progress("reading what was left unread", total)
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
			l.warn("warning: session %s is not read out to its end: %v", info.ID, err)
		}
	}
	return nil
}

// saidBy reports whether an agent, if one is named, took part in a conversation.
func saidBy(agent string, entries []*session.Entry) bool {
	return agent == "" || slices.ContainsFunc(entries, func(e *session.Entry) bool { return e.Agent == agent })
}

// Search asks the database, and reads the sessions whose entries it does not take now; their hits
// come first. There are q.Filter.Limit hits at most.
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
