package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/protocol"
)

// The initial size of the bridge's windows, in cells.
const (
	bridgeCols = 120
	bridgeRows = 30
)

// bridgeTTL is the default time for which a session of the bridge without clients is kept.
const bridgeTTL = 30 * time.Second

// bridges are the sessions of /ws/pty, by the names that clients use for them. Each is an ordinary
// detached session that runs the command passed to `ptyrec serve`. It ends when it has had no
// client for a while, when a client closes it, and with the server.
type bridges struct {
	server  *Server
	ttl     time.Duration
	backlog int64 // how much output to keep for slow clients of a session, in bytes

	mu     sync.Mutex // guards the fields below
	closed bool
	byName map[string]*bridge
}

func (b *bridges) init(s *Server) {
	b.server, b.ttl, b.backlog, b.byName = s, s.BridgeTTL, backlogLimit, map[string]*bridge{}
	if b.ttl == 0 {
		b.ttl = bridgeTTL
	}
}

// maxBridges is the maximum number of sessions of the bridge.
const maxBridges = 100

// join adds a client to the session with this name. It starts the session if there is none.
func (b *bridges) join(name string, c *bridgeClient) (*bridge, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, problem(http.StatusServiceUnavailable, protocol.CodeUnavailable, "server is shutting down")
	}
	s := b.byName[name]
	if s == nil || s.closing {
		if s == nil && len(b.byName) >= maxBridges {
			return nil, problem(http.StatusServiceUnavailable, protocol.CodeTooMany, "too many terminals: %d are open",
				maxBridges)
		}
		before := s
		s = newBridge(b, name)
		if before != nil {
			s.before = before.closed
		}
		b.byName[name] = s
		b.server.running.Go(s.run)
	}
	s.add(c)
	return s, nil
}

// forget removes a session. Its name can be used again.
func (b *bridges) forget(s *bridge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byName[s.name] == s {
		delete(b.byName, s.name)
	}
}

// release frees the name of a session that a client closes, for the next client.
func (b *bridges) release(s *bridge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.closing = true
}

// close ends all sessions. Server.running waits for them.
func (b *bridges) close() {
	b.mu.Lock()
	b.closed = true
	all := slices.Collect(maps.Values(b.byName))
	b.mu.Unlock()
	for _, s := range all {
		s.stop()
	}
}

// hasBridge reports whether the server has a bridge.
func (s *Server) hasBridge() bool {
	return (s.BridgeServer != nil || len(s.Bridge) > 0 && s.Start != nil) && !s.ReadOnly
}

// bridgeMessage is a message of the bridge, in either direction.
type bridgeMessage struct {
	Type    string `json:"type"` // in: data, resize, close; out: data, exit, error
	Payload string `json:"payload"`
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
}

// maxBridgeMessage is the maximum length of a client's message, in bytes.
const maxBridgeMessage = 1 << 20

// pty serves the bridge's WebSocket.
func (s *Server) pty(w http.ResponseWriter, r *http.Request) error {
	switch {
	case !s.hasBridge():
		return problem(http.StatusNotFound, "not_found", "this server has no terminals for browsers")
	case rightOf(r) < mayWrite:
		return errNoToken
	case s.inside(r):
		return errInside
	case s.freeCommand(r):
		return problem(http.StatusForbidden, "forbidden",
			"clients cannot choose the command; it is set by `ptyrec serve --bridge-command`")
	}
	ctx, ws, done, err := s.accept(w, r, maxBridgeMessage)
	if err != nil {
		return err
	}
	defer done()
	began := time.Now()
	c := newBridgeClient(ws)
	b, err := s.bridges.join(r.PathValue("name"), c)
	if err != nil {
		_ = ws.Close(websocket.StatusTryAgainLater, err.Error()) // the client may be gone
		return nil
	}
	defer b.remove(c)
	var writing sync.WaitGroup
	writing.Go(func() { c.write(ctx, b) })
	for {
		var kind websocket.MessageType
		var message []byte
		if kind, message, err = ws.Read(ctx); err != nil {
			break
		}
		var m bridgeMessage
		if kind == websocket.MessageText && json.Unmarshal(message, &m) == nil { // malformed messages are ignored
			b.do(m)
		}
	}
	b.leave(c)
	writing.Wait()
	s.noteEnd(r, began, err)
	return nil
}

// freeCommand reports whether a client names a command, which the protocol allows and we reject.
func (s *Server) freeCommand(r *http.Request) bool {
	q := r.URL.Query()
	return q.Has("command") || q.Has("args") || q.Has("cwd") || q.Has("wsEndpoint")
}
