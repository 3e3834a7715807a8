package live

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

const (
	defaultWriteTimeout = 30 * time.Second
	defaultLinger       = 5 * time.Second

	// beatTime is the interval at which output is sent. After a pause, the first output is sent at
	// once.
	beatTime = 10 * time.Millisecond
	// echoTime is the interval while a viewer types and waits for the echo of each key: until
	// echoAfter the last one.
	echoTime  = time.Millisecond
	echoAfter = 100 * time.Millisecond
	// snapshotTime is the shortest time between two screens for a slow viewer, if there are few
	// viewers.
	snapshotTime = 100 * time.Millisecond
	// beatBytes is about how much is sent to all viewers together in an interval while the session
	// writes much and needs the processor itself.
	beatBytes = 1 << 20
	// floodBytes of output in an interval are much.
	floodBytes = 64 << 10
	// maxViewers is the maximum number of viewers of a session.
	maxViewers = 1000
)

var errEnough = errors.New("enough")

// Host serves a session to any number of viewers. Its methods may be called concurrently.
type Host struct {
	opt    Options
	stream *stream
	frames frames
	screen *screen
	shell  shell
	enter  enter

	ctx      context.Context // cancelled when viewers must disconnect
	stop     context.CancelFunc
	workers  sync.WaitGroup
	settling sync.Mutex
	prompts  sync.Mutex // held from reading the screen until the keys are written
	typing   typing
	window   window
	reclaim  reclaim       // used by Typed only
	guarded  atomic.Bool   // whether others may type, or could until a moment ago
	count    atomic.Int64  // number of viewers
	flooded  atomic.Int64  // time of the last interval with much output, in Unix nanoseconds
	typed    atomic.Int64  // time of a viewer's last key, in Unix nanoseconds
	echo     chan struct{} // receives a value for it
	alone    atomic.Bool   // the session has no terminal except screen
	replies  chan []byte   // replies of that

	mu       sync.Mutex // guards the fields below
	viewers  map[*viewer]struct{}
	made     int // number of viewers so far
	pumping  bool
	closed   bool
	over     bool // the command has ended
	listener net.Listener
	session  session.Session // current description
	control  control
	agent    protocol.State
	stateSeq int // number of the entry with that state
	newest   newest

	agreeing chan struct{} // closed at a confirmation at the session's terminal; nil if no request waits for one

	prompting *viewer // viewer that sends a prompt, or nil
}

// Describe replaces the description of the session. It must be called before Serve.
func (h *Host) Describe(s session.Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.session = s
}

// New returns the Host of a session that begins. The caller must Close it.
func New(o Options) *Host {
	o = o.withDefaults()
	h := &Host{opt: o, stream: newStream(o.Session.Cols, o.Session.Rows, o.Before), viewers: map[*viewer]struct{}{},
		echo: make(chan struct{}, 1), session: o.Session}
	h.screen = &screen{host: h}
	h.typing.mark = o.Record.Mark
	h.window.own = size{o.Session.Cols, o.Session.Rows}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// Viewers returns the number of viewers.
func (h *Host) Viewers() int { return int(h.count.Load()) }

// Event processes a raw event of the session. It never waits.
func (h *Host) Event(e session.Event) {
	h.frames.event(e) // before the stream, so that a viewer that has a byte finds its frame
	if e.Kind == session.Output {
		before, _ := h.stream.now()
		h.shell.output(e.Data)
		h.enter.output(e.Data, before.seq)
	}
	h.stream.event(e)
	if e.Kind == session.Resize {
		h.window.changed(e)
	}
	if !h.alone.Load() {
		return
	}
	if replies := h.screen.answers(); len(replies) > 0 {
		select {
		case h.replies <- replies:
		default: // a command that asks too much without reading gets no replies
		}
	}
}

// Headless makes the host the session's terminal, because the session has no other, or no longer
// one. The host then replies to the command's queries.
func (h *Host) Headless() {
	if h.mu.Lock(); h.closed || h.replies != nil {
		h.mu.Unlock()
		return
	}
	h.replies = make(chan []byte, 64)
	h.workers.Go(h.reply)
	h.mu.Unlock()
	h.stream.keep(1)
	h.screen.alone(h.ctx)
	h.alone.Store(true)
}

// reply passes the terminal's replies to the command.
func (h *Host) reply() {
	for {
		select {
		case b := <-h.replies:
			_ = h.opt.Command.Type(h.ctx, b, func([]byte) {}) // an exited command needs no keys
		case <-h.ctx.Done():
			return
		}
	}
}

// Serve accepts viewers from l until the host or l is closed.
func (h *Host) Serve(l net.Listener) error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return l.Close()
	}
	h.listener = l
	h.workers.Add(1)
	h.mu.Unlock()
	defer h.workers.Done()
	for {
		c, err := l.Accept()
		switch {
		case h.ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil: // such as too many open files, which may pass
			select {
			case <-time.After(time.Second):
			case <-h.ctx.Done():
			}
			continue
		}
		h.workers.Go(func() { h.ServeConn(c) })
	}
}

// ServeConn serves one viewer, and closes conn. Closing conn must interrupt a blocked Write.
func (h *Host) ServeConn(conn io.ReadWriteCloser) {
	v := newViewer(h, conn)
	defer v.close()
	v.serve()
}

// add attaches v and returns its first message. ok is false if the host is full or closed.
func (h *Host) add(v *viewer) (hello protocol.Hello, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.viewers) >= maxViewers {
		return hello, false
	}
	h.made++
	v.number = h.made
	h.viewers[v] = struct{}{}
	h.count.Store(int64(len(h.viewers)))
	h.tellWho(v.attach.Name + " came")
	if v.attach.Control {
		_ = h.take(v) // Control shows the result
	}
	v.taken() // the hello has all that was queued
	h.stream.keep(1)
	if v.attach.Mode == protocol.ModeFrames {
		h.frames.keep(1)
	}
	if !h.pumping {
		h.pumping = true
		h.workers.Go(h.pump)
	}
	now, size := h.stream.now()
	v.at = now
	return protocol.Hello{
		Version: protocol.Version, Server: h.opt.Server, Viewer: v.id(), Session: h.session,
		Cols: size.Cols, Rows: size.Rows, Seq: now.seq, Frames: h.frames.end().Frame, State: h.agent, Control: h.state(""),
		Entered: h.enter.last(), Entries: h.newest.number(),
	}, true
}

func (h *Host) remove(v *viewer) {
	h.mu.Lock()
	_, known := h.viewers[v]
	delete(h.viewers, v)
	h.count.Store(int64(len(h.viewers)))
	last := len(h.viewers) == 0
	if h.prompting == v {
		h.prompting = nil
	}
	if v.control {
		v.control = false
		h.changed(session.EventRevoke, map[string]any{"by": v.attach.Name, "kind": string(protocol.Human),
			"reason": "left"}, v.attach.Name+" left")
	} else if known {
		h.tellWho(v.attach.Name + " left")
	}
	h.mu.Unlock()
	if !known {
		return
	}
	h.unsize(v)
	h.stream.keep(-1)
	if v.attach.Mode == protocol.ModeFrames {
		h.frames.keep(-1)
	}
	if last {
		notify(h.stream.wake) // ends the pump
	}
}

func (h *Host) each(fn func(*viewer)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for v := range h.viewers {
		fn(v)
	}
}

// settle waits for Record.Settle, one call at a time.
func (h *Host) settle(ctx context.Context) {
	h.settling.Lock()
	defer h.settling.Unlock()
	_ = h.opt.Record.Settle(ctx) // missing output results in a Gap
}

// past reads the raw log, see Options.Past.
func (h *Host) past(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error {
	if h.opt.Past == nil {
		return nil
	}
	return h.opt.Past(ctx, from, fn)
}

// Finish ends all control, and records what was typed. It must be called when the command has
// exited, before its last event.
func (h *Host) Finish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	now := time.Now().UTC()
	h.session.EndedAt = &now // so that new viewers know that the command has exited
	h.dropGrant()
	h.typing.flush()
}

// Close ends the host after the session is over. Viewers get the rest as long as they read, but for
// at most Options.Linger. It may be called more than once.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	l := h.listener
	h.mu.Unlock()
	if l != nil {
		_ = l.Close()
	}
	h.linger()
	h.stop()
	h.each(func(v *viewer) { v.cut() })
	h.workers.Wait()
}

// linger waits for the viewers, until none has read anything for a fifth of Options.Linger: a busy
// machine may delay a viewer for some hundred milliseconds.
func (h *Host) linger() {
	calm := h.opt.Linger / 5
	limit := time.After(h.opt.Linger)
	for last := int64(-1); ; {
		left, sent := 0, int64(0)
		h.each(func(v *viewer) {
			left++
			sent += v.sent.Load()
			notify(v.wake)
		})
		if left == 0 || sent == last {
			return
		}
		last = sent
		for wait := time.After(calm); wait != nil; {
			select {
			case <-limit:
				return
			case <-wait:
				wait = nil
			case <-time.After(5 * time.Millisecond):
				left = 0
				h.each(func(*viewer) { left++ })
				if left == 0 {
					return
				}
			}
		}
	}
}
