package management

import (
	"slices"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// lease lets one client type. It attaches to the session a second time, in the client's name, so
// that the session knows who types.
type lease struct {
	conn   *conn
	stream *client.Stream
}

// acquire gives a client the right to type, and reports whether it has it.
func (h *hub) acquire(c *conn) bool {
	h.leasing.Lock()
	defer h.leasing.Unlock()
	h.mu.Lock()
	now := h.lease
	h.mu.Unlock()
	if now != nil {
		return now.conn == c
	}
	stream, ok := h.control(c.id, func() { h.revoked(c) })
	if !ok {
		return false
	}
	h.mu.Lock()
	h.lease = &lease{c, stream}
	h.mu.Unlock()
	return true
}

// control attaches to the session to type. It returns false if typing is not allowed: it always is
// in a shell of start_shell, else as long as the user grants it. revoked is called when the right
// is withdrawn.
func (h *hub) control(name string, revoked func()) (*client.Stream, bool) {
	kind := protocol.Agent
	if h.live.shell {
		kind = protocol.Human
	}
	stream, err := h.attach(client.AttachOptions{Name: h.p.name(name), Kind: kind, Mode: protocol.ModeNone, Control: true})
	if err != nil {
		return nil, false
	}
	event, err := stream.Next(h.ctx)
	hello, ok := event.(client.Connected)
	if err != nil || !ok || !may(hello.Control, hello.Viewer) {
		_ = stream.Close()
		return nil, false
	}
	h.p.running.Go(func() {
		for {
			event, err := stream.Next(h.ctx)
			if err != nil {
				return
			}
			if now, ok := event.(protocol.Control); ok && !may(now, hello.Viewer) {
				revoked()
				return
			}
		}
	})
	return stream, true
}

// may reports whether a viewer may type.
func may(c protocol.Control, viewer string) bool {
	i := slices.IndexFunc(c.Viewers, func(v protocol.Viewer) bool { return v.ID == viewer })
	return i >= 0 && c.Viewers[i].Control
}

// free takes the lease from a client, and reports whether it had it.
func (h *hub) free(c *conn) bool {
	h.leasing.Lock()
	defer h.leasing.Unlock()
	h.mu.Lock()
	l := h.lease
	had := l != nil && l.conn == c
	if had {
		h.lease = nil
	}
	h.mu.Unlock()
	if had {
		_ = l.stream.Close()
	}
	return had
}

// revoked makes a client an observer after its right to type was withdrawn.
func (h *hub) revoked(c *conn) {
	if h.free(c) {
		_ = h.put(session.EventRole, c.id, observer, func(*entry) {}) // if the session is over, its end is reported instead
	}
}

// holds returns the stream with which a client types, or nil if it is not the controller.
func (h *hub) holds(c *conn) *client.Stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lease == nil || h.lease.conn != c {
		return nil
	}
	return h.lease.stream
}
