package server

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// watch detects sessions that start, change and end, while there are watchers.
type watch struct {
	server *Server
	every  time.Duration

	mu       sync.Mutex // guards the fields below
	watchers map[chan change]struct{}
	stop     context.CancelFunc         // stops the polling; nil without watchers
	known    map[string]*store.Overview // the live sessions as last sent, by id
}

// change is a change to send: a new or changed session, or removed ones.
type change struct {
	session *store.Overview
	removed string
}

// watchEvery is the interval at which the database is polled.
const watchEvery = time.Second

func (w *watch) init(s *Server) {
	w.server, w.every, w.watchers = s, watchEvery, map[chan change]struct{}{}
}

// watchSessions streams changes of the sessions.
func (s *Server) watchSessions(w http.ResponseWriter, r *http.Request) error {
	ctx, e, done, err := s.startEvents(w, r)
	if err != nil {
		return err
	}
	defer done()
	changes := s.watch.add()
	defer s.watch.remove(changes)
	for {
		select {
		case <-ctx.Done():
			return nil
		case c, ok := <-changes:
			if !ok {
				return nil // the client was too slow; it will reconnect
			}
			if err := tellChange(e, c); err != nil {
				return nil // the client is gone
			}
		}
	}
}

func tellChange(e *eventStream, c change) error {
	if c.session != nil {
		return e.send("session", "", c.session)
	}
	return e.send("removed", "", map[string]string{"id": c.removed})
}

// changesQueued is the maximum number of changes queued for a watcher. Beyond that, the watcher is
// dropped.
const changesQueued = 2 * maxPageSize

// add adds a watcher, which first receives all live sessions.
func (w *watch) add() chan change {
	w.mu.Lock()
	defer w.mu.Unlock()
	changes := make(chan change, changesQueued)
	w.watchers[changes] = struct{}{}
	for _, it := range w.known {
		changes <- change{session: it} // cannot block: the queue is large enough for all live sessions
	}
	if w.stop == nil && w.server.Users == nil { // with users, each may see different sessions
		w.known = map[string]*store.Overview{}
		ctx, stop := context.WithCancel(w.server.stopped)
		w.stop = stop
		w.server.running.Go(func() { w.run(ctx) })
	}
	return changes
}

// remove removes a watcher. It stops polling after the last one.
func (w *watch) remove(changes chan change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watchers, changes)
	if len(w.watchers) == 0 && w.stop != nil {
		w.stop()
		w.stop, w.known = nil, nil
	}
}

func (w *watch) run(ctx context.Context) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.server.log.WarnContext(ctx, "the sessions cannot be watched now", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look finds what has changed and sends it to the watchers.
func (w *watch) look(ctx context.Context) error {
	infos, err := w.server.Store.Sessions(ctx, store.Filter{Live: true, Limit: maxPageSize})
	if err != nil {
		return err
	}
	removed := []string{}
	for _, id := range w.left(infos) {
		info, err := w.server.Store.Find(ctx, id)
		switch {
		case errors.Is(err, session.ErrNotFound):
			removed = append(removed, id)
		case err != nil:
			return err
		default:
			infos = append(infos, info)
		}
	}
	items, err := w.server.items(ctx, infos)
	if err != nil {
		return err
	}
	w.tell(ctx, items, removed)
	return nil
}

// left returns the ids of the sessions that were live and are not in live.
func (w *watch) left(live []*store.Info) (ids []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.known {
		if !slices.ContainsFunc(live, func(i *store.Info) bool { return i.ID == id }) {
			ids = append(ids, id)
		}
	}
	return ids
}

// tell sends the watchers what they do not know yet.
func (w *watch) tell(ctx context.Context, items []store.Overview, removed []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return // there may be another watch by now
	}
	for i := range items {
		it := &items[i]
		before, known := w.known[it.ID]
		if it.Status == store.Live {
			w.known[it.ID] = it
		} else {
			delete(w.known, it.ID)
		}
		if !known || !reflect.DeepEqual(before, it) {
			w.toAll(change{session: it})
		}
	}
	for _, id := range removed {
		delete(w.known, id)
		w.toAll(change{removed: id})
	}
}

// labeled sends a session that this server has changed to the watchers.
func (w *watch) labeled(it *store.Overview) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if it.Status == store.Live && w.known != nil {
		w.known[it.ID] = it
	}
	w.toAll(change{session: it})
}

// deleted reports a session that this server has deleted to the watchers.
func (w *watch) deleted(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, id)
	w.toAll(change{removed: id})
}

// toAll sends a change to each watcher, and drops those that are too slow.
func (w *watch) toAll(c change) {
	for changes := range w.watchers {
		select {
		case changes <- c:
		default:
			close(changes)
			delete(w.watchers, changes)
		}
	}
}
