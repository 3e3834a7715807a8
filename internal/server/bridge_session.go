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
	ctx  context.Context // ends when the session is to end
	stop context.CancelFunc
	wake chan struct{} // gets a value when something is asked

	closing bool            // a client has asked to close the session: its name is free; guarded by all.mu
	closed  chan struct{}   // closed when that request is answered, or the session has ended
	before  <-chan struct{} // closed of the session that had the name before; nil: none had it

	mu      sync.Mutex // guards the fields below
	clients map[*bridgeClient]struct{}
	ttl     *time.Timer // runs while there is no client; nil where nobody came yet
	out     tail
	backlog backlog
	term    *vterm.Term
	asked   []bridgeMessage
	waiting int  // bytes that are asked to be typed
	exit    *int // the status, once it is over
}

func newBridge(all *bridges, name string) *bridge {
	b := &bridge{all: all, name: name, wake: make(chan struct{}, 1), closed: make(chan struct{}), clients: map[*bridgeClient]struct{}{},
		term: vterm.New(vterm.Options{Cols: bridgeCols, Rows: bridgeRows, Scrollback: -1})}
	b.ctx, b.stop = context.WithCancel(all.server.stopped)
	return b
}

// add adds a client, which is sent the screen first if there is one.
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

// leave stops writing to a client.
func (b *bridge) leave(c *bridgeClient) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.left = true
	poke(c.wake)
}

// take returns what a client is sent next.
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

// forgetSent drops what all clients have been sent.
func (b *bridge) forgetSent() {
	least := b.backlog.end
	for c := range b.clients {
		least = min(least, c.next)
	}
	b.backlog.dropBefore(least)
}

// remove takes a client out. The session lives on for a while.
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

// sweep ends the session where it still has no client.
func (b *bridge) sweep() {
	b.mu.Lock()
	empty := len(b.clients) == 0
	b.mu.Unlock()
	if empty {
		b.all.forget(b)
		b.stop()
	}
}

// maxWaiting is how much may wait to be typed, in bytes. What is more is lost, and told.
const maxWaiting = 1 << 20

// do notes what a client asks for. It is done in order, once the session is there.
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

// run is the session's life: it is started, watched, asked, and ended.
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
	forget := time.AfterFunc(b.all.ttl, func() { b.all.forget(b) }) // until then who joins is told the status
	context.AfterFunc(b.all.server.stopped, func() { forget.Stop() })
}

// closeTime is how long a new session waits until the session that had its name before is closed.
const closeTime = time.Second

// startTime is how long a session may take to start.
const startTime = 20 * time.Second

// start starts the session, and attaches to it from its first byte on.
func (b *bridge) start() (*client.Stream, error) {
	s := b.all.server
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), startTime) // who stops us wants what was started to be ended
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

// follow passes on the output until its end, and returns the exit status.
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

// output sends the session's output to the clients, but holds back an incomplete character or
// sequence at its end.
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

// screen returns what makes an empty terminal show the screen: the newest output from the last full
// erase on, if that does, as it has what scrolled off, too; else a picture of the screen.
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

// over tells the clients that the session is over, and closes their connections if goodbye has a
// code.
func (b *bridge) over(g goodbye, status *int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.exit = status
	b.toAll(func(c *bridgeClient) { c.end(g) })
}

// ask passes on what clients ask for, until the session has ended, and ends it when that is wanted.
// It calls closed when a request to close the session is answered.
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
				continue // it ended before it could answer, as at a "close": follow says so
			}
			if err != nil && b.ctx.Err() == nil {
				b.mu.Lock()
				b.toAll(func(c *bridgeClient) { c.complain(err.Error()) })
				b.mu.Unlock()
			}
		}
	}
}

// pass passes one thing on.
func (b *bridge) pass(stream *client.Stream, m bridgeMessage) error {
	switch m.Type {
	case "data":
		err := stream.Input(b.ctx, []byte(m.Payload)) // until b.ctx is over: a program that reads nothing may let one wait for ever
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

// kill ends the session's command: it is asked, then made to.
func (b *bridge) kill(stream *client.Stream, ended <-chan struct{}) {
	if b.all.server.BridgeServer != nil { // others may use the terminal: it goes on without us
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
	_ = stream.Close() // it is beyond us; follow ends
}

// valid makes a text of bytes that may be none.
func valid(data []byte) []byte {
	return []byte(strings.ToValidUTF8(string(data), "\uFFFD"))
}
