package process

import (
	"context"
	"errors"
	"net"
	"syscall"

	"github.com/ptyrec/ptyrec/recorder/peer"
)

// serve accepts connections until l is closed.
func (h *host) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		h.conns.Go(func() {
			defer c.Close()
			w := newWire(c)
			var q request
			switch _, err := w.receive(&q); {
			case err != nil:
			case h.changes(q) && !h.mayChange(c):
				_ = w.send(h.reply(errInside)) // an error means that the client is gone
			default:
				h.answer(w, q)
			}
		})
	}
}

// errInside reports that a program that was started in a recorded session may not control another
// command.
var errInside = errors.New("a program inside a recorded session may not do that")

// changes reports whether a request affects the command.
func (h *host) changes(q request) bool {
	switch q.Op {
	case opState, opRead, opWait:
		return false
	case opAttach: // its end may end the command
		return h.order.KillOnDisconnect
	}
	return true
}

// mayChange reports whether the peer of a connection may affect the command: it was started outside
// of all recorded sessions, or it ordered the command.
func (h *host) mayChange(c net.Conn) bool {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return false
	}
	pid, alive, release, err := peer.Unix(u)
	if err != nil {
		return false
	}
	defer release()
	return (h.manager.Is(pid) || peer.Of(pid, 0) == peer.Outside) && alive()
}

// managerOf returns the process at the other end of a socket pair, or nil if it is unknown.
func managerOf(c net.Conn) *peer.Process {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil
	}
	pid, alive, release, err := peer.Unix(u)
	if err != nil {
		return nil
	}
	defer release()
	manager := peer.Open(pid)
	if !alive() {
		return nil
	}
	return manager
}

// answer handles one request.
func (h *host) answer(w *wire, q request) {
	var err error
	switch q.Op {
	case opState:
	case opRead:
		h.read(w, q)
		return
	case opWait:
		gone := hangUp(w)
		select {
		case <-h.ended:
		case <-gone:
			return
		}
	case opAttach:
		h.attach(1)
		_ = w.send(h.reply(nil)) // an error means that the client is gone, and it no longer counts
		select {
		case <-hangUp(w):
		case <-h.ended:
		}
		h.attach(-1)
		return
	case opWrite:
		err = h.child.write(q.Data, q.At, hangUp(w))
	case opClose:
		err = h.child.closeInput()
	case opKill:
		h.end(Killed, syscall.Signal(q.Signal), q.Grace)
	case opResize:
		err = h.resize(q.Cols, q.Rows)
	}
	_ = w.send(h.reply(err)) // an error means that the client is gone
}

func (h *host) reply(err error) reply {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.status
	s.Taken = h.child.taken.Load()
	r := reply{Status: &s}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// hangUp returns a channel that is closed when the peer closes the connection. Nothing else may
// read from it. The caller must close the connection at the end.
func hangUp(w *wire) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = w.in.ReadByte() // no data follows a request
	}()
	return gone
}

// read sends the output from a position on.
func (h *host) read(w *wire, q request) {
	r := &ringReader{ring: &h.ring, at: q.From}
	if q.Now {
		stop := h.ring.ends()
		r.stop = &stop
	}
	gone := hangUp(w)
	for {
		chunks, changed, behind, over := r.take()
		switch {
		case behind:
			ctx, stop := context.WithTimeout(context.Background(), diskWait)
			_ = h.log.Settle(ctx) // what is not recorded is lost, and the Manager notices the gap
			stop()
			begin := h.ring.begins()
			answer := h.reply(nil)
			answer.Behind = &begin
			_ = w.send(answer) // the Manager reads the rest from the raw log
			return
		case over:
			_ = w.send(h.reply(nil))
			return
		case changed != nil:
			select {
			case <-changed:
			case <-gone:
				return
			}
			continue
		}
		for _, c := range chunks {
			if w.chunk(c) != nil {
				return
			}
		}
		if w.out.Flush() != nil {
			return
		}
	}
}
