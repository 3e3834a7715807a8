package management

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// statusTryAgainLater is the close code for a client that is too slow.
const statusTryAgainLater = websocket.StatusTryAgainLater

// A client must respond to pings. Otherwise it loses control of its sessions.
const (
	pingEvery = 15 * time.Second
	pongTime  = 29 * time.Second // with pingEvery less than 45 s, after which the lease must be free
)

// deadTime is how long a connection may stay without a response.
const deadTime = 5 * time.Minute

// writeTime is the time limit for a write to a client.
const writeTime = 5 * time.Minute

// conn is a client's connection. Only its reader goroutine uses the fields without a comment.
type conn struct {
	p     *Protocol
	id    string
	ws    *websocket.Conn
	sizes bool            // the client wants the sizes of sessions
	local string          // this machine's address that the client uses
	ctx   context.Context // cancelled when the connection ends
	stop  context.CancelFunc

	working sync.WaitGroup // readers and pings

	mu      sync.Mutex         // guards the fields below
	joins   map[string]*reader // by session
	follows map[string]*follow // by session
	typists map[string]*typist // by session
	own     map[string]bool    // sessions that this client has started
	jobs    map[string]*job    // jobs of send_command, by command id
	fans    bool               // receives the output of all sessions
	killed  bool               // was already notified of the shell's end
}

// typist is the stream over which a client types into a session that it has started.
type typist struct{ stream *client.Stream }

func newConn(p *Protocol, ws *websocket.Conn) *conn {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	return &conn{p: p, ws: ws, id: "ws-" + hex.EncodeToString(id[:]), joins: map[string]*reader{},
		follows: map[string]*follow{},
		typists: map[string]*typist{}, own: map[string]bool{}, jobs: map[string]*job{}}
}

// run serves the client until it leaves or the server ends.
func (c *conn) run(ctx context.Context) error {
	if addr, ok := ctx.Value(http.LocalAddrContextKey).(net.Addr); ok {
		c.local, _, _ = net.SplitHostPort(addr.String())
	}
	// r.Context ends with the server, but the close frame must still be sent.
	c.ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer c.leaveAll()
	defer c.stop()
	closing := context.AfterFunc(ctx, func() {
		_ = c.ws.Close(websocket.StatusGoingAway, "server is shutting down") // the client may be gone
		c.stop()
	})
	defer closing()
	defer func() { _ = c.ws.CloseNow() }()
	accepted := make([]string, len(handlers))
	for i, h := range handlers {
		accepted[i] = h.name
	}
	err := c.send(helloMessage{"server_hello", c.p.Version, accepted,
		[]string{"replay_buffer", "session_frames", "keyframes", "pty_signals"}})
	if err != nil {
		return err
	}
	c.working.Go(c.pings)
	for {
		kind, message, err := c.ws.Read(c.ctx)
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			continue
		}
		if err := c.handle(message); err != nil {
			return err
		}
	}
}

// handle processes a message. An error ends the connection.
func (c *conn) handle(message []byte) error {
	r, handle, err := parse(message)
	if err != nil {
		return c.fail("Invalid message: " + err.Error())
	}
	return handle(c, r)
}

// pings sends pings to the client.
func (c *conn) pings() {
	tick := time.NewTicker(c.p.pingEvery)
	defer tick.Stop()
	for heard := time.Now(); time.Since(heard) < deadTime; {
		select {
		case <-c.ctx.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(c.ctx, c.p.pongTime)
		err := c.ws.Ping(ctx)
		cancel()
		if err == nil {
			heard = time.Now()
		} else if time.Since(heard) >= c.p.pongTime {
			c.freeAll()
		}
	}
	_ = c.ws.CloseNow()
	c.stop()
}

// freeAll releases the client's control of all sessions. It stays a member.
func (c *conn) freeAll() {
	c.mu.Lock()
	joins := make([]*reader, 0, len(c.joins))
	for _, r := range c.joins {
		joins = append(joins, r)
	}
	c.mu.Unlock()
	for _, r := range joins {
		r.h.revoked(c)
	}
}

// leaveAll ends everything that belongs to the client.
func (c *conn) leaveAll() {
	c.stop()
	c.mu.Lock()
	joins, typists, jobs := c.joins, c.typists, c.jobs
	c.joins, c.follows, c.typists, c.jobs = map[string]*reader{}, map[string]*follow{}, map[string]*typist{},
		map[string]*job{}
	c.mu.Unlock()
	c.working.Wait()
	for _, r := range joins {
		r.h.leave(c)
	}
	for _, t := range typists {
		_ = t.stream.Close()
	}
	for _, j := range jobs {
		j.end()
	}
	c.p.shell.left(c)
}

// close closes the connection with a code. Only its readers call it.
func (c *conn) close(code websocket.StatusCode, reason string) {
	c.working.Go(func() {
		_ = c.ws.Close(code, reason) // the client may be gone
		c.stop()
	})
}

// write writes a message. A client that is too slow is disconnected.
func (c *conn) write(message []byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, writeTime)
	defer cancel()
	return c.ws.Write(ctx, websocket.MessageText, message)
}

func (c *conn) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.write(b)
}

// fail sends an error. The connection stays open.
func (c *conn) fail(message string) error { return c.send(errorMessage{"error", message}) }

// messageOf returns the text of an error for a client.
func messageOf(err error) string {
	var refused *protocol.Error
	if errors.As(err, &refused) {
		return refused.Message
	}
	return cmp.Or(err.Error(), "unknown error")
}
