package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
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
			b.toAll(func(c *bridgeClient) { c.complain("the terminal takes no input: it is lost") })
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

// run starts the session, passes on its output and input, and ends it.
func (b *bridge) run() {
	defer b.stop()
	done := sync.OnceFunc(func() { close(b.closed) })
	defer done()
	stream, err := b.start()
	if err != nil {
		b.all.forget(b)
		b.over(goodbye{message: err.Error(), code: websocket.StatusInternalError, reason: "PTY spawn failed"}, nil)
		return
	}
	defer func() { _ = stream.Close() }()
	var asking sync.WaitGroup
	ended := make(chan struct{})
	asking.Go(func() { b.ask(stream, ended, done) })
	status := b.follow(stream)
	close(ended)
	asking.Wait()
	b.over(goodbye{exit: &status}, &status)
	forget := time.AfterFunc(b.all.ttl, func() { b.all.forget(b) }) // until then, clients that join receive the status
	context.AfterFunc(b.all.server.stopped, func() { forget.Stop() })
}

// closeTime is how long a new session waits for the previous session with its name to be closed.
const closeTime = time.Second

// startTime is how long starting a session may take.
const startTime = 20 * time.Second

// start starts the session, and attaches to it from its first byte on.
func (b *bridge) start() (*client.Stream, error) {
	s := b.all.server
	// If the bridge is closed meanwhile, the started session must still be ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), startTime)
	defer cancel()
	if s.BridgeServer != nil {
		if b.before != nil { // until it is closed, the server would attach us to it
			select {
			case <-b.before:
			case <-time.After(closeTime):
			case <-b.ctx.Done():
			}
		}
		return s.BridgeServer.Attach(ctx, b.name, client.AttachOptions{
			Name: "bridge " + b.name, Control: true,
			Start: &client.Start{Cols: bridgeCols, Rows: bridgeRows, Command: strings.Join(s.Bridge, " ")},
		})
	}
	id, err := s.Start(ctx, StartOptions{Command: s.Bridge, Cols: bridgeCols, Rows: bridgeRows, Name: b.name})
	if err != nil {
		return nil, err
	}
	return s.Live.Attach(ctx, id, client.AttachOptions{Name: "bridge " + b.name, Mode: protocol.ModeBytes, Control: true})
}

// follow passes on the output until the end, and returns the exit status.
func (b *bridge) follow(stream *client.Stream) int {
	for {
		event, err := stream.Next(context.WithoutCancel(b.ctx))
		if err != nil {
			if status, ok := stream.ExitStatus(); ok && errors.Is(err, io.EOF) {
				return status
			}
			if b.ctx.Err() == nil {
				b.all.server.log.Warn("a session of the bridge is lost", "name", b.name, "error", err)
			}
			return 1
		}
		switch e := event.(type) {
		case client.Output:
			b.output(e.Data)
		case protocol.Snapshot:
			b.mu.Lock()
			b.term.Resize(e.Cols, e.Rows)
			b.mu.Unlock()
			b.output(e.Data)
		case protocol.Notice:
			b.mu.Lock()
			b.toAll(func(c *bridgeClient) { c.complain(e.Text) })
			b.mu.Unlock()
		case protocol.Gap:
			b.mu.Lock()
			b.toAll(func(c *bridgeClient) { c.complain(fmt.Sprintf("%d bytes of output are lost", e.To-e.From)) })
			b.mu.Unlock()
		case protocol.Size:
			b.mu.Lock()
			b.term.Resize(e.Cols, e.Rows)
			b.mu.Unlock()
		}
	}
}

// output sends the session's output to the clients, except for an incomplete character or sequence
// at its end.
func (b *bridge) output(data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := b.out.add(data)
	if len(text) == 0 {
		return
	}
	_, _ = b.term.Write(text) // never fails
	if len(b.clients) == 0 {
		return
	}
	b.backlog.add(text, b.all.backlog)
	b.toAll(func(c *bridgeClient) { poke(c.wake) })
}

// screen returns output that makes an empty terminal show the screen: the recent output since the
// last full erase if that suffices, because it includes what scrolled off the screen; else a
// picture of the screen.
func (b *bridge) screen() []byte {
	if b.out.torn {
		return b.term.Repaint()
	}
	newest := b.out.newest()
	if i := bytes.LastIndex(newest, []byte("\x1b[2J")); i >= 0 {
		newest = newest[i:]
	}
	want := b.term.Repaint()
	snap := b.term.Snapshot()
	again := vterm.New(vterm.Options{Cols: snap.Cols, Rows: snap.Rows, Scrollback: -1})
	_, _ = again.Write(newest) // never fails
	if bytes.Equal(again.Repaint(), want) || isPlain(newest) {
		return newest
	}
	return want
}

// isPlain reports whether a text has no control characters. The end of such a text can be shown
// without its beginning.
func isPlain(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

// over reports the end of the session to the clients. If goodbye has a code, it closes their
// connections.
func (b *bridge) over(g goodbye, status *int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.exit = status
	b.toAll(func(c *bridgeClient) { c.end(g) })
}

// ask executes the clients' requests until the session has ended, and ends it on request. It calls
// closed when a request to close the session is answered.
func (b *bridge) ask(stream *client.Stream, ended <-chan struct{}, closed func()) {
	for {
		select {
		case <-b.wake:
		case <-ended:
			return
		case <-b.ctx.Done():
			b.kill(stream, ended)
			return
		}
		b.mu.Lock()
		asked := b.asked
		b.asked = nil
		b.mu.Unlock()
		for _, m := range asked {
			err := b.pass(stream, m)
			if m.Type == "close" {
				closed()
			}
			if _, over := stream.ExitStatus(); over {
				continue // the session ended before it could answer, for example after a "close"; follow reports that
			}
			if err != nil && b.ctx.Err() == nil {
				b.mu.Lock()
				b.toAll(func(c *bridgeClient) { c.complain(err.Error()) })
				b.mu.Unlock()
			}
		}
	}
}

// pass executes one request.
func (b *bridge) pass(stream *client.Stream, m bridgeMessage) error {
	switch m.Type {
	case "data":
		// Limited only by b.ctx: a program that does not read can block it forever.
		err := stream.Input(b.ctx, []byte(m.Payload))
		b.mu.Lock()
		b.waiting -= len(m.Payload)
		b.mu.Unlock()
		return err
	case "resize":
		return stream.Resize(b.ctx, m.Cols, m.Rows)
	}
	return stream.Kill(b.ctx, syscall.SIGHUP)
}

// killTime is how long a session has to end after a signal.
const killTime = 2 * time.Second

// kill ends the session's command: first with SIGHUP, then with SIGKILL.
func (b *bridge) kill(stream *client.Stream, ended <-chan struct{}) {
	if b.all.server.BridgeServer != nil { // others may use the terminal, so it must continue
		_ = stream.Close()
		return
	}
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGKILL} {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), killTime)
		if err := stream.Kill(ctx, signal); err != nil && !errors.Is(err, client.ErrDisconnected) {
			b.all.server.log.Warn("a session of the bridge does not end", "name", b.name, "error", err)
		}
		select {
		case <-ended:
		case <-ctx.Done():
		}
		cancel()
		select {
		case <-ended:
			return
		default:
		}
	}
	_ = stream.Close() // it cannot be killed; follow ends
}

// valid converts bytes to valid UTF-8.
func valid(data []byte) []byte {
	return []byte(strings.ToValidUTF8(string(data), "\uFFFD"))
}
