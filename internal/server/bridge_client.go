package server

import (
	"context"
	"fmt"

	"github.com/coder/websocket"
)

// bridgeLimit is the maximum amount of recent output that a new client is sent, in bytes.
const bridgeLimit = 64 << 10

// bridgeClient is a WebSocket of the bridge. Its fields are guarded by the mutex of its session.
type bridgeClient struct {
	ws   *websocket.Conn
	wake chan struct{}

	joined  bool  // it was sent the screen, if there was one
	next    int64 // offset in the backlog of the byte to send next
	errors  []string
	goodbye *goodbye
	left    bool // it is gone, or to go
}

// goodbye is how a session ends for a client. Without a code the WebSocket stays open.
type goodbye struct {
	message string // an error
	exit    *int
	code    websocket.StatusCode
	reason  string
}

func newBridgeClient(ws *websocket.Conn) *bridgeClient {
	return &bridgeClient{ws: ws, wake: make(chan struct{}, 1)}
}

// complain adds an error.
func (c *bridgeClient) complain(message string) {
	if len(c.errors) < 10 {
		c.errors = append(c.errors, message)
	}
	poke(c.wake)
}

// end ends the client with a goodbye.
func (c *bridgeClient) end(g goodbye) {
	c.goodbye = &g
	poke(c.wake)
}

// part is what a client is sent next.
type part struct {
	dropped int64 // bytes of output it was too slow for; text is then the screen
	text    []byte
	errors  []string
	goodbye *goodbye // sent after all output
	left    bool     // nothing more to send
}

func (p part) empty() bool { return len(p.text)+len(p.errors) == 0 && p.goodbye == nil && !p.left }

// write sends parts until the client is gone.
func (c *bridgeClient) write(ctx context.Context, b *bridge) {
	defer func() { _ = c.ws.CloseNow() }()
	for {
		p := b.take(c)
		if p.empty() {
			select {
			case <-c.wake:
			case <-ctx.Done():
				_ = c.ws.Close(websocket.StatusGoingAway, "server is shutting down") // it may be gone
				return
			}
			continue
		}
		if p.left || c.send(ctx, p) != nil {
			return
		}
		if p.goodbye != nil && c.farewell(ctx, *p.goodbye) {
			return
		}
	}
}

// send sends output and errors.
func (c *bridgeClient) send(ctx context.Context, p part) error {
	if p.dropped > 0 {
		message := fmt.Sprintf("%d bytes of output are left out, which came faster than they were read; the screen follows", p.dropped)
		if err := sendJSON(ctx, c.ws, map[string]any{"type": "error", "message": message, "dropped": p.dropped}); err != nil {
			return err
		}
	}
	if len(p.text) > 0 {
		if err := sendJSON(ctx, c.ws, map[string]any{"type": "data", "payload": string(p.text)}); err != nil {
			return err
		}
	}
	for _, message := range p.errors {
		if err := sendJSON(ctx, c.ws, map[string]any{"type": "error", "message": message}); err != nil {
			return err
		}
	}
	return nil
}

// farewell sends how the session ended, and reports whether it closed the WebSocket.
func (c *bridgeClient) farewell(ctx context.Context, g goodbye) (closed bool) {
	if g.message != "" && sendJSON(ctx, c.ws, map[string]any{"type": "error", "message": g.message}) != nil {
		return true
	}
	if g.exit != nil && sendJSON(ctx, c.ws, map[string]any{"type": "exit", "code": *g.exit}) != nil {
		return true
	}
	if g.code != 0 {
		_ = c.ws.Close(g.code, g.reason) // it may be gone
	}
	return g.code != 0
}
