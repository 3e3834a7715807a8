package server

import (
	"context"
	"sync"

	"github.com/coder/websocket"
)

// bridgeLimit bounds what is kept for clients of the bridge, in bytes: of the newest output, for those who join, and of what waits
// for one that is slow, which gets the screen instead of more.
const bridgeLimit = 64 << 10

// bridgeClient is one WebSocket of the bridge. Its session puts in, write takes out.
type bridgeClient struct {
	ws    *websocket.Conn
	wake  chan struct{}
	stale bool // it missed output, and waits for the screen; belongs to the session

	mu      sync.Mutex // guards the fields below
	pending []byte
	errors  []string
	bye     *goodbye
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

// data adds output. Where too much waits, all of it is dropped for the screen, which comes with the next output.
func (c *bridgeClient) data(text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending)+len(text) > bridgeLimit && len(c.pending) > 0 {
		c.pending, c.stale = nil, true
		return
	}
	c.pending = append(c.pending, text...)
	poke(c.wake)
}

// replace puts the screen in the place of what waits.
func (c *bridgeClient) replace(screen []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale, c.pending = false, append([]byte{}, screen...)
	poke(c.wake)
}

// complain adds an error.
func (c *bridgeClient) complain(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.errors) < 10 {
		c.errors = append(c.errors, message)
	}
	poke(c.wake)
}

// end says goodbye, behind what waits.
func (c *bridgeClient) end(g goodbye) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bye = &g
	poke(c.wake)
}

// leave ends write.
func (c *bridgeClient) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = true
	poke(c.wake)
}

// take gives what waits.
func (c *bridgeClient) take() (text []byte, errors []string, bye *goodbye, left bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, errors, bye, left = c.pending, c.errors, c.bye, c.left
	c.pending, c.errors, c.bye = nil, nil, nil
	return text, errors, bye, left
}

// write sends what waits until the client is gone.
func (c *bridgeClient) write(ctx context.Context, b *bridge) {
	defer func() { _ = c.ws.CloseNow() }()
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			_ = c.ws.Close(websocket.StatusGoingAway, "the server ends") // it may be gone
			return
		}
		text, errors, bye, left := c.take()
		if left || c.send(ctx, text, errors) != nil {
			return
		}
		b.catchUp(c)
		if bye != nil && c.farewell(ctx, *bye) {
			return
		}
	}
}

// send sends output and errors.
func (c *bridgeClient) send(ctx context.Context, text []byte, errors []string) error {
	if len(text) > 0 {
		if err := sendJSON(ctx, c.ws, map[string]any{"type": "data", "payload": string(text)}); err != nil {
			return err
		}
	}
	for _, message := range errors {
		if err := sendJSON(ctx, c.ws, map[string]any{"type": "error", "message": message}); err != nil {
			return err
		}
	}
	return nil
}

// farewell tells how it ended, and tells that the WebSocket is closed.
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
