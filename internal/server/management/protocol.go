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

// Path is the path of the protocol.
const Path = wire.Path

// Options configure a Protocol. Sessions, Store, Start, AgentID and Shell are required.
type Options struct {
	Sessions *client.Client // this machine's live sessions
	Store    *sqlite.Store  // the database of sessions
	// Start runs a command in a new detached session and returns its id. An empty cwd means the
	// server's folder.
	Start func(ctx context.Context, command []string, cwd string, cols, rows int) (id string, err error)
	Shell []string // the command of start_shell

	AgentID        string
	Version        string           // the program's version
	Redact         *redact.Redactor // for session_frame messages; nil: masks nothing
	ShellGrace     time.Duration    // how long a shell without clients is kept; 0: 60 s
	AllowSubscribe bool             // allow the messages that affect more than a client's own commands
	Log            *slog.Logger     // nil: slog.Default()

	// Limits of what is kept of each session for clients that join. Older frames come from the raw
	// log.
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

// Tags in the database of the sessions that clients have started.
const (
	tagShell   = "start_shell"
	tagCreated = "create_session"
)

// Protocol serves the clients. It implements server.Handlers. Close ends it.
type Protocol struct {
	Options
	started  time.Time
	instance string          // unique to this server
	ctx      context.Context // cancelled by Close
	stop     context.CancelFunc
	running  sync.WaitGroup // goroutines of hubs and shells
	shell    shell

	pingEvery, pongTime time.Duration // changed only by tests

	mu    sync.Mutex // guards the fields below
	hubs  map[string]*hub
	ended map[string]bool // sessions that have ended or are being ended, whose names are free
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
	p := &Protocol{Options: o, started: time.Now(), hubs: map[string]*hub{}, ended: map[string]bool{},
		conns: map[*conn]bool{}}
	p.pingEvery, p.pongTime = pingEvery, pongTime
	p.instance = uuid.NewString()[:8]
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.shell.p = p
	p.shell.starting.Lock() // held until the existing shell is found
	p.running.Go(func() {
		defer p.shell.starting.Unlock()
		p.shell.adopt()
	})
	return p
}

// Close disconnects from the sessions, which continue to run. All clients must have left.
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
	_ = json.NewEncoder(w).Encode(errorMessage{"error", message}) // an error means that the client is gone
}

// serve upgrades a request to a WebSocket. The server's guard has checked the request.
func (p *Protocol) serve(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		p.Refuse(w, r, http.StatusUpgradeRequired, "", "this address requires a WebSocket")
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
		return // the client has received the error
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
	p.Log.DebugContext(r.Context(), "client left", "path", Path, "client", c.id, "from", r.RemoteAddr, "after",
		time.Since(began), "error", err)
}

// dashboard is the prefix of the viewer names of the clients of all servers.
const dashboard = "dashboard "

// name returns the viewer name of a client of this server.
func (p *Protocol) name(client string) string { return dashboard + p.instance + " " + client }

// others calls fn for each connected client.
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

// live is a live session.
type live struct {
	id      string
	name    string
	command string // command line
	shell   bool   // started by start_shell
}

// find returns a live session. ok is false if there is none with this id.
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

// runs looks up a session in the database. ok reports whether it is live.
func (p *Protocol) runs(ctx context.Context, id string) (info *store.Info, ok bool) {
	info, err := p.Store.Find(ctx, id)
	return info, err == nil && info.ID == id && info.Status == store.Live
}

// list returns the live sessions, oldest first.
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

// named returns the live session with a name. ok is false if there is none.
func (p *Protocol) named(ctx context.Context, name string) (live, bool) {
	all := p.list(ctx)
	i := slices.IndexFunc(all, func(l live) bool { return l.name == name })
	if i < 0 {
		return live{}, false
	}
	return all[i], true
}

// commanded returns the id of the live session with a command id. ok is false if there is none.
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

// commandIDOf returns the command_id of a session: a UUID of version 4 that is derived from its id,
// so that it does not change.
func commandIDOf(id string) string {
	sum := sha256.Sum256([]byte("ptyrec command " + id))
	u := uuid.UUID(sum[:16])
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}

// over records that a session has ended, and notifies clients.
func (p *Protocol) over(h *hub) {
	p.mu.Lock()
	if p.hubs[h.id] == h {
		delete(p.hubs, h.id)
	}
	p.mu.Unlock()
	p.retire(h.id)
}

// retire frees the name of a session that has ended or is being ended. Clients that follow it still
// receive the rest of its output.
func (p *Protocol) retire(id string) {
	p.mu.Lock()
	if len(p.ended) > maxEnded {
		p.ended = map[string]bool{}
	}
	p.ended[id] = true
	p.mu.Unlock()
	p.shell.over(id)
}

// maxEnded limits Protocol.ended, in which only sessions that have just ended matter.
const maxEnded = 10_000

// hub returns the hub of a session. release must be called afterwards.
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

// hubLinger is how long an unused hub is kept.
const hubLinger = 10 * time.Second

// release ends the use of a hub.
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

// drop ends a hub. p.mu must be held.
func (p *Protocol) drop(h *hub) {
	if p.hubs[h.id] == h {
		delete(p.hubs, h.id)
	}
	h.stop()
}
