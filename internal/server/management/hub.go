package management

import (
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"time"

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

// leave ends a client's membership.
func (h *hub) leave(c *conn) {
	h.free(c)
	_ = h.put(session.EventLeave, c.id, "", func(*entry) {}) // if the session is over, its end is reported instead
}

// errGone reports that a reader must stop.
var errGone = errors.New("gone")
