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
