package main

import (
	"context"
	"errors"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/rundir"
	"github.com/ptyrec/ptyrec/live"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// hosting lets others join a session while it is recorded. A session that cannot be joined is recorded all the same.
type hosting struct {
	sink   *sink
	hosted bool          // it is in the background, and has no terminal
	folder string        // of its socket; empty: there is none
	db     string        // the database that others find it by
	host   *live.Host    // nil: the command has not begun
	ready  chan struct{} // closed when it can be joined, or cannot
}

// newHosting prepares the hosting. It says, before the command starts, where others cannot join as they should.
func newHosting(a *app, to *sink, hosted bool) *hosting {
	folder, taken, err := rundir.Make()
	switch {
	case err != nil:
		a.notice("warning: nobody can attach to this session: there is no folder for its socket: %v", err)
	case taken != nil:
		a.notice("warning: the folder for sockets cannot be used, another one is: %v; see `ptyrec doctor`", taken)
	}
	db, _ := a.dbPath() // there is one: the sink has it
	return &hosting{sink: to, hosted: hosted, folder: folder, db: db, ready: make(chan struct{})}
}

// alone makes the host the session's terminal.
func (h *hosting) alone() { h.host.Alone() }

// begin is called when the command runs.
func (h *hosting) begin(c *recorder.Controls) recorder.Host {
	h.host = live.New(live.Options{
		Session: session.Session{Cols: h.sink.session.Cols, Rows: h.sink.session.Rows}, // the rest is known when the sink is open
		Server:  "ptyrec " + versionString(),
		Child:   c,
		Past:    h.past,
		Entries: h.entries,
		Asks:    extractor.Asks,
	})
	h.sink.setHost(h.host)
	if h.hosted {
		h.host.Alone()
	}
	go h.serve(h.sink.session.ID)
	return h.host
}

func (h *hosting) serve(id string) {
	defer h.told(id)
	if <-h.sink.opened; h.sink.err != nil || h.folder == "" {
		return
	}
	h.host.Describe(h.sink.begun)
	l, err := live.Listen(h.folder, h.db, id)
	if err != nil {
		return
	}
	h.told(id)
	_ = h.host.Serve(l) // ends with the host
}

// told tells whoever started the session in the background that it is there.
func (h *hosting) told(id string) {
	select {
	case <-h.ready:
		return
	default:
		close(h.ready)
	}
	if h.hosted {
		tellStart(id)
	}
}

// past reads the raw log for viewers.
func (h *hosting) past(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error {
	for e, err := range h.sink.store.OutputFrom(ctx, h.sink.session.ID, from) {
		var damage *store.Damage
		switch {
		case errors.As(err, &damage): // the next one's place tells
			continue
		case err != nil:
			return err
		}
		if err := fn(e.Offset, e.Event); err != nil {
			return err
		}
	}
	return nil
}

func (h *hosting) entries(ctx context.Context, after int) ([]*session.Entry, error) {
	return h.sink.store.EntriesAfter(ctx, h.sink.session.ID, after)
}

// close ends the hosting when the session is recorded to its end.
func (h *hosting) close() {
	if h.host == nil {
		return
	}
	<-h.ready
	h.host.Close()
}
