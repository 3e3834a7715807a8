package live

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/session"
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
		v.refuse(&protocol.Error{Code: protocol.CodeTooMany, Message: "the session takes no more viewers"})
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
		return &protocol.Error{Code: protocol.CodeBadRequest, Message: "the first frame is no attach"}
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
	if a.From != nil && a.Mode == protocol.ModeFrames || a.After != nil {
		if a.From != nil && *a.From < 0 || a.After != nil && *a.After < 0 {
			return &protocol.Error{Code: protocol.CodeBadRequest, Message: "frames are counted from 0"}
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

// write is the writer. It ends when the session is over and everything is sent, or when the viewer
// has left.
func (v *viewer) write() {
	if v.sendEntries() != nil {
		return
	}
	for v.ctx.Err() == nil {
		if q := v.taken(); len(q) > 0 && v.put(q) != nil {
			return
		}
		more, wait, err := v.show()
		if err != nil || v.ctx.Err() != nil {
			return
		}
		if more {
			continue
		}
		v.sleep(wait)
	}
}

// sleep waits until the viewer is woken, for at most limit, if that is not 0.
func (v *viewer) sleep(limit time.Duration) {
	var later <-chan time.Time
	if limit == 0 && v.attach.Mode == protocol.ModeText { // to check the shell
		later = time.After(shellTime)
	}
	if limit > 0 {
		v.asleep.Store(time.Now().Add(limit).UnixNano())
		later = time.After(limit)
	}
	select {
	case <-v.wake:
	case <-later:
	case <-v.ctx.Done():
	}
	v.asleep.Store(0)
}

// errOver means that the session is over and everything was sent.
var errOver = errors.New("the session is over")

// show sends the next part of the output. If more is false, it need not be called again before the
// viewer is woken or, if it is not 0, wait is over.
func (v *viewer) show() (more bool, wait time.Duration, err error) {
	switch v.attach.Mode {
	case protocol.ModeScreen:
		return v.showScreen()
	case protocol.ModeText:
		return v.showText()
	case protocol.ModeBytes:
		return v.showBytes()
	case protocol.ModeFrames:
		more, err = v.showFrames()
	default:
		more, err = v.showNothing()
	}
	return more, 0, err
}

// showScreen sends the screen to a viewer that has none or has fallen behind, and otherwise output.
func (v *viewer) showScreen() (more bool, wait time.Duration, err error) {
	stale := v.stale.Load()
	if !v.painted && v.attach.From == nil {
		stale = true
	}
	if oldest, _ := v.host.stream.oldest(); v.at.seq < oldest ||
		v.host.stream.waiting(v.at.seq) > min(farBehind, v.host.share()) {
		stale = true
	}
	if stale {
		if wait := v.host.snapshotTime() - time.Since(v.snapshot); wait > 0 {
			return false, wait, nil
		}
		v.stale.Store(false)
		s := v.host.screen.snapshot(v.ctx)
		v.painted, v.snapshot = true, time.Now()
		v.at = v.host.stream.at(s.Seq)
		return true, 0, v.put(net.Buffers{protocol.Append(nil, s.Frame())})
	}
	v.painted = true
	p := v.host.stream.next(&v.at, farBehind)
	if p.behind {
		return true, 0, nil
	}
	more, err = v.give(p)
	return more, 0, err
}

// showBytes sends every byte: from the raw log what the stream no longer has.
func (v *viewer) showBytes() (more bool, wait time.Duration, err error) {
	limit := int64(batchBytes)
	if v.host.floods() {
		limit = min(limit, v.host.share())
	}
	before := v.at.seq
	p := v.host.stream.next(&v.at, int(limit))
	if p.behind {
		return true, 0, v.fromPast(p.start)
	}
	more, err = v.give(p)
	wait = v.pace(v.at.seq - before)
	return more && wait == 0, wait, err
}

// pace returns how long to wait after n bytes, so that a session that writes much has priority.
func (v *viewer) pace(n int64) time.Duration {
	if n == 0 || !v.host.floods() {
		return 0
	}
	return beatTime * time.Duration(n) / time.Duration(v.host.share())
}

// showNothing waits for the end of the session.
func (v *viewer) showNothing() (more bool, err error) {
	for {
		p := v.host.stream.next(&v.at, keepBytes)
		if p.behind {
			v.at.seq = p.start
			continue
		}
		if len(p.data) == 0 {
			return v.give(p)
		}
	}
}

// give sends a piece of the stream.
func (v *viewer) give(p piece) (more bool, err error) {
	switch {
	case p.size != nil:
		return true, v.send(protocol.TypeResize, p.size)
	case len(p.data) > 0:
		return true, v.output(p.seq, p.data)
	case p.exit != nil:
		return false, v.exit(p.exit)
	}
	return false, nil
}

// exit sends the end of the session, after the answer to a request that may have caused it. It
// returns errOver.
func (v *viewer) exit(e *protocol.Exit) error {
	v.handling.Lock()
	answers := v.taken()
	v.handling.Unlock()
	if len(answers) > 0 {
		if err := v.put(answers); err != nil {
			return err
		}
	}
	if err := v.send(protocol.TypeExit, e); err != nil {
		return err
	}
	return errOver
}

// output writes pieces of the output without copying them.
func (v *viewer) output(seq int64, data [][]byte) error {
	var b net.Buffers
	for _, d := range data {
		for len(d) > 0 {
			n := min(len(d), protocol.MaxOutput)
			header := make([]byte, 0, headerBytes)
			header = append(header, byte(protocol.TypeOutput))
			header = binary.BigEndian.AppendUint32(header, uint32(8+n))
			header = binary.BigEndian.AppendUint64(header, uint64(seq))
			b = append(b, header, d[:n])
			d, seq = d[n:], seq+int64(n)
		}
	}
	return v.put(b)
}

// fromPast sends output that the stream no longer has from the raw log, at least up to byte to.
func (v *viewer) fromPast(to int64) error {
	h := v.host
	h.settle(v.ctx)
	begun := v.at.seq
	err := h.past(v.ctx, v.at.seq, func(seq int64, e session.Event) error {
		if e.Kind == session.Resize {
			return v.send(protocol.TypeResize, protocol.Size{Seq: seq, Cols: e.Cols, Rows: e.Rows})
		}
		if err := v.gap(seq); err != nil {
			return err
		}
		if len(e.Data) > 0 {
			if err := v.output(seq, [][]byte{e.Data}); err != nil {
				return err
			}
			v.at.seq = seq + int64(len(e.Data))
			if wait := v.pace(int64(len(e.Data))); wait > 0 {
				v.sleep(wait)
			}
		}
		if v.at.seq >= to {
			if to, _ = h.stream.oldest(); v.at.seq >= to {
				return errEnough
			}
		}
		return v.ctx.Err()
	})
	v.at.sizes = 0
	if errors.Is(err, errEnough) || err == nil && v.at.seq > begun {
		return nil
	}
	if v.ctx.Err() != nil {
		return v.ctx.Err()
	}
	oldest, _ := h.stream.oldest()
	return v.gap(oldest) // the log does not have it
}

// gap sends a Gap up to byte to.
func (v *viewer) gap(to int64) error {
	if to <= v.at.seq {
		return nil
	}
	err := v.send(protocol.TypeGap, protocol.Gap{From: v.at.seq, To: to})
	v.at.seq = to
	return err
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
		switch r.Action { // requests that wait for a confirmation, during which the connection may end
		case protocol.Forget:
			h.workers.Go(func() { h.forget(v, r.ID) })
			return nil
		case protocol.Agree:
			h.workers.Go(func() { v.ack(r.ID, h.agree(v, r.What)) })
			return nil
		}
		v.ack(r.ID, h.request(v, r))
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

func (v *viewer) ack(id uint32, e *protocol.Error) {
	if f, err := protocol.JSON(protocol.TypeAck, protocol.Ack{ID: id, Error: e}); err == nil {
		v.post(protocol.Append(nil, f))
	}
}
