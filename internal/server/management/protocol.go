package management

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/redact"
	wire "github.com/ptyrec/ptyrec/protocol/management"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Path is where the protocol is served.
const Path = wire.Path

// Options configure a Protocol. Sessions, Store, Start, AgentID and Shell are required.
type Options struct {
	Sessions *client.Client // the live sessions of this machine
	Store    *sqlite.Store  // what is known of them
	// Start runs a command in a new detached session and returns its id. An empty cwd is the
	// server's.
	Start func(ctx context.Context, command []string, cwd string, cols, rows int) (id string, err error)
	Shell []string // the command of start_shell

	AgentID        string
	Version        string           // of the program
	Redact         *redact.Redactor // of session_frame messages; nil: none
	ShellGrace     time.Duration    // how long a shell without starters lives; 0: 60 s
	AllowSubscribe bool             // the messages that reach beyond a client's own commands
	Log            *slog.Logger     // nil: slog.Default()

	// What is kept of each session for those who join; older frames come from the raw log.
	RingFrames int // 0: 512
	RingBytes  int // 0: 8 MiB
}

// ShellGrace is the default of Options.ShellGrace.
const ShellGrace = 60 * time.Second

// The defaults of Options.
const (
	ringFrames = maxWaiting
	ringBytes  = 8 << 20
)

// Tags of the sessions that clients have started, in the database.
const (
	tagShell   = "start_shell"
	tagCreated = "create_session"
)

// Protocol serves the clients. It is a server.Handlers. Close ends it.
type Protocol struct {
	Options
	started  time.Time
	instance string          // differs from that of any other server
	ctx      context.Context // ends with Close
	stop     context.CancelFunc
	running  sync.WaitGroup // goroutines of hubs and shells
	shell    shell

	pingEvery, pongTime time.Duration // constants but in tests

	mu    sync.Mutex // guards the fields below
	hubs  map[string]*hub
	ended map[string]bool // sessions that have ended or are being ended: their names are free
	conns map[*conn]bool
}

// New returns a Protocol. It looks for shells that an earlier server has left.
func New(o Options) *Protocol {
	if o.ShellGrace == 0 {
		o.ShellGrace = ShellGrace
	}
	if o.RingFrames == 0 {
		o.RingFrames = ringFrames
	}
	if o.RingBytes == 0 {
		o.RingBytes = ringBytes
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	p := &Protocol{Options: o, started: time.Now(), hubs: map[string]*hub{}, ended: map[string]bool{}, conns: map[*conn]bool{}}
	p.pingEvery, p.pongTime = pingEvery, pongTime
	p.instance = uuid.NewString()[:8]
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.shell.p = p
	p.shell.starting.Lock() // until it is known what there is
	p.running.Go(func() {
		defer p.shell.starting.Unlock()
		p.shell.adopt()
	})
	return p
}

// Close leaves the sessions, which go on. Clients must be gone before.
func (p *Protocol) Close() {
	p.stop()
	p.shell.close()
	p.running.Wait()
}

// Routes implements server.Handlers.
func (p *Protocol) Routes() map[string]http.Handler {
	return map[string]http.Handler{"GET " + Path: http.HandlerFunc(p.serve)}
}

// Refuse implements server.Handlers.
func (p *Protocol) Refuse(w http.ResponseWriter, _ *http.Request, status int, _, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(errorMessage{"error", message}) // if this fails, the client is gone
}

// serve makes a WebSocket of a request. The server's guard has checked the rest.
func (p *Protocol) serve(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		p.Refuse(w, r, http.StatusUpgradeRequired, "", "this is for WebSockets")
		return
	}
	var offered []string // a browser's token; the browser fails if none is selected
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for word := range strings.SplitSeq(line, ",") {
			offered = append(offered, strings.TrimSpace(word))
		}
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: offered})
	if err != nil {
		return // the client was told
	}
	ws.SetReadLimit(wire.MaxMessage)
	c := newConn(p, ws)
	c.sizes = r.Header.Get(wire.ClientHeader) != ""
	p.mu.Lock()
	p.conns[c] = true
	p.mu.Unlock()
	began := time.Now()
	err = c.run(r.Context())
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
	p.Log.DebugContext(r.Context(), "client left", "path", Path, "client", c.id, "from", r.RemoteAddr, "after", time.Since(began), "error", err)
}

// dashboard begins the name by which sessions know the clients of all servers.
const dashboard = "dashboard "

// name returns the name by which sessions know a client of this server.
func (p *Protocol) name(client string) string { return dashboard + p.instance + " " + client }

// others calls fn for each client that is connected.
func (p *Protocol) others(fn func(*conn)) {
	p.mu.Lock()
	all := make([]*conn, 0, len(p.conns))
	for c := range p.conns {
		all = append(all, c)
	}
	p.mu.Unlock()
	for _, c := range all {
		fn(c)
	}
}

// live is a session that runs.
type live struct {
	id      string
	name    string
	command string // command line
	shell   bool   // start_shell made it
}

// find returns a live session; ok is false if there is none with this id.
func (p *Protocol) find(ctx context.Context, id string) (l live, ok bool) {
	p.mu.Lock()
	ended := p.ended[id]
	p.mu.Unlock()
	if ended {
		return l, false
	}
	info, ok := p.runs(ctx, id)
	if !ok {
		return l, false
	}
	l = live{id: id, name: info.Name, shell: slices.Contains(info.Tags, tagShell) || p.shell.is(id)}
	if l.name == "" {
		l.name = id[:8]
	}
	if l.shell {
		l.name = shellName
	} else {
		l.command = strings.Join(info.Command, " ")
	}
	return l, true
}

// runs looks up a session in the database. ok reports whether it runs.
func (p *Protocol) runs(ctx context.Context, id string) (info *store.Info, ok bool) {
	info, err := p.Store.Find(ctx, id)
	return info, err == nil && info.ID == id && info.Status == store.Live
}

// list returns the live sessions, the oldest first.
func (p *Protocol) list(ctx context.Context) (all []live) {
	ids, err := p.Sessions.IDs()
	if err != nil {
		p.Log.WarnContext(ctx, "no live sessions", "error", err)
	}
	for _, id := range ids {
		if l, ok := p.find(ctx, id); ok {
			all = append(all, l)
		}
	}
	return all
}

// named returns the live session with a name; ok is false if there is none.
func (p *Protocol) named(ctx context.Context, name string) (live, bool) {
	all := p.list(ctx)
	i := slices.IndexFunc(all, func(l live) bool { return l.name == name })
	if i < 0 {
		return live{}, false
	}
	return all[i], true
}

// commanded returns the id of the live session with a command id; ok is false if there is none.
func (p *Protocol) commanded(commandID string) (id string, ok bool) {
	ids, _ := p.Sessions.IDs() // list reports errors
	i := slices.IndexFunc(ids, func(id string) bool { return commandIDOf(id) == commandID })
	if i < 0 {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return ids[i], !p.ended[ids[i]]
}

// commandIDOf returns the command_id of a session: a UUID of version 4 that derives from its id, so
// that it stays the same as long as the session lives.
func commandIDOf(id string) string {
	sum := sha256.Sum256([]byte("ptyrec command " + id))
	u := uuid.UUID(sum[:16])
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}

// over notes that a session has ended, and tells those who have to know.
func (p *Protocol) over(h *hub) {
	p.mu.Lock()
	if p.hubs[h.id] == h {
		delete(p.hubs, h.id)
	}
	p.mu.Unlock()
	p.retire(h.id)
}

// retire frees the name of a session that has ended or is being ended. Clients that follow it still
// get the rest of its output.
func (p *Protocol) retire(id string) {
	p.mu.Lock()
	if len(p.ended) > maxEnded {
		p.ended = map[string]bool{}
	}
	p.ended[id] = true
	p.mu.Unlock()
	p.shell.over(id)
}

// maxEnded bounds Protocol.ended: only sessions that have just ended matter.
const maxEnded = 10_000

// hub returns the hub of a session, which release must be called for.
func (p *Protocol) hub(ctx context.Context, l live) (*hub, error) {
	p.mu.Lock()
	if p.ctx.Err() != nil {
		p.mu.Unlock()
		return nil, errors.New("server is shutting down")
	}
	h := p.hubs[l.id]
	if h == nil {
		h = newHub(p, l)
		p.hubs[l.id] = h
		p.running.Go(h.run)
	}
	h.users++
	p.mu.Unlock()
	select {
	case <-h.ready:
	case <-ctx.Done():
		p.release(h)
		return nil, ctx.Err()
	}
	if h.err != nil {
		p.release(h)
		if errors.Is(h.err, session.ErrNotFound) {
			return nil, session.ErrNotFound
		}
		return nil, h.err
	}
	return h, nil
}

// hubLinger is how long a hub stays that nobody uses: somebody may come back.
const hubLinger = 10 * time.Second

// release lets go of a hub.
func (p *Protocol) release(h *hub) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.users--; h.users > 0 {
		return
	}
	if h.failed() {
		p.drop(h)
		return
	}
	time.AfterFunc(hubLinger, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if h.users == 0 {
			p.drop(h)
		}
	})
}

// drop ends a hub. The caller holds p.mu.
func (p *Protocol) drop(h *hub) {
	if p.hubs[h.id] == h {
		delete(p.hubs, h.id)
	}
	h.stop()
}
