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

// The roles of clients that have joined.
const (
	observer   = wire.Observer
	controller = wire.Controller
)

// maxWaiting is the maximum number of frames that may wait for a client.
const maxWaiting = 512

// keyframeTime is the interval at which viewers receive a picture of a changing screen.
const keyframeTime = 30 * time.Second

// entry is a frame of a session. Once it is in a ring, only its message changes.
type entry struct {
	number  int64
	outputs int64 // number of output frames up to and including this one
	ts      int64 // Unix milliseconds
	kind    protocol.NumberedKind
	data    []byte // raw output, or the picture of a keyframe
	clean   []byte // output without secrets, for session_frame
	shared  bool   // it is in a ring; otherwise it belongs to one reader
	once    sync.Once
	message []byte // the session_frame message for its bytes, if it is shared; computed once

	cols, rows int
	status     *int  // exit status, at the end
	lost       int64 // the frames up to this number are lost

	event       string // of a marker of this server, or of a keyframe
	client      string
	role        string
	controllers []string
	observers   []string
	private     bool // a keyframe only for those who asked for it
}

// cost is the size of an entry in the ring, in bytes.
func (e *entry) cost() int {
	if e.kind == protocol.NumberedOutput || len(e.data) > 0 {
		return len(e.data)
	}
	return 64
}

// mark is the content of a marker.
type mark struct {
	Event string `json:"ptyrec"`
	Data  struct {
		Client  string `json:"client"`
		Role    string `json:"role"`
		Nonce   string `json:"nonce"`
		Private bool   `json:"private"`
	} `json:"data"`
}

// hub is a session as this server serves it to its clients.
type hub struct {
	p     *Protocol
	id    string
	live  live
	users int // guarded by p.mu

	ctx   context.Context // cancelled when the hub is dropped
	stop  context.CancelFunc
	ready chan struct{} // closed when err is set or the hub is usable
	err   error

	leasing sync.Mutex // held while the lease changes

	// Only run uses these until ready is closed. After that they do not change.
	stream *client.Stream
	began  time.Time // start of the session

	mu       sync.Mutex // guards the fields below
	ring     []*entry
	bytes    int   // size of ring
	next     int64 // number of the next frame
	outputs  int64 // number of output frames so far
	written  int64 // number of output bytes so far
	term     *vterm.Term
	cols     int // window size, in cells
	rows     int
	clean    *cleaner
	pictured int64             // outputs at the newest keyframe
	asking   bool              // a keyframe was requested
	asked    []chan struct{}   // closed when it arrives
	members  map[string]string // roles by client
	marks    map[int64]*entry  // markers of this server by number, because the ring may be too short for a slow client
	pending  map[string]func(*entry)
	readers  map[*reader]bool
	lease    *lease
	closed   bool
	paced    time.Time // time of the last call of crowded
	status   *int
}

func newHub(p *Protocol, l live) *hub {
	h := &hub{p: p, id: l.id, live: l, ready: make(chan struct{}), members: map[string]string{}, marks: map[int64]*entry{},
		pending: map[string]func(*entry){}, readers: map[*reader]bool{}, clean: newCleaner(p.Redact)}
	h.ctx, h.stop = context.WithCancel(p.ctx)
	return h
}

// attachTime is how long a session has to respond.
const attachTime = 10 * time.Second

func (h *hub) attach(o client.AttachOptions) (*client.Stream, error) {
	ctx, cancel := context.WithTimeout(h.ctx, attachTime)
	defer cancel()
	return h.p.Sessions.Attach(ctx, h.id, o)
}

// failed reports whether the hub could not attach to the session. A hub that is still trying has
// not failed.
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
	h.stream, h.err = h.attach(client.AttachOptions{Name: h.p.name("watch"), Kind: protocol.Agent,
		Mode: protocol.ModeFrames})
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

// A client that reads, but more slowly than the session writes, delays the session's other clients
// a little. So a client that is only short of processor time receives all frames.
const (
	paceFrames = maxWaiting / 2         // frames behind
	paceAlive  = 200 * time.Millisecond // since it received the last frame
	paceStep   = time.Millisecond
	paceCredit = 2 * time.Second // how long the others wait for it, if it has kept up before
	paceShare  = 10              // otherwise the share of time for which they wait
)

// pace waits while a client that still reads is about to fall behind.
func (h *hub) pace() {
	for h.ctx.Err() == nil && h.crowded() {
		time.Sleep(paceStep)
	}
}

// crowded reports whether to wait for a client, and charges the time to its credit.
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

// seed initialises the screen.
func (h *hub) seed(s protocol.Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.term = vterm.New(vterm.Options{Cols: s.Cols, Rows: s.Rows, Scrollback: -1})
	_, _ = h.term.Write(s.Data) // never fails
	h.written, h.cols, h.rows = s.Seq, s.Cols, s.Rows
}

// end marks the session as over.
func (h *hub) end() {
	h.p.over(h)
	h.mu.Lock()
	h.closed = true
	h.wake()
	h.mu.Unlock()
}

// take processes a frame of the session.
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

// entry converts a frame to an entry.
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

// keep adds an entry to the ring, and removes the oldest to make room; one always stays. h.mu must
// be held.
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

// wake wakes all readers. h.mu must be held.
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

// takeMark executes a marker of this server. h.mu must be held.
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
		return // it belongs to an earlier or another server
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

// membersByRole returns the clients, sorted. h.mu must be held.
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

// put writes a marker to the session's log. then is called when it comes back as a frame, with h.mu
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

// keyframe requests a picture of the screen among the frames. A private one is sent only to those
// who asked for one.
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

// periodic requests a keyframe if the screen may have changed since the last one.
func (h *hub) periodic() {
	h.mu.Lock()
	changed := h.term != nil && h.outputs > h.pictured && !h.closed
	h.mu.Unlock()
	if changed {
		_ = h.keyframe(false) // the next call tries again
	}
	if h.ctx.Err() == nil {
		time.AfterFunc(keyframeTime, h.periodic)
	}
}

// If a session has more frames or bytes than this, a client that joins starts with a keyframe.
// These are the original's limits of what it keeps.
const (
	freshFrames = 72
	freshBytes  = 24 * 80 * 3 * 4
)

// begin returns the frame at which a client starts that does not ask for a particular one: the
// newest keyframe, or the first frame of a short session. It requests a keyframe if there is none.
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

// newestKeyframe returns the newest keyframe in the ring that is followed by at most the given
// number of frames and bytes, or nil. h.mu must be held.
func (h *hub) newestKeyframe(frames, bytes int) *entry {
	for i := len(h.ring) - 1; i >= max(0, len(h.ring)-frames) && bytes >= 0; i-- {
		if h.ring[i].event == session.EventKeyframe {
			return h.ring[i]
		}
		bytes -= h.ring[i].cost()
	}
	return nil
}

// from returns up to most entries of the ring, starting at a number. behind means that the first is
// not in the ring any more.
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

// after returns the number of the first frame in the ring that follows a number of output frames.
// ok is false if the ring does not contain it.
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

// lease is a client's right to type. It is a separate attachment to the session, so that the
// session knows who types.
type lease struct {
	conn   *conn
	stream *client.Stream
}

// acquire gives a client the right to type, and reports whether it has it.
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

// control attaches to the session to type. It returns false if typing is not allowed: it always is
// in a shell of start_shell, else as long as the user grants it. revoked is called when the right
// is withdrawn.
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

// revoked makes a client an observer after its right to type was withdrawn.
func (h *hub) revoked(c *conn) {
	if h.free(c) {
		_ = h.put(session.EventRole, c.id, observer, func(*entry) {}) // if the session is over, its end is reported instead
	}
}

// holds returns the stream with which a client types, or nil if it is not the controller.
func (h *hub) holds(c *conn) *client.Stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lease == nil || h.lease.conn != c {
		return nil
	}
	return h.lease.stream
}

// leave ends a client's membership.
func (h *hub) leave(c *conn) {
	h.free(c)
	_ = h.put(session.EventLeave, c.id, "", func(*entry) {}) // if the session is over, its end is reported instead
}

// entryOf describes a session for a session_list, with its size if sizes is set.
func (p *Protocol) entryOf(l live, sizes bool) sessionEntry {
	e := sessionEntry{
		SessionName: l.name, CommandID: commandIDOf(l.id), SessionID: l.id, SessionType: "interactive", Command: l.command,
		Running: true,
		PTYURL:  "wss://{host}/agents/" + p.AgentID + "/sessions/" + l.id + "/attach", PTYSubprotocol: "pty-ws.v1",
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

// sizeOf asks a session for its window size, in cells. It returns 0 if the session does not
// respond.
func (p *Protocol) sizeOf(id string) (cols, rows int) {
	ctx, cancel := context.WithTimeout(p.ctx, time.Second)
	defer cancel()
	stream, err := p.Sessions.Attach(ctx, id,
		client.AttachOptions{Name: p.name("list"), Kind: protocol.Agent, Mode: protocol.ModeNone})
	if err != nil {
		return 0, 0
	}
	defer func() { _ = stream.Close() }()
	event, _ := stream.Next(ctx)
	hello, _ := event.(client.Connected)
	return hello.Cols, hello.Rows
}

// errGone reports that a reader must stop.
var errGone = errors.New("gone")
