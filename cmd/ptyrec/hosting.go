package main

import (
	"context"
	"errors"

	"github.com/ptyrec/ptyrec/live"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// hosting lets others join a session while it is recorded. A session that cannot be joined is recorded all the same.
type hosting struct {
	sink *sink
	host *live.Host // nil: the command has not begun
	err  chan error // why nobody can join it; nil where they can
}

func newHosting(to *sink) *hosting { return &hosting{sink: to, err: make(chan error, 1)} }

// begin is called when the command runs.
func (h *hosting) begin(c *recorder.Controls) recorder.Host {
	h.host = live.New(live.Options{
		Session: session.Session{Cols: h.sink.session.Cols, Rows: h.sink.session.Rows}, // the rest is known when the sink is open
		Server:  "ptyrec " + versionString(),
		Child:   c,
		Past:    h.past,
		Entries: h.entries,
	})
	h.sink.setHost(h.host)
	id := h.sink.session.ID
	go func() {
		if <-h.sink.opened; h.sink.err != nil {
			h.err <- h.sink.err
			return
		}
		h.host.Describe(h.sink.begun)
		l, err := live.Listen(id)
		h.err <- err
		if err == nil {
			_ = h.host.Serve(l) // ends with the host
		}
	}()
	return h.host
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
		if e.Kind == session.Output && e.Offset < from {
			e.Data = e.Data[min(int64(len(e.Data)), from-e.Offset):]
			e.Offset = from
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
	h.host.Close()
}
