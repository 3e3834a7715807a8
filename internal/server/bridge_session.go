package server

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/vterm"
)

// bridge is one session of the bridge.
type bridge struct {
	all  *bridges
	name string
	ctx  context.Context // cancelled to end the session
	stop context.CancelFunc
	wake chan struct{} // receives a value when there is a new request

	closing bool            // a client has asked to close the session, so its name is free; guarded by all.mu
	closed  chan struct{}   // closed when that request is answered, or the session has ended
	before  <-chan struct{} // closed of the previous session with the name; nil if there was none

	mu      sync.Mutex // guards the fields below
	clients map[*bridgeClient]struct{}
	ttl     *time.Timer // runs while there is no client; nil before the first client
	out     tail
	backlog backlog
	term    *vterm.Term
	asked   []bridgeMessage
	waiting int  // bytes of queued input
	exit    *int // the exit status, after the end
}

func newBridge(all *bridges, name string) *bridge {
	b := &bridge{all: all, name: name, wake: make(chan struct{}, 1), closed: make(chan struct{}),
		clients: map[*bridgeClient]struct{}{},
		term:    vterm.New(vterm.Options{Cols: bridgeCols, Rows: bridgeRows, Scrollback: -1})}
	b.ctx, b.stop = context.WithCancel(all.server.stopped)
	return b
}

// add adds a client. It first receives the screen if there is one.
func (b *bridge) add(c *bridgeClient) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.exit != nil {
		c.end(goodbye{exit: b.exit, code: websocket.StatusNormalClosure, reason: "Session already exited"})
		c.joined, c.next = true, b.backlog.end
		return
	}
	b.clients[c] = struct{}{}
	if b.ttl != nil {
		b.ttl.Stop()
	}
	c.joined, c.next = !b.out.any, b.backlog.end
	poke(c.wake)
}

// leave disconnects a client.
func (b *bridge) leave(c *bridgeClient) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.left = true
	poke(c.wake)
}

// take returns what to send to a client next.
func (b *bridge) take(c *bridgeClient) part {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := part{errors: c.errors, left: c.left}
	c.errors = nil
	switch {
	case !c.joined:
		c.joined = true
		p.text, c.next = b.screen(), b.backlog.end
	case c.next < b.backlog.start:
		p.dropped = b.backlog.end - c.next
		p.text, c.next = b.term.Repaint(), b.backlog.end
	default:
		p.text = b.backlog.from(c.next)
		c.next += int64(len(p.text))
	}
	if c.next == b.backlog.end {
		p.goodbye, c.goodbye = c.goodbye, nil
	}
	b.forgetSent()
	return p
}

// forgetSent drops the output that all clients have received.
func (b *bridge) forgetSent() {
	least := b.backlog.end
	for c := range b.clients {
		least = min(least, c.next)
	}
	b.backlog.dropBefore(least)
}

// remove removes a client. The session is kept for a while.
func (b *bridge) remove(c *bridgeClient) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.clients, c)
	b.forgetSent()
	if len(b.clients) == 0 {
		if b.ttl != nil {
			b.ttl.Stop()
		}
		b.ttl = time.AfterFunc(b.all.ttl, b.sweep)
	}
}

// sweep ends the session if it still has no client.
func (b *bridge) sweep() {
	b.mu.Lock()
	empty := len(b.clients) == 0
	b.mu.Unlock()
	if empty {
		b.all.forget(b)
		b.stop()
	}
}

// maxWaiting is the maximum size of queued input, in bytes. Further input is dropped with an error
// message.
const maxWaiting = 1 << 20

// do queues a client's request. Requests are executed in order, after the session has started.
func (b *bridge) do(m bridgeMessage) {
	if m.Type == "close" {
		b.all.release(b)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch m.Type {
	case "data":
		if b.waiting += len(m.Payload); b.waiting > maxWaiting {
			b.waiting -= len(m.Payload)
			b.toAll(func(c *bridgeClient) { c.complain("input is lost: the terminal does not read it") })
			return
		}
	case "resize":
		if !isSize(m.Cols, m.Rows) {
			return
		}
	case "close":
	default:
		return
	}
	b.asked = append(b.asked, m)
	poke(b.wake)
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

func (b *bridge) toAll(fn func(*bridgeClient)) {
	for c := range b.clients {
		fn(c)
	}
}
