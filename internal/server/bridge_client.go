package server

import (
	"context"
	"fmt"

	"github.com/coder/websocket"
)

// bridgeLimit is how much recent output a new client receives, in bytes.
const bridgeLimit = 64 << 10

// bridgeClient is a WebSocket of the bridge. The mutex of its session guards its fields.
type bridgeClient struct {
	ws   *websocket.Conn
	wake chan struct{}

	joined  bool  // it has received the screen, if there was one
	next    int64 // offset in the backlog of the next byte to send
	errors  []string
	goodbye *goodbye
	left    bool // it has left or is being disconnected
}

// goodbye describes to a client how a session ended. If code is 0, the WebSocket stays open.
type goodbye struct {
	message string // an error message, or empty
	exit    *int
	code    websocket.StatusCode
	reason  string
}

func newBridgeClient(ws *websocket.Conn) *bridgeClient {
	return &bridgeClient{ws: ws, wake: make(chan struct{}, 1)}
}

// complain queues an error message.
func (c *bridgeClient) complain(message string) {
	if len(c.errors) < 10 {
		c.errors = append(c.errors, message)
	}
	poke(c.wake)
}

// end queues a goodbye.
func (c *bridgeClient) end(g goodbye) {
	c.goodbye = &g
	poke(c.wake)
}

// part is what to send to a client next.
type part struct {
	dropped int64 // bytes of output lost because the client was too slow; text is then the screen
	text    []byte
	errors  []string
	goodbye *goodbye // sent after all output
	left    bool     // there is nothing more to send
}

func (p part) empty() bool { return len(p.text)+len(p.errors) == 0 && p.goodbye == nil && !p.left }

// write sends parts until the client has left.
func (c *bridgeClient) write(ctx context.Context, b *bridge) {
	defer func() { _ = c.ws.CloseNow() }()
	for {
		p := b.take(c)
		if p.empty() {
			select {
			case <-c.wake:
			case <-ctx.Done():
				_ = c.ws.Close(websocket.StatusGoingAway, "server is shutting down") // the client may be gone
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
		message := fmt.Sprintf("skipped %d bytes of output that were not read in time; the screen follows",
			p.dropped)
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

// farewell sends a goodbye, and reports whether it closed the WebSocket.
func (c *bridgeClient) farewell(ctx context.Context, g goodbye) (closed bool) {
	if g.message != "" && sendJSON(ctx, c.ws, map[string]any{"type": "error", "message": g.message}) != nil {
		return true
	}
	if g.exit != nil && sendJSON(ctx, c.ws, map[string]any{"type": "exit", "code": *g.exit}) != nil {
		return true
	}
	if g.code != 0 {
		_ = c.ws.Close(g.code, g.reason) // the client may be gone
	}
	return g.code != 0
}
