package management

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// reader sends one client the frames of one session, in order: as session_frame messages if it has
// joined, else as output messages. Only its goroutine uses the fields without a comment.
type reader struct {
	h    *hub
	c    *conn
	wake chan struct{}
	done chan struct{}
	quit chan struct{} // closed to stop it
	once sync.Once
	told atomic.Int64 // number of the next frame, for other goroutines; 0 if unknown

	// For hub.pace.
	catching atomic.Bool   // it has frames to send
	moved    atomic.Int64  // time when it sent the last one, in Unix nanoseconds
	credit   time.Duration // how long the others may wait for it; used by the hub

	plain bool
	next  int64 // number of the next frame; -1: the first one after a number of output frames
	after int64 // number of output frames at the start that are not sent
	until int64 // number of output frames after which it ends; 0: none
	live  bool  // it has caught up

	// For session_frame messages.
	joined  *entry // the marker of its join
	picture int64  // number of the keyframe that it waits for or is at; -1: none
	message []byte // buffer of the last message of an entry that is not shared

	// For output messages.
	rest []byte // the start of an incomplete character
}

func newReader(c *conn, h *hub) *reader {
	return &reader{c: c, h: h, wake: make(chan struct{}, 1), done: make(chan struct{}), quit: make(chan struct{}),
		picture: -1, credit: paceCredit}
}

// start starts the sending.
func (r *reader) start() {
	h := r.h
	h.mu.Lock()
	h.readers[r] = true
	h.mu.Unlock()
	r.c.working.Go(func() {
		defer close(r.done)
		err := r.run()
		h.mu.Lock()
		delete(h.readers, r)
		h.mu.Unlock()
		h.p.release(h)
		r.c.ended(r, err)
	})
}

// stop stops the sending after the current message.
func (r *reader) stop() {
	r.once.Do(func() { close(r.quit) })
}

// batch is the number of frames to take at once.
const batch = 64

// run sends frames until the session is over, the reader is stopped (errGone), or the client is
// gone.
func (r *reader) run() error {
	for {
		if err := r.pause(); err != nil {
			return err
		}
		n := r.look()
		var over bool
		var err error
		switch {
		case r.live && r.next >= 0 && n.waiting > maxWaiting:
			err = r.fellBehind()
		case n.behind:
			err = r.replay()
		case len(n.found) > 0:
			over, err = r.sendAll(n.found)
		case n.closed:
			return r.sendClosed(n)
		default:
			err = r.wait()
		}
		if over || err != nil {
			return err
		}
	}
}

// news is what a hub has for a reader.
type news struct {
	found   []*entry // the next ones, at most batch
	behind  bool     // the hub no longer has the next one
	waiting int64    // number of frames that wait
	closed  bool     // the session is over
	status  *int     // its exit status
	end     int64    // number after its last entry
}

// look returns the next news.
func (r *reader) look() (n news) {
	h := r.h
	h.mu.Lock()
	if r.plain && r.next < 0 {
		if number, ok := h.after(r.warm()); ok {
			r.next = number
		}
	}
	n.found, n.behind = h.from(max(r.next, 0), batch)
	n.waiting = h.next - r.next
	n.closed, n.status, n.end = h.closed, h.status, h.next
	h.mu.Unlock()
	switch {
	case r.next < 0:
		n.behind = true
	case !n.behind && n.waiting <= batch:
		r.live = true
	}
	r.catching.Store(r.live && n.waiting > batch)
	return n
}

// sendAll sends entries, and reports whether no more are wanted.
func (r *reader) sendAll(found []*entry) (over bool, err error) {
	for _, e := range found {
		if err := r.send(e); err != nil {
			return false, err
		}
		if r.finished() || e.kind == protocol.NumberedExit {
			return true, nil
		}
	}
	return false, nil
}

// sendClosed reports that the session is over, if it was killed and its log has no end.
func (r *reader) sendClosed(n news) error {
	if n.status != nil || r.plain {
		return nil
	}
	r.c.forget(r)
	return r.json(closedFrame{r.head(n.end, time.Now().UnixMilli(), "closed"), nil})
}

// pause returns an error if the reader must stop.
func (r *reader) pause() error {
	select {
	case <-r.quit:
		return errGone
	case <-r.c.ctx.Done():
		return errGone
	default:
		return nil
	}
}

// wait waits for more frames.
func (r *reader) wait() error {
	select {
	case <-r.wake:
		return nil
	case <-r.quit:
		return errGone
	case <-r.c.ctx.Done():
		return errGone
	}
}

func (r *reader) finished() bool { return r.until > 0 && r.after >= r.until }

// warm returns the number of output frames to skip at first. Reading starts a few frames early,
// because a character may begin there.
func (r *reader) warm() int64 { return max(0, r.after-utf8.UTFMax+1) }

// fellBehind handles a client for which too many frames wait.
func (r *reader) fellBehind() error {
	if r.plain {
		_ = r.json(errorMessage{"error", "output stream closed: subscriber fell behind"}) // the connection is closed anyway
		r.c.close(statusTryAgainLater, "subscriber fell behind")
		return errGone
	}
	h := r.h
	h.mu.Lock()
	// Leave a margin, because the session may continue for a while before this client is served.
	k := h.newestKeyframe(maxWaiting/2, h.p.RingBytes)
	if k != nil && k.number > r.next {
		r.next, r.picture = k.number, k.number
		r.told.Store(r.next)
		h.mu.Unlock()
		return nil
	}
	h.mu.Unlock()
	err := h.keyframe(true)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return errGone // the session is over, so the frames cannot be read any more
	}
	return r.wait()
}

// replay sends what is not in the ring by reading it from the session, until the ring contains the
// next frame.
func (r *reader) replay() error {
	h := r.h
	clean := newCleaner(h.p.Redact)
	stream, err := h.attach(r.from(clean.lead()))
	if err != nil {
		h.mu.Lock()
		to := h.next
		if len(h.ring) > 0 {
			to = h.ring[0].number
		}
		h.mu.Unlock()
		return r.lost(r.next, to)
	}
	defer func() { _ = stream.Close() }()
	for {
		event, err := stream.Next(r.c.ctx)
		if err != nil {
			return r.pause() // the session is over: the ring has the rest, or tells what is lost
		}
		e, ok := event.(protocol.Numbered)
		if !ok || e.Kind == protocol.NumberedNext {
			continue
		}
		one := h.entry(e, clean)
		if e.Kind == protocol.NumberedMark {
			h.mu.Lock()
			if known := h.marks[e.Number]; known != nil {
				one = known
			}
			h.mu.Unlock()
		}
		if err := r.pause(); err != nil {
			return err
		}
		if err := r.send(one); err != nil || r.finished() {
			return err
		}
		if r.next < 0 {
			continue // still skipping frames
		}
		h.mu.Lock()
		_, behind := h.from(r.next, 1)
		h.mu.Unlock()
		if !behind || e.Kind == protocol.NumberedExit {
			return nil
		}
	}
}

// from returns the options for reading a session from the client's next frame on, or from lead
// frames before it.
func (r *reader) from(lead int64) client.AttachOptions {
	o := client.AttachOptions{Name: r.h.p.name(r.c.id), Kind: protocol.Agent, Mode: protocol.ModeFrames}
	if r.next < 0 {
		after := r.warm()
		o.After = &after
	} else {
		from := max(0, r.next-lead)
		o.From = &from
	}
	return o
}
