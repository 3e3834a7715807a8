package recording

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/recorder/notify"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// hosting lets viewers attach to a session while it is recorded. Errors do not prevent the
// recording.
type hosting struct {
	sink     *sink
	server   string          // name of the server for viewers
	hosted   func(id string) // called when the command runs, if the session has no terminal
	listener net.Listener    // nil if no one can attach
	host     *live.Host      // nil until the command runs
	served   chan struct{}   // closed when no one can attach any more

	starter  *peer.Process // nil if there is none
	attended bool          // whether the session has a terminal with keys; set before begin

	notify   notify.Options
	environ  []string
	notifier *notify.Notifier // nil without notifications
}

// newHosting prepares the hosting. It reports problems with it before the command starts. A program
// that the command starts can attach at once: it waits for begin.
func newHosting(o Options, to *sink) *hosting {
	folder, taken, err := rundir.Make()
	switch {
	case err != nil:
		o.Warn("warning: nobody can attach to this session: no folder for its socket can be used: %v", err)
	case taken != nil:
		o.Warn("warning: using another folder for sockets: %v; see `ptyrec doctor`", taken)
	}
	var starter *peer.Process
	if o.Starter != 0 {
		starter = peer.Open(o.Starter)
	}
	return &hosting{starter: starter, sink: to, server: o.Server, hosted: o.Hosted, notify: o.Notify, environ: o.Environ,
		listener: listen(folder, to), served: make(chan struct{})}
}

// headless makes the host the session's terminal.
func (h *hosting) headless() { h.host.Headless() }

// begin is called when the command runs.
func (h *hosting) begin(c *recorder.Controls) recorder.Host {
	h.host = live.New(live.Options{
		Session: h.sink.session,
		Server:  h.server,

		Command: c, Record: c, Processes: c, Screen: c.Screen,
		Starter: h.starter, Unattended: !h.attended || peer.Here() != peer.Outside,
		Notify: func(text string, ring bool) { c.Alert(notify.Message(text, ring)) },

		Foreground: func() (live.Foreground, bool) {
			f, known := c.Foreground()
			return live.Foreground(f), known
		},
		Past:    h.past,
		Events:  h.sink.events,
		Entries: h.sink.entries,
		Asks:    extractor.Asks,
		Forget:  h.sink.forget,
	})
	h.sink.setHost(h.host)
	if h.hosted != nil {
		h.host.Headless()
	}
	if h.listener != nil {
		go func() {
			defer close(h.served)
			_ = h.host.Serve(h.listener) // ends with the host
		}()
	} else {
		close(h.served)
	}
	if h.hosted != nil {
		h.hosted(h.sink.session.ID)
	}
	if !h.notify.Any() {
		return h.host
	}
	if h.sink.redact.Redactor == nil {
		h.notify.Text = false // may contain secrets
	}
	s := notify.Session{ID: h.sink.session.ID, Cwd: h.sink.session.Cwd}
	h.notifier = notify.New(h.notify, s, notify.Surroundings{Terminal: c.Alert, Watchers: h.host.Viewers,
		Environ: h.environ})
	h.sink.notifier.Store(h.notifier)
	return notified{h.host, h.notifier}
}

// notified is a host that reports keys to a notifier.
type notified struct {
	*live.Host
	notifier *notify.Notifier
}

// Typed implements recorder.Host.
func (n notified) Typed(keys []byte) (pass []byte, wait time.Duration) {
	n.notifier.Typed(keys)
	return n.Host.Typed(keys)
}

// listen creates a session's socket in a folder. It returns nil if that fails.
func listen(folder string, to *sink) net.Listener {
	if folder == "" {
		return nil
	}
	l, err := live.Listen(folder, to.path, to.session.ID)
	if err != nil {
		return nil
	}
	return l
}

// past reads the raw log for viewers.
func (h *hosting) past(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error {
	if h.sink.forgotten.Load() {
		return nil
	}
	db, _ := h.sink.database(ctx) // even after an error it can read the raw log
	for e, err := range db.OutputFrom(ctx, h.sink.session.ID, from) {
		var damage *store.Damage
		switch {
		case errors.As(err, &damage): // the position of the next one shows it
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

// close ends the hosting after the recording is complete.
func (h *hosting) close() {
	if h.host == nil {
		if h.listener != nil {
			_ = h.listener.Close()
		}
		return
	}
	if h.notifier != nil {
		h.notifier.Close()
	}
	h.host.Close()
	<-h.served
}
