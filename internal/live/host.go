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
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// ReadScreen reads the screen of a session. seq is the number of output bytes that t shows.
type ReadScreen = func(t *vterm.Term, seq int64)

// Options say what a Host shows, and how it reaches the command. Only Session is required.
type Options struct {
	Session    session.Session // as its viewers may see it
	Before     int64           // output that came before the Host, in bytes: it is in Past
	Watched    string          // why nobody may take control of the session; empty: people may
	Server     string          // "ptyrec 1.2.3"
	Command    Command         // nil: viewers can only watch, see Watched
	Record     Record          // nil: nothing is recorded
	Processes  Processes       // nil: no viewer runs in a session
	Starter    *peer.Process   // the program that has started the session, and types into it; nil: none
	Unattended bool            // no person can be asked at the session's terminal: there is none, or the session was started in another one, where programs may type at it
	// Screen calls read with the session's screen, which does not change meanwhile. It returns
	// false if there is none. nil: there is none.
	Screen func(read ReadScreen) bool
	// Foreground returns what has the session's terminal. If known is false, f is zero. nil: it is
	// never known.
	Foreground func() (f Foreground, known bool)
	// Notify shows text at the session's own terminal, and rings its bell if ring is set. nil: the
	// session has no terminal.
	Notify func(text string, ring bool)

	// Past calls fn with the Output and Resize events of the raw log until fn fails. The first
	// event is the one that holds output byte from. seq is the number of an event's first byte;
	// it jumps if output is missing. nil: nothing is recorded.
	Past func(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error
	// Events calls fn with the events of the raw log from a number on, until fn fails. Where
	// events are missing their numbers are left out. nil: nothing is recorded.
	Events events
	// Entries returns the entries numbered above after, as the viewers may see them. nil: the
	// session has no entries.
	Entries func(ctx context.Context, after int) ([]*session.Entry, error)
	// Asks, if set, reports whether a screen shows a question of an agent that Enter would
	// answer, see extractor.Asks.
	Asks func(s *vterm.Snapshot, agent string) (asks, known bool)

	// Forget stops the recording of the session and deletes what was recorded. nil: it cannot be
	// forgotten.
	Forget func(ctx context.Context) error

	WriteTimeout time.Duration // until a viewer that does not read is dropped; 0: defaultWriteTimeout
	Linger       time.Duration // how long Close waits for viewers that still read; 0: defaultLinger
}

const (
	defaultWriteTimeout = 30 * time.Second
	defaultLinger       = 5 * time.Second

	// beatTime is how long output waits for more before it is handed out. The first of it does
	// not wait.
	beatTime = 10 * time.Millisecond
	// echoTime is how long it waits while a viewer types, who waits for the echo of each key:
	// until echoAfter the last one.
	echoTime  = time.Millisecond
	echoAfter = 100 * time.Millisecond
	// snapshotTime is the shortest time between two screens for a viewer that cannot keep up,
	// if there are few viewers.
	snapshotTime = 100 * time.Millisecond
	// beatBytes is what all viewers together are sent in a beat while the session writes much,
	// about: it needs the processor itself.
	beatBytes = 1 << 20
	// floodBytes in a beat are much.
	floodBytes = 64 << 10
	// maxViewers bounds the viewers of a session.
	maxViewers = 1000
)

var errEnough = errors.New("enough")

// Host shows one session to any number of viewers. Its methods may be used concurrently.
type Host struct {
	opt    Options
	stream *stream
	frames frames
	screen *screen
	shell  shell
	enter  enter

	ctx      context.Context // ends when the viewers are to go
	stop     context.CancelFunc
	workers  sync.WaitGroup
	settling sync.Mutex
	prompts  sync.Mutex // held from looking at the screen until the keys are written
	typing   typing
	window   window
	reclaim  reclaim       // belongs to Typed
	guarded  atomic.Bool   // others may type, or could until a moment ago
	count    atomic.Int64  // viewers
	flooded  atomic.Int64  // the last beat with much output, in Unix nanoseconds
	typed    atomic.Int64  // when a viewer typed last, in Unix nanoseconds
	echo     chan struct{} // gets a value then
	alone    atomic.Bool   // the session has no terminal but screen
	replies  chan []byte   // of that

	mu       sync.Mutex // guards the fields below
	viewers  map[*viewer]struct{}
	made     int // viewers so far
	pumping  bool
	closed   bool
	over     bool // the child is
	listener net.Listener
	session  session.Session // as it is known now
	control  control
	agent    protocol.State
	stateSeq int // of the entry that told it
	newest   newest

	agreeing chan struct{} // closed when somebody agrees at the session's terminal; nil: nobody is asked

	prompting *viewer // sends a prompt; nil: nobody does
}

// Describe replaces the description of the session that New was given. It must be called before
// Serve.
func (h *Host) Describe(s session.Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.session = s
}

// New makes the host of a session that begins. Close must be called.
func New(o Options) *Host {
	o = o.withDefaults()
	h := &Host{opt: o, stream: newStream(o.Session.Cols, o.Session.Rows, o.Before), viewers: map[*viewer]struct{}{}, echo: make(chan struct{}, 1), session: o.Session}
	h.screen = &screen{host: h}
	h.typing.mark = o.Record.Mark
	h.window.own = size{o.Session.Cols, o.Session.Rows}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// Viewers returns how many are attached.
func (h *Host) Viewers() int { return int(h.count.Load()) }

// Event takes a raw event of the session. It does not wait for anybody.
func (h *Host) Event(e session.Event) {
	h.frames.event(e) // before the stream: a viewer that knows a byte finds its frame
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
		default: // a command that asks so much and does not read gets no answers
		}
	}
}

// Headless makes the host the session's terminal: it has no other, or none any more. Programs get
// answers to what they ask of a terminal.
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

// reply passes on to the child what its terminal answers.
func (h *Host) reply() {
	for {
		select {
		case b := <-h.replies:
			_ = h.opt.Command.Type(h.ctx, b, func([]byte) {}) // if the child is gone, the keys are not needed
		case <-h.ctx.Done():
			return
		}
	}
}

// Serve serves those who connect to l, until the host or l is closed.
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
		case err != nil: // too many open files: it may pass
			select {
			case <-time.After(time.Second):
			case <-h.ctx.Done():
			}
			continue
		}
		h.workers.Go(func() { h.ServeConn(c) })
	}
}

// ServeConn serves one viewer, and closes conn. A Write that blocks must end when conn is closed.
func (h *Host) ServeConn(conn io.ReadWriteCloser) {
	v := newViewer(h, conn)
	defer v.close()
	v.serve()
}

// add begins to show the session to v and returns its first message. ok is false if the host is
// full or closed.
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
		_ = h.take(v) // Control tells the result
	}
	v.taken() // all that is in the hello
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
		Cols: size.Cols, Rows: size.Rows, Seq: now.seq, Frames: h.frames.end().Frame, State: h.agent, Control: h.state(""), Entered: h.enter.last(), Entries: h.newest.number(),
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
		h.changed(session.EventRevoke, map[string]any{"by": v.attach.Name, "kind": string(protocol.Human), "reason": "left"}, v.attach.Name+" left")
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
		notify(h.stream.wake) // the pump ends
	}
}

// pump hands the output out, as long as somebody is attached.
func (h *Host) pump() {
	for seen := int64(0); ; {
		select {
		case <-h.stream.wake:
		case <-h.ctx.Done():
		}
		h.mu.Lock()
		if len(h.viewers) == 0 || h.ctx.Err() != nil {
			h.pumping = false
			h.screen.drop()
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		now := time.Now().UnixNano()
		end, _ := h.stream.now()
		if seen > 0 && end.seq-seen > floodBytes {
			h.flooded.Store(now)
		}
		seen = end.seq
		renew := h.screen.beat(h.ctx)
		h.each(func(v *viewer) {
			if renew {
				v.stale.Store(true)
			}
			if renew || v.asleep.Load() < now { // the others wake up by themselves
				notify(v.wake)
			}
		})
		if !h.screen.sure() { // it must be looked at again, even without further output
			time.AfterFunc(tryAgain, func() { notify(h.stream.wake) })
		}
		select {
		case <-time.After(h.beat()):
		case <-h.echo:
		case <-h.ctx.Done():
		}
	}
}

// beat returns how long the next output waits for more.
func (h *Host) beat() time.Duration {
	if time.Now().UnixNano()-h.typed.Load() < int64(echoAfter) && !h.floods() {
		return echoTime
	}
	return beatTime
}

// share returns how many bytes each viewer gets in a beat during a flood.
func (h *Host) share() int64 { return max(4<<10, beatBytes/max(1, h.count.Load())) }

// floods reports whether the session writes a lot at the moment.
func (h *Host) floods() bool {
	return time.Now().UnixNano()-h.flooded.Load() < int64(4*beatTime)
}

// snapshotTime returns the shortest time between two screens for a viewer that cannot keep up.
func (h *Host) snapshotTime() time.Duration {
	return snapshotTime + snapshotTime*time.Duration(h.count.Load())/50
}

func (h *Host) each(fn func(*viewer)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for v := range h.viewers {
		fn(v)
	}
}

// settle asks the log to be whole, one at a time.
func (h *Host) settle(ctx context.Context) {
	h.settling.Lock()
	defer h.settling.Unlock()
	_ = h.opt.Record.Settle(ctx) // what is not there is told as a gap
}

// past reads the raw log, see Options.
func (h *Host) past(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error {
	if h.opt.Past == nil {
		return nil
	}
	return h.opt.Past(ctx, from, fn)
}

// Finish is called when the child is over, before its last event: nobody types any more, and who
// did so is recorded.
func (h *Host) Finish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	now := time.Now().UTC()
	h.session.EndedAt = &now // who attaches now learns that the child is over
	h.dropGrant()
	h.typing.flush()
}

// Close ends the host when the session is over: its viewers get what is left, as long as they read,
// but for no longer than Options.Linger. It may be called more than once.
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

// linger waits for the viewers, until none of them has read anything for a fifth of Options.Linger:
// a busy machine may keep a viewer waiting for some hundred milliseconds.
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
