package client_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// manager is a management server with one machine, which is made of its documents: frames come from
// a ring, and the answer to a join may come at any place among them.
type manager struct {
	tb testing.TB

	// These do not change once it serves.
	banner    bool
	agents    []string
	ring      int                                     // frames that are kept; 0: all
	old       bool                                    // a fresh join without a keyframe replays nothing
	late      bool                                    // session_joined comes behind the replay
	refuse    string                                  // the answer to join_session
	subscribe bool                                    // subscribe is allowed
	cut       func() int                              // ends a connection after so many bytes; nil: never
	answer    func(*managerConn, map[string]any) bool // takes a request before the manager does

	url string

	mu      sync.Mutex // guards the fields below
	id      string     // of the session; empty: there is none
	next    int64
	frames  []map[string]any // output, keyframes and sizes
	conns   map[*managerConn]bool
	lease   *managerConn
	asked   []map[string]any // all requests
	headers []http.Header
	queries []string
	typed   strings.Builder
	killed  bool
	ended   *int
}

type managerConn struct {
	m      *manager
	ws     *websocket.Conn
	ctx    context.Context
	joined bool
	owns   bool // it has called start_shell

	mu   sync.Mutex // held while it writes
	dead bool       // it was cut; guarded by mu
}

const (
	agentID   = "agent-01"
	sessionID = "019a0000-0000-7000-8000-00000000000a"
	commandID = "7b2d0000-0000-4000-8000-00000000000a"
)

// serve starts the manager, and returns a client of it.
func (m *manager) serve(tb testing.TB) *client.Client {
	tb.Helper()
	m.listen(tb)
	c, err := client.Dial(tb.Context(), m.url, client.Options{Token: "secret-token"})
	if err != nil {
		tb.Fatal(err)
	}
	client.Hurry(c)
	return c
}

func (m *manager) listen(tb testing.TB) {
	m.tb = tb
	if m.agents == nil {
		m.agents = []string{agentID}
	}
	m.conns = map[*managerConn]bool{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(m.accept))
	if m.cut != nil {
		s.Listener = cutter{s.Listener, m.cut}
	}
	s.Start()
	m.url = "ws" + strings.TrimPrefix(s.URL, "http")
	tb.Cleanup(func() {
		m.drop()
		s.Close()
	})
}

// cutter cuts connections after so many bytes to the client.
type cutter struct {
	net.Listener
	after func() int
}

func (c cutter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &cutConn{conn, c.after()}, nil
}

type cutConn struct {
	net.Conn
	left int
}

func (c *cutConn) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		_, _ = c.Conn.Write(p[:max(0, len(p)+c.left)])
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

func (m *manager) accept(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.headers, m.queries = append(m.headers, r.Header), append(m.queries, r.URL.RawQuery)
	m.mu.Unlock()
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	c := &managerConn{m: m, ws: ws, ctx: r.Context()}
	m.mu.Lock()
	m.conns[c] = true
	m.mu.Unlock()
	defer m.leave(c)
	if m.banner {
		c.send(map[string]any{"type": "server_hello", "server_version": "1", "supported_client_messages": []string{},
			"features": []string{}})
	}
	for {
		_, b, err := ws.Read(c.ctx)
		if err != nil {
			return
		}
		var q map[string]any
		if err := json.Unmarshal(b, &q); err != nil {
			m.tb.Errorf("the client sent %q", b)
			return
		}
		m.mu.Lock()
		m.asked = append(m.asked, q)
		m.mu.Unlock()
		if m.answer == nil || !m.answer(c, q) {
			m.handle(c, q)
		}
	}
}

func (c *managerConn) send(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	c.raw(string(b))
}

func (c *managerConn) raw(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, time.Minute)
	defer cancel()
	if c.ws.Write(ctx, websocket.MessageText, []byte(text)) != nil {
		c.dead = true
		_ = c.ws.CloseNow()
	}
}

func (c *managerConn) fail(format string, args ...any) {
	c.send(map[string]any{"type": "error", "message": fmt.Sprintf(format, args...)})
}

// drop cuts all connections.
func (m *manager) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.conns {
		_ = c.ws.CloseNow()
	}
}

func (m *manager) leave(c *managerConn) {
	_ = c.ws.CloseNow()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.conns, c)
	if m.lease == c {
		m.lease = nil
	}
	if c.joined {
		m.members(nil)
	}
}

func (m *manager) handle(c *managerConn, q map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	agent, _ := q["agent_id"].(string)
	switch q["type"] {
	case "ping":
		c.send(map[string]any{"type": "pong", "timestamp": q["timestamp"]})
	case "list_agents":
		all := []map[string]any{}
		for _, id := range m.agents {
			all = append(all, map[string]any{"id": id, "hostname": id, "status": "Ready"})
		}
		c.send(map[string]any{"type": "agent_list", "agents": all})
	case "list_sessions":
		m.list(c, agent)
	case "start_shell":
		if !slices.Contains(m.agents, agent) {
			c.fail("Failed to start shell: Agent not found: %s", agent)
			return
		}
		if m.id == "" {
			m.id = sessionID
		}
		c.owns = true
		c.send(map[string]any{"type": "shell_started", "agent_id": agent, "command_id": commandID})
	case "subscribe":
		if !m.subscribe {
			c.fail("legacy agent-wide subscribe is disabled; join a session instead")
			return
		}
		c.owns = true
		c.send(map[string]any{"type": "subscribed", "agent_id": agent})
	case "join_session":
		m.join(c, q)
	case "session_input", "send_input":
		if q["type"] == "session_input" && m.lease != c {
			c.fail("Attached as observer (read-only); re-attach with role=controller to send input")
			return
		}
		m.typed.WriteString(q["data"].(string))
	case "session_resize":
		m.add(map[string]any{"kind": "resize", "cols": q["cols"], "rows": q["rows"]})
	case "kill_session":
		m.killed = true
		c.send(map[string]any{"type": "session_killed", "agent_id": agent, "session_name": q["session_name"]})
	default:
		c.fail("Invalid message: unknown variant `%v`", q["type"])
	}
}

func (m *manager) list(c *managerConn, agent string) {
	all := []map[string]any{}
	if m.id != "" && agent == m.agents[0] {
		one := map[string]any{
			"session_name": "main", "command_id": commandID, "session_id": m.id, "session_type": "interactive", "command": "",
			"running":  true,
			"liveness": map[string]any{"agent_connected": true, "replay_newest_seq": nil, "max_client_lag": 0},
		}
		if len(m.frames) > 0 {
			one["liveness"] = map[string]any{"agent_connected": true, "replay_newest_seq": m.frames[len(m.frames)-1]["seq"]}
		}
		all = append(all, one)
	}
	c.send(map[string]any{"type": "session_list", "agent_id": agent, "sessions": all})
}

func (m *manager) join(c *managerConn, q map[string]any) {
	if m.refuse != "" {
		c.fail("%s", m.refuse)
		return
	}
	if q["session_id"] != m.id || m.ended != nil {
		c.fail("Session '%v' not found", q["session_id"])
		return
	}
	role := "observer"
	if q["role"] == "controller" && m.lease == nil {
		role, m.lease = "controller", c
	}
	joined := map[string]any{"type": "session_joined", "session_id": m.id, "role": role, "current_seq": m.next}
	if !m.late {
		c.send(joined)
	}
	for _, f := range m.replay(q["replay_from"]) {
		c.send(f)
	}
	c.joined = true
	c.send(m.frame(map[string]any{"kind": "role_assigned", "role": role}))
	m.members(c)
	if m.late {
		c.send(joined)
	}
}

// replay returns the frames that a join replays. The caller holds m.mu.
func (m *manager) replay(from any) []map[string]any {
	kept := m.frames
	if m.ring > 0 && len(kept) > m.ring {
		kept = kept[len(kept)-m.ring:]
	}
	if from == nil {
		for i, f := range slices.Backward(kept) {
			if f["kind"] == "keyframe" {
				return kept[i:]
			}
		}
		if m.old {
			return nil
		}
		return kept
	}
	i := slices.IndexFunc(kept, func(f map[string]any) bool { return f["seq"].(int64) >= int64(from.(float64)) })
	if i < 0 {
		return nil
	}
	return kept[i:]
}

// frame numbers a frame. The caller holds m.mu.
func (m *manager) frame(f map[string]any) map[string]any {
	f["type"], f["session_id"], f["seq"], f["ts"] = "session_frame", m.id, m.next, 1_700_000_000_000+m.next
	m.next++
	return f
}

// add sends a frame to all who have joined, and keeps it. The caller holds m.mu.
func (m *manager) add(f map[string]any) {
	m.frame(f)
	m.frames = append(m.frames, f)
	m.toAll(f)
}

func (m *manager) toAll(f map[string]any) {
	for c := range m.conns {
		if c.joined {
			c.send(f)
		}
	}
}

// members says who has joined. The caller holds m.mu.
func (m *manager) members(*managerConn) {
	controllers := []string{}
	if m.lease != nil {
		controllers = append(controllers, "ws-00000001")
	}
	m.toAll(m.frame(map[string]any{"kind": "membership_changed", "controllers": controllers, "observers": []string{}}))
}

// output is what the session writes.
func (m *manager) output(data string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.id = sessionID
	m.add(map[string]any{"kind": "output", "stream": "stdout", "data": base64.StdEncoding.EncodeToString([]byte(data))})
	for c := range m.conns {
		if c.owns {
			c.send(map[string]any{"type": "output", "agent_id": agentID, "command_id": commandID, "stream": "stdout",
				"data": data, "ts": 1_700_000_000_000})
		}
	}
}

// keyframe is a picture of the screen.
func (m *manager) keyframe(data string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(map[string]any{"kind": "keyframe", "stream": "stdout", "data": base64.StdEncoding.EncodeToString([]byte(data))})
}

// end ends the session.
func (m *manager) end(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = &status
	m.toAll(m.frame(map[string]any{"kind": "closed", "exit_code": status}))
}

// requests returns the requests of a type.
func (m *manager) requests(kind string) (found []map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, q := range m.asked {
		if q["type"] == kind {
			found = append(found, q)
		}
	}
	return found
}

// viewer reads a stream to its end, and keeps what it says.
type viewer struct {
	s    *client.Stream
	done chan struct{}
	err  error

	mu      sync.Mutex // guards the fields below
	shown   strings.Builder
	notices []string
	events  []client.Event
}

func watch(tb testing.TB, c *client.Client, o client.AttachOptions) *viewer {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	s, err := c.Attach(ctx, "", o)
	if err != nil {
		tb.Fatal(err)
	}
	v := &viewer{s: s, done: make(chan struct{})}
	go v.read()
	tb.Cleanup(func() {
		_ = s.Close()
		<-v.done
	})
	return v
}

func (v *viewer) read() {
	defer close(v.done)
	for {
		e, err := v.s.Next(context.Background())
		if err != nil {
			v.err = err
			return
		}
		v.mu.Lock()
		v.events = append(v.events, e)
		switch e := e.(type) {
		case client.Output:
			v.shown.Write(e.Data)
		case protocol.Snapshot:
			v.shown.Write(e.Data)
		case protocol.Numbered:
			if e.Kind == protocol.NumberedOutput {
				v.shown.Write(e.Data)
			}
		case protocol.Notice:
			v.notices = append(v.notices, e.Text)
		}
		v.mu.Unlock()
	}
}

func (v *viewer) text() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.shown.String()
}

func (v *viewer) told() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Join(v.notices, "\n")
}

// count returns how many events are of a type.
func count[T any](v *viewer) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range v.events {
		if _, ok := e.(T); ok {
			n++
		}
	}
	return n
}

// over waits for the end of the stream.
func (v *viewer) over(tb testing.TB) {
	tb.Helper()
	select {
	case <-v.done:
	case <-time.After(time.Minute):
		tb.Fatal("the stream does not end")
	}
}
