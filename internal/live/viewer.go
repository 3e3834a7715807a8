package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

const (
	greetTime   = 10 * time.Second // limit for a viewer's Attach
	batchBytes  = 256 << 10        // maximum size of output in one write
	queueBytes  = 640 << 10        // maximum size of queued other frames; a viewer with more is disconnected
	headerBytes = 13               // size of an Output frame without the output
	maxPing     = 125              // maximum size of a Ping
)

// viewer is an attached viewer. Its reader processes requests; its writer is the only one that
// writes to conn.
type viewer struct {
	host    *Host
	conn    io.ReadWriteCloser
	number  int
	since   time.Time
	attach  protocol.Attach
	place   peer.Place // where it, or its client, was started
	starter bool       // whether it has started the session
	wake    chan struct{}
	stale   atomic.Bool  // its screen must be replaced
	asleep  atomic.Int64 // output does not wake it before this time, in Unix nanoseconds
	sent    atomic.Int64 // bytes sent

	ctx  context.Context
	stop context.CancelFunc
	once sync.Once

	control bool // whether it may type; guarded by host.mu
	sized   bool // whether it requested a window size; guarded by host.window.turn

	at       place // position of the writer
	painted  bool  // whether it was sent a screen
	snapshot time.Time
	frame    int64               // number of the next frame, in ModeFrames
	after    int64               // number of output frames to skip
	out      []byte              // frames about to be written
	text     *protocol.Screen    // last screen sent as text
	shell    protocol.ShellState // last state of the shell sent

	handling sync.Mutex // held while a frame of the viewer is handled

	mu     sync.Mutex // guards the fields below
	queue  [][]byte
	queued int
	latest bool // the last queued frame is a Control that the next one may replace
}

func newViewer(h *Host, conn io.ReadWriteCloser) *viewer {
	v := &viewer{host: h, conn: conn, since: time.Now().UTC(), wake: make(chan struct{}, 1)}
	v.place, v.starter = h.placeOf(conn)
	v.ctx, v.stop = context.WithCancel(h.ctx)
	return v
}

// cut closes the connection.
func (v *viewer) cut() {
	v.once.Do(func() {
		v.stop()
		_ = v.conn.Close()
	})
}

func (v *viewer) close() {
	v.cut()
	v.host.remove(v)
}

func (v *viewer) id() string { return fmt.Sprintf("v%d", v.number) }

func (v *viewer) serve() {
	in := protocol.NewReader(bufio.NewReaderSize(v.conn, 4<<10))
	if !v.greet(in) {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.read(in)
		v.cut()
	}()
	v.write()
	v.cut()
	<-done
}

// greet reads the viewer's Attach and answers it. It reports whether the viewer is accepted.
func (v *viewer) greet(in *protocol.Reader) bool {
	guard := time.AfterFunc(greetTime, v.cut)
	defer guard.Stop()
	unwatch := context.AfterFunc(v.ctx, v.cut)
	defer unwatch()
	f, err := in.Next()
	if err != nil {
		return false
	}
	if refusal := v.accept(f); refusal != nil {
		v.refuse(refusal)
		return false
	}
	hello, ok := v.host.add(v)
	if !ok {
		v.refuse(&protocol.Error{Code: protocol.CodeTooMany, Message: "the session has too many viewers"})
		return false
	}
	if v.attach.From != nil && v.attach.Mode != protocol.ModeFrames {
		v.at = place{seq: *v.attach.From}
	} else if v.attach.Mode == protocol.ModeBytes {
		v.at = place{}
	}
	return v.send(protocol.TypeHello, hello) == nil
}

// accept processes a viewer's first frame.
func (v *viewer) accept(f protocol.Frame) *protocol.Error {
	if f.Type != protocol.TypeAttach {
		return &protocol.Error{Code: protocol.CodeBadRequest, Message: "the first frame must be Attach"}
	}
	if err := f.Decode(&v.attach); err != nil {
		return &protocol.Error{Code: protocol.CodeBadRequest, Message: err.Error()}
	}
	a := &v.attach
	if a.Version > protocol.Version {
		return &protocol.Error{Code: protocol.CodeBadVersion,
			Message: fmt.Sprintf("this session speaks version %d", protocol.Version)}
	}
	v.judge()
	if a.Name = cleanName(a.Name); a.Name == "" {
		a.Name = string(a.Kind)
	}
	switch a.Mode {
	case "":
		a.Mode = protocol.ModeScreen
	case protocol.ModeScreen, protocol.ModeBytes, protocol.ModeText, protocol.ModeNone, protocol.ModeFrames:
	default:
		return &protocol.Error{Code: protocol.CodeBadRequest, Message: fmt.Sprintf("unknown mode %q", a.Mode)}
	}
	return v.checkStart()
}

// checkStart returns an error if the viewer wants to start at a place that does not exist.
func (v *viewer) checkStart() *protocol.Error {
	a := &v.attach
	if a.From != nil && a.Mode == protocol.ModeFrames || a.After != nil {
		if a.From != nil && *a.From < 0 || a.After != nil && *a.After < 0 {
			return &protocol.Error{Code: protocol.CodeBadRequest, Message: "from must be at least 0"}
		}
	} else if a.From != nil {
		if end, _ := v.host.stream.now(); *a.From < 0 || *a.From > end.seq {
			return &protocol.Error{Code: protocol.CodeBadRequest,
				Message: fmt.Sprintf("from %d: the output has %d bytes", *a.From, end.seq)}
		}
	}
	return nil
}

// cleanName returns a viewer's name without characters that cannot be shown.
func cleanName(s string) string {
	const most = 64 // characters
	out := []rune(printable.Line(s))
	return string(out[:min(len(out), most)])
}

func (v *viewer) refuse(e *protocol.Error) {
	if f, err := protocol.JSON(protocol.TypeRefused, e); err == nil {
		_ = v.put(net.Buffers{protocol.Append(nil, f)})
	}
}

// send writes a frame at once. Only the writer may call it.
func (v *viewer) send(t protocol.Type, what any) error {
	f, err := protocol.JSON(t, what)
	if err != nil {
		return err
	}
	return v.put(net.Buffers{protocol.Append(nil, f)})
}

// put writes to the connection. A viewer that reads nothing for too long is disconnected.
func (v *viewer) put(b net.Buffers) error {
	guard := time.AfterFunc(v.host.opt.WriteTimeout, v.cut)
	defer guard.Stop()
	n, err := b.WriteTo(v.conn)
	v.sent.Add(n)
	return err
}

// post queues a frame for the writer. The frame is shared and must not be changed.
func (v *viewer) post(frame []byte) { v.postAs(frame, false) }

func (v *viewer) postAs(frame []byte, latest bool) {
	v.mu.Lock()
	if n := len(v.queue) - 1; latest && v.latest && n >= 0 {
		v.queued -= len(v.queue[n])
		v.queue = v.queue[:n]
	}
	v.latest = latest
	v.queue = append(v.queue, frame)
	v.queued += len(frame)
	slow := v.queued > queueBytes && len(v.queue) > 1
	v.mu.Unlock()
	if slow {
		v.cut()
	}
	notify(v.wake)
}

func (v *viewer) taken() net.Buffers {
	v.mu.Lock()
	defer v.mu.Unlock()
	q := v.queue
	v.queue, v.queued = nil, 0
	return q
}

// read is the reader. It ends with the connection, or at an invalid frame.
func (v *viewer) read(in *protocol.Reader) {
	for v.ctx.Err() == nil {
		f, err := in.Next()
		if err != nil {
			return
		}
		if err := v.handle(f); err != nil {
			return
		}
	}
}

// handle executes a viewer's frame. An error ends the connection, because the frame is not
// understood.
func (v *viewer) handle(f protocol.Frame) error {
	v.handling.Lock()
	defer v.handling.Unlock()
	h := v.host
	switch f.Type {
	case protocol.TypePing:
		v.post(protocol.Append(nil, protocol.Frame{Type: protocol.TypePong,
			Payload: f.Payload[:min(len(f.Payload), maxPing)]}))
	case protocol.TypeInput:
		id, keys, err := f.Input()
		if err != nil {
			return err
		}
		v.ack(id, h.input(v, keys))
	case protocol.TypeSize:
		var r protocol.SizeRequest
		if err := f.Decode(&r); err != nil {
			return err
		}
		v.ack(r.ID, h.resize(v, r))
	case protocol.TypeRequest:
		var r protocol.ControlRequest
		if err := f.Decode(&r); err != nil {
			return err
		}
		v.requested(r)
	case protocol.TypeKill:
		var r protocol.Kill
		if err := f.Decode(&r); err != nil {
			return err
		}
		v.ack(r.ID, h.kill(v, r))
	case protocol.TypePrompt:
		var r protocol.PromptRequest
		if err := f.Decode(&r); err != nil {
			return err
		}
		v.ack(r.ID, h.prompt(v, r))
	case protocol.TypeMark:
		var r protocol.MarkRequest
		if err := f.Decode(&r); err != nil {
			return err
		}
		v.ack(r.ID, h.mark(v, r))
	}
	return nil
}

// requested executes a viewer's request about who may type.
func (v *viewer) requested(r protocol.ControlRequest) {
	h := v.host
	switch r.Action {
	case protocol.Forget: // it waits for a confirmation, during which the connection may end, like the next
		h.workers.Go(func() { h.forget(v, r.ID) })
	case protocol.Agree:
		h.workers.Go(func() { v.ack(r.ID, h.agree(v, r.What)) })
	default:
		v.ack(r.ID, h.request(v, r))
	}
}

func (v *viewer) ack(id uint32, e *protocol.Error) {
	if f, err := protocol.JSON(protocol.TypeAck, protocol.Ack{ID: id, Error: e}); err == nil {
		v.post(protocol.Append(nil, f))
	}
}
