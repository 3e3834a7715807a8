package management

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	wire "github.com/ptyrec/ptyrec/protocol/management"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// The roles of those who join.
const (
	observer   = wire.Observer
	controller = wire.Controller
)

// maxWaiting is how many frames wait for a client at most.
const maxWaiting = 512

// keyframeTime is how often those who watch get a picture of a screen that changes.
const keyframeTime = 30 * time.Second

// entry is a frame of a session. It does not change once it is in a ring, except for its message.
type entry struct {
	number  int64
	outputs int64 // frames of output up to and with this one
	ts      int64 // Unix milliseconds
	kind    protocol.NumberedKind
	data    []byte // output as it was written; a keyframe's picture
	clean   []byte // output for session_frame: without secrets
	shared  bool   // it is in a ring; else it is one reader's alone
	once    sync.Once
	message []byte // the session_frame message that once makes of its bytes, if it is shared

	cols, rows int
	status     *int  // of the end
	lost       int64 // the frames up to this one are lost

	event       string // of a marker that this server put there, or of a keyframe
	client      string
	role        string
	controllers []string
	observers   []string
	private     bool // a keyframe that is for those only who asked for it
}

// cost is what an entry takes of the ring, in bytes.
func (e *entry) cost() int {
	if e.kind == protocol.NumberedOutput || len(e.data) > 0 {
		return len(e.data)
	}
	return 64
}

// mark is what a marker says.
type mark struct {
	Event string `json:"ptyrec"`
	Data  struct {
		Client  string `json:"client"`
		Role    string `json:"role"`
		Nonce   string `json:"nonce"`
		Private bool   `json:"private"`
	} `json:"data"`
}

// hub is one session as this server shows it to its clients.
type hub struct {
	p     *Protocol
	id    string
	live  live
	users int // guarded by p.mu

	ctx   context.Context // ends when the hub is dropped
	stop  context.CancelFunc
	ready chan struct{} // closed when err is set, or the hub is in use
	err   error

	leasing sync.Mutex // held while the lease changes hands

	// These belong to run until ready is closed; then they do not change.
	stream *client.Stream
	began  time.Time // of the session

	mu       sync.Mutex // guards the fields below
	ring     []*entry
	bytes    int   // of ring
	next     int64 // number of the next frame
	outputs  int64 // frames of output so far
	written  int64 // bytes of output so far
	term     *vterm.Term
	cols     int // of the window, in cells
	rows     int
	clean    *cleaner
	pictured int64             // outputs at the newest keyframe
	asking   bool              // for a keyframe
	asked    []chan struct{}   // closed when it has come
	members  map[string]string // roles by client
	marks    map[int64]*entry  // of this server, by number: the ring may be too short for a slow client
	pending  map[string]func(*entry)
	readers  map[*reader]bool
	lease    *lease
	closed   bool
	paced    time.Time // when crowded was called last
	status   *int
}

func newHub(p *Protocol, l live) *hub {
	h := &hub{p: p, id: l.id, live: l, ready: make(chan struct{}), members: map[string]string{}, marks: map[int64]*entry{},
		pending: map[string]func(*entry){}, readers: map[*reader]bool{}, clean: newCleaner(p.Redact)}
	h.ctx, h.stop = context.WithCancel(p.ctx)
	return h
}

// attachTime is how long a session may take to answer.
const attachTime = 10 * time.Second

func (h *hub) attach(o client.AttachOptions) (*client.Stream, error) {
	ctx, cancel := context.WithTimeout(h.ctx, attachTime)
	defer cancel()
	return h.p.Sessions.Attach(ctx, h.id, o)
}

// failed reports whether the hub could not attach to the session. A hub that still tries has not
// failed.
func (h *hub) failed() bool {
	select {
	case <-h.ready:
		return h.err != nil
	default:
		return false
	}
}

// run follows the session until it ends or the hub is dropped.
func (h *hub) run() {
	isReady := sync.OnceFunc(func() { close(h.ready) })
	defer isReady()
	h.stream, h.err = h.attach(client.AttachOptions{Name: h.p.name("watch"), Kind: protocol.Agent, Mode: protocol.ModeFrames})
	if h.err != nil {
		return
	}
	defer func() { _ = h.stream.Close() }()
	tick := time.AfterFunc(keyframeTime, h.periodic)
	defer tick.Stop()
	for {
		event, err := h.stream.Next(h.ctx)
		if err != nil {
			break
		}
		switch e := event.(type) {
		case client.Connected:
			h.began = e.Session.StartedAt
		case protocol.Snapshot:
			h.seed(e)
		case protocol.Numbered:
			h.pace()
			h.take(e)
			if e.Kind == protocol.NumberedNext {
				isReady()
			}
		}
	}
	if h.ctx.Err() == nil {
		h.end()
	}
}

// A client that reads, but more slowly than the session writes, holds up the session's other
// clients a little, so that those that are short of processor time only get all frames.
const (
	paceFrames = maxWaiting / 2         // behind
	paceAlive  = 200 * time.Millisecond // since it has taken the last one
	paceStep   = time.Millisecond
	paceCredit = 2 * time.Second // that the others wait for it, if it has kept up
	paceShare  = 10              // otherwise it may take this part of their time
)

// pace waits while a client is about to fall behind that still reads.
func (h *hub) pace() {
	for h.ctx.Err() == nil && h.crowded() {
		time.Sleep(paceStep)
	}
}

// crowded reports whether to wait for a client, and takes the time from its credit.
func (h *hub) crowded() (wait bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	passed := now.Sub(h.paced)
	h.paced = now
	for r := range h.readers {
		r.credit = min(paceCredit, r.credit+passed/paceShare)
		if !r.catching.Load() || h.next-r.told.Load() < paceFrames || now.UnixNano()-r.moved.Load() > int64(paceAlive) {
			continue
		}
		if r.credit >= paceStep {
			r.credit -= min(passed, r.credit)
			wait = true
		}
	}
	return wait
}

// seed begins the screen.
func (h *hub) seed(s protocol.Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.term = vterm.New(vterm.Options{Cols: s.Cols, Rows: s.Rows, Scrollback: -1})
	_, _ = h.term.Write(s.Data) // never fails
	h.written, h.cols, h.rows = s.Seq, s.Cols, s.Rows
}

// end says that the session is over.
func (h *hub) end() {
	h.p.over(h)
	h.mu.Lock()
	h.closed = true
	h.wake()
	h.mu.Unlock()
}

// take takes a frame of the session.
func (h *hub) take(n protocol.Numbered) {
	if n.Kind == protocol.NumberedExit {
		h.p.over(h) // before a client learns of it
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n.Kind == protocol.NumberedNext {
		h.next, h.outputs, h.pictured = n.Number, n.Outputs, n.Outputs
		return
	}
	e := h.entry(n, h.clean)
	h.next = n.Number + 1
	h.outputs = max(h.outputs, n.Outputs)
	switch n.Kind {
	case protocol.NumberedOutput:
		_, _ = h.term.Write(n.Data) // never fails
		h.written += int64(len(n.Data))
	case protocol.NumberedResize:
		h.term.Resize(e.cols, e.rows)
		h.cols, h.rows = e.cols, e.rows
	case protocol.NumberedExit:
		h.status = e.status
	case protocol.NumberedLost:
		h.next = e.lost
	case protocol.NumberedMark:
		h.next = n.Number + session.FrameMarkNumbers(n.Data)
		h.takeMark(e, n.Data)
	case protocol.NumberedNext:
	}
	h.keep(e)
	h.wake()
}

// entry makes an entry of a frame.
func (h *hub) entry(n protocol.Numbered, clean *cleaner) *entry {
	e := &entry{number: n.Number, outputs: n.Outputs, ts: h.began.Add(n.At).UnixMilli(), kind: n.Kind}
	switch n.Kind {
	case protocol.NumberedOutput:
		e.data, e.clean = n.Data, clean.add(n.Data)
	case protocol.NumberedResize:
		e.cols, e.rows = n.Size()
	case protocol.NumberedExit:
		status := n.Status()
		e.status, e.clean = &status, clean.rest()
	case protocol.NumberedLost:
		e.lost = n.End()
	case protocol.NumberedMark, protocol.NumberedNext:
	}
	return e
}

// keep puts an entry into the ring: the oldest make room, but one stays however large it is. The
// caller holds h.mu.
func (h *hub) keep(e *entry) {
	e.shared = true
	h.ring = append(h.ring, e)
	h.bytes += e.cost()
	drop := 0
	for ; drop < len(h.ring)-1 && (len(h.ring)-drop > h.p.RingFrames || h.bytes > h.p.RingBytes); drop++ {
		h.bytes -= h.ring[drop].cost()
	}
	clear(h.ring[:drop])
	h.ring = h.ring[drop:]
}

// wake wakes all readers. The caller holds h.mu.
func (h *hub) wake() {
	for r := range h.readers {
		poke(r.wake)
	}
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// takeMark does what a marker of this server is for. The caller holds h.mu.
func (h *hub) takeMark(e *entry, label []byte) {
	var m mark
	if json.Unmarshal(label, &m) != nil {
		return
	}
	if m.Event == session.EventKeyframe {
		for _, ch := range h.asked {
			close(ch)
		}
		h.pictured, h.asking, h.asked = h.outputs, false, nil
		e.event, e.private, e.data = m.Event, m.Data.Private, h.term.Repaint()
		if c := newCleaner(h.p.Redact); c != nil {
			e.data = append(c.add(e.data), c.rest()...)
		}
		return
	}
	then := h.pending[m.Data.Nonce]
	if then == nil {
		return // an earlier server's, or another one's
	}
	delete(h.pending, m.Data.Nonce)
	e.event, e.client, e.role = m.Event, m.Data.Client, m.Data.Role
	if m.Event == session.EventLeave {
		delete(h.members, e.client)
	} else {
		h.members[e.client] = e.role
	}
	e.controllers, e.observers = h.membersByRole()
	if len(h.marks) >= 4096 {
		clear(h.marks)
	}
	h.marks[e.number] = e
	then(e)
}

// membersByRole returns the clients, sorted. The caller holds h.mu.
func (h *hub) membersByRole() (controllers, observers []string) {
	controllers, observers = []string{}, []string{}
	for id, role := range h.members {
		if role == controller {
			controllers = append(controllers, id)
		} else {
			observers = append(observers, id)
		}
	}
	slices.Sort(controllers)
	slices.Sort(observers)
	return controllers, observers
}

// put puts a marker among the session's frames. then is called when it has come back, with h.mu
// held.
func (h *hub) put(event, client, role string, then func(*entry)) error {
	nonce := uuid.NewString()
	h.mu.Lock()
	h.pending[nonce] = then
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(h.ctx, attachTime)
	defer cancel()
	err := h.stream.Mark(ctx, event, map[string]any{"client": client, "role": role, "nonce": nonce})
	if err != nil {
		h.mu.Lock()
		delete(h.pending, nonce)
		h.mu.Unlock()
	}
	return err
}

// keyframe asks for a picture of the screen among the frames. The private ones are for those who
// asked.
func (h *hub) keyframe(private bool) error {
	h.mu.Lock()
	asking := h.asking
	h.asking = true
	h.mu.Unlock()
	if asking {
		return nil
	}
	ctx, cancel := context.WithTimeout(h.ctx, attachTime)
	defer cancel()
	err := h.stream.Mark(ctx, session.EventKeyframe, map[string]any{"private": private})
	if err != nil {
		h.mu.Lock()
		h.asking = false
		h.mu.Unlock()
	}
	return err
}

// periodic asks for a keyframe if the screen may have changed since the last one.
func (h *hub) periodic() {
	h.mu.Lock()
	changed := h.term != nil && h.outputs > h.pictured && !h.closed
	h.mu.Unlock()
	if changed {
		_ = h.keyframe(false) // the next one does
	}
	if h.ctx.Err() == nil {
		time.AfterFunc(keyframeTime, h.periodic)
	}
}

// Of a session with more frames or bytes than that, a client that joins gets a keyframe at first.
// These are the original's limits of what it keeps.
const (
	freshFrames = 72
	freshBytes  = 24 * 80 * 3 * 4
)

// begin returns where a client begins that names no place: at the newest keyframe, or at the first
// frame of a session with few. It asks for a keyframe if it needs one.
func (h *hub) begin() error {
	h.mu.Lock()
	few := h.next <= freshFrames && h.written <= freshBytes
	has := h.newestKeyframe(freshFrames, freshBytes) != nil
	h.mu.Unlock()
	if few || has {
		return nil
	}
	came := make(chan struct{})
	h.mu.Lock()
	h.asked = append(h.asked, came)
	h.mu.Unlock()
	if err := h.keyframe(true); err != nil {
		return err
	}
	select {
	case <-came:
		return nil
	case <-time.After(attachTime):
		return context.DeadlineExceeded
	case <-h.ctx.Done():
		return h.ctx.Err()
	}
}

// newestKeyframe returns the newest keyframe among the last frames of the ring, at most so many
// frames and bytes before its end, or nil. The caller holds h.mu.
func (h *hub) newestKeyframe(frames, bytes int) *entry {
	for i := len(h.ring) - 1; i >= max(0, len(h.ring)-frames) && bytes >= 0; i-- {
		if h.ring[i].event == session.EventKeyframe {
			return h.ring[i]
		}
		bytes -= h.ring[i].cost()
	}
	return nil
}

// from returns entries of the ring from a number on, at most so many. behind says that the first is
// not in it.
func (h *hub) from(number int64, most int) (found []*entry, behind bool) {
	if number >= h.next {
		return nil, false
	}
	i := sort.Search(len(h.ring), func(i int) bool { return h.ring[i].number >= number })
	if len(h.ring) == 0 || i == 0 && h.ring[0].number > number {
		return nil, true
	}
	return slices.Clone(h.ring[i:min(len(h.ring), i+most)]), false
}

// after returns the number of the first frame in the ring behind so many frames of output; ok is
// false if it is not there.
func (h *hub) after(outputs int64) (number int64, ok bool) {
	if outputs >= h.outputs {
		return h.next, true
	}
	i := sort.Search(len(h.ring), func(i int) bool { return h.ring[i].outputs > outputs })
	if i == len(h.ring) || h.ring[i].outputs != outputs+1 {
		return 0, false
	}
	return h.ring[i].number, true
}

// lease is a client's right to type. It is an attachment of its own to the session, which knows by
// that who types.
type lease struct {
	conn   *conn
	stream *client.Stream
}

// acquire makes a client the one who types, and reports whether it is.
func (h *hub) acquire(c *conn) bool {
	h.leasing.Lock()
	defer h.leasing.Unlock()
	h.mu.Lock()
	now := h.lease
	h.mu.Unlock()
	if now != nil {
		return now.conn == c
	}
	stream, ok := h.control(c.id, func() { h.revoked(c) })
	if !ok {
		return false
	}
	h.mu.Lock()
	h.lease = &lease{c, stream}
	h.mu.Unlock()
	return true
}

// control attaches to the session to type, and reports whether that is allowed: in a shell of
// start_shell always, else as long as its user grants it. Afterwards revoked is called.
func (h *hub) control(name string, revoked func()) (*client.Stream, bool) {
	kind := protocol.Agent
	if h.live.shell {
		kind = protocol.Human
	}
	stream, err := h.attach(client.AttachOptions{Name: h.p.name(name), Kind: kind, Mode: protocol.ModeNone, Control: true})
	if err != nil {
		return nil, false
	}
	event, err := stream.Next(h.ctx)
	hello, ok := event.(client.Connected)
	if err != nil || !ok || !may(hello.Control, hello.Viewer) {
		_ = stream.Close()
		return nil, false
	}
	h.p.running.Go(func() {
		for {
			event, err := stream.Next(h.ctx)
			if err != nil {
				return
			}
			if now, ok := event.(protocol.Control); ok && !may(now, hello.Viewer) {
				revoked()
				return
			}
		}
	})
	return stream, true
}

// may reports whether a viewer may type.
func may(c protocol.Control, viewer string) bool {
	i := slices.IndexFunc(c.Viewers, func(v protocol.Viewer) bool { return v.ID == viewer })
	return i >= 0 && c.Viewers[i].Control
}

// free takes the lease from a client, and reports whether it had it.
func (h *hub) free(c *conn) bool {
	h.leasing.Lock()
	defer h.leasing.Unlock()
	h.mu.Lock()
	l := h.lease
	had := l != nil && l.conn == c
	if had {
		h.lease = nil
	}
	h.mu.Unlock()
	if had {
		_ = l.stream.Close()
	}
	return had
}

// revoked makes a client an observer whose right to type was taken.
func (h *hub) revoked(c *conn) {
	if h.free(c) {
		_ = h.put(session.EventRole, c.id, observer, func(*entry) {}) // if the session is over, that is told
	}
}

// holds returns what a client types with; nil if it is not the controller.
func (h *hub) holds(c *conn) *client.Stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lease == nil || h.lease.conn != c {
		return nil
	}
	return h.lease.stream
}

// leave takes a client's membership back.
func (h *hub) leave(c *conn) {
	h.free(c)
	_ = h.put(session.EventLeave, c.id, "", func(*entry) {}) // if the session is over, that is told
}

// entryOf describes the session in a session_list, with its size if that is wanted.
func (p *Protocol) entryOf(l live, sizes bool) sessionEntry {
	e := sessionEntry{
		SessionName: l.name, CommandID: commandIDOf(l.id), SessionID: l.id, SessionType: "interactive", Command: l.command, Running: true,
		PTYURL: "wss://{host}/agents/" + p.AgentID + "/sessions/" + l.id + "/attach", PTYSubprotocol: "pty-ws.v1",
		ObserverURL:   "/ws/sessions/" + l.id + "/orchestrate?role=observer",
		ControllerURL: "/ws/sessions/" + l.id + "/orchestrate?role=controller",
		DefaultRole:   observer, ControllerPolicy: "controller input is policy-gated",
		Membership: membership{Controllers: []string{}, Observers: []string{}}, Liveness: liveness{AgentConnected: true},
	}
	p.mu.Lock()
	h := p.hubs[l.id]
	p.mu.Unlock()
	if h == nil {
		if sizes {
			e.Cols, e.Rows = p.sizeOf(l.id)
		}
		return e
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if sizes {
		e.Cols, e.Rows = h.cols, h.rows
	}
	e.Membership.Controllers, e.Membership.Observers = h.membersByRole()
	e.Membership.Attachments = len(h.members)
	if newest := h.next - 1; newest >= 0 {
		e.Liveness.ReplayNewestSeq = &newest
	}
	for r := range h.readers {
		e.Liveness.MaxClientLag = max(e.Liveness.MaxClientLag, h.next-cmp.Or(r.told.Load(), h.next))
	}
	return e
}

// sizeOf asks a session for the size of its window, in cells; 0 if it does not answer.
func (p *Protocol) sizeOf(id string) (cols, rows int) {
	ctx, cancel := context.WithTimeout(p.ctx, time.Second)
	defer cancel()
	stream, err := p.Sessions.Attach(ctx, id, client.AttachOptions{Name: p.name("list"), Kind: protocol.Agent, Mode: protocol.ModeNone})
	if err != nil {
		return 0, 0
	}
	defer func() { _ = stream.Close() }()
	event, _ := stream.Next(ctx)
	hello, _ := event.(client.Connected)
	return hello.Cols, hello.Rows
}

// errGone says that a reader is to stop.
var errGone = errors.New("gone")
