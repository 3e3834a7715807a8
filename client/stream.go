package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
)

// AttachOptions configure Attach. The zero value watches the screen.
type AttachOptions struct {
	Name    string         // name shown to other viewers; empty means "client"
	Kind    protocol.Kind  // empty means protocol.Human
	Mode    protocol.Mode  // empty means protocol.ModeScreen
	From    *int64         // first byte of output, or first frame; see protocol.Attach
	After   *int64         // output frames to skip, in protocol.ModeFrames; see protocol.Attach
	Entries *int           // send entries numbered higher; nil means none
	Control bool           // request control, also after each reconnect
	Behalf  *protocol.Link // connection of the client for which a server attaches
	Answers *bool          // whether input may answer a question of the agent; see protocol.Attach
	Start   *Start         // how to start a missing session of a management server; nil means not to
	// OnEvent, if set, is called by Read with events other than output.
	OnEvent func(Event)
}

// Stream is a connection to a session. One goroutine may read (Next or Read) while others write and
// send requests. Requests may block until the reader has consumed the events before their answers.
type Stream struct {
	attach protocol.Attach
	place  place
	ref    string
	on     func(Event)
	delay  func(try int) time.Duration

	events chan Event
	ctx    context.Context // canceled by Close
	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned
	err    error         // reason; set before done is closed
	seq    int64         // offset of the next byte, or -1 if unknown; used only by run
	rest   bytes.Reader  // bytes for the next Read
	exit   atomic.Pointer[protocol.Exit]

	mu      sync.Mutex // guards the fields below
	conn    io.ReadWriteCloser
	waiting map[uint32]chan error // callers waiting for an Ack, by request id
	lastID  uint32
	control bool

	writing sync.Mutex // held while a frame is written
}

// queued is the maximum number of events that wait for the reader. An Output has at most
// protocol.MaxOutput bytes.
const queued = 16

// Attach connects to the session that ref names: by its id, a unique beginning or end of it,
// "last", or, on this machine, the path of its socket; on a management server also by its name. An
// empty ref means the newest session, or the one in the management server's URL (default "main").
// Attach returns when the session has answered; ctx applies only until then. The error wraps
// session.ErrNotFound if no live session matches. The caller must Close the stream.
func (c *Client) Attach(ctx context.Context, ref string, o AttachOptions) (*Stream, error) {
	s := &Stream{
		attach: protocol.Attach{Version: protocol.Version, Name: o.Name, Kind: o.Kind, Mode: o.Mode, From: o.From,
			After: o.After, Entries: o.Entries, Answers: o.Answers, Behalf: o.Behalf},
		place: c.place.follow(ref, o), ref: ref, on: o.OnEvent, delay: c.delay,
		events: make(chan Event, queued), done: make(chan struct{}), seq: -1,
		waiting: map[uint32]chan error{}, control: o.Control,
	}
	s.attach.Name = cmp.Or(s.attach.Name, "client")
	s.attach.Kind = cmp.Or(s.attach.Kind, protocol.Human)
	s.attach.Mode = cmp.Or(s.attach.Mode, protocol.ModeScreen)
	if o.From != nil {
		s.seq = *o.From
	} else if s.attach.Mode == protocol.ModeBytes {
		s.seq = 0
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, s.cancel)
	l, err := s.connect()
	if !stop() {
		if err == nil {
			l.close()
		}
		err = ctx.Err() // the error of connect is only that of a closed connection
	}
	if err != nil {
		s.cancel()
		return nil, err
	}
	s.setConn(l.conn)
	go s.run(l)
	return s, nil
}

// link is one connection of a stream.
type link struct {
	conn   io.ReadWriteCloser
	frames *protocol.Reader
	hello  protocol.Hello
	heard  atomic.Int64 // arrival of the last frame, in Unix nanoseconds
}

func (l *link) close() { _ = l.conn.Close() }

// connect opens a connection that continues where the last one ended.
func (s *Stream) connect() (*link, error) {
	conn, err := s.place.connect(s.ctx, s.ref)
	if err != nil {
		return nil, err
	}
	a := s.attach
	s.mu.Lock()
	a.Control = s.control
	s.mu.Unlock()
	if s.seq >= 0 {
		a.From, a.After = &s.seq, nil
	}
	l := &link{conn: conn, frames: protocol.NewReader(bufio.NewReaderSize(conn, 64<<10))}
	timer := time.AfterFunc(helloTimeout, l.close)
	stop := context.AfterFunc(s.ctx, l.close)
	l.hello, err = shake(conn, l.frames, a)
	if in := timer.Stop(); err == nil && !(in && stop()) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		stop()
		l.close()
		return nil, err
	}
	s.ref = cmp.Or(l.hello.Session.ID, s.ref) // "last" may refer to another session next time
	return l, nil
}

// run reads one connection after another until the session ends or the stream is closed.
func (s *Stream) run(l *link) {
	defer close(s.done)
	defer close(s.events)
	defer s.cancel()
	again := tries{delay: s.delay}
	for {
		var err error
		if l != nil {
			seq, began := s.seq, time.Now()
			err = s.serve(l)
			if s.seq != seq || time.Since(began) > patience { // the server does not only drop connections
				again.reset()
			}
			if err == nil || s.ctx.Err() != nil {
				s.err = s.ctx.Err()
				return
			}
		} else {
			l, err = s.connect()
		}
		if err == nil {
			continue
		}
		l = nil
		if s.err = err; isFinal(err) || s.ctx.Err() != nil {
			return
		}
		_ = again.lost(err) // no limit of tries: a session may come back at any time
		d := again.pause()
		if !s.give(Lost{Err: err, Try: again.n, Delay: d}) || !sleep(s.ctx, d) {
			s.err = s.ctx.Err()
			return
		}
	}
}

// give passes an event to the reader. It returns false if the stream is closed first.
func (s *Stream) give(e Event) bool {
	select {
	case s.events <- e:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// serve reads one connection to its end. The error is nil if the session has ended.
func (s *Stream) serve(l *link) error {
	stop := context.AfterFunc(s.ctx, l.close)
	defer stop()
	var keeper sync.WaitGroup
	defer keeper.Wait()
	defer l.close()
	s.setConn(l.conn)
	defer s.setConn(nil)
	over := make(chan struct{})
	defer close(over)
	keeper.Go(func() { s.keep(l, over) })
	if !s.give(Connected{l.hello}) {
		return s.ctx.Err()
	}
	for {
		f, err := l.frames.Next()
		if err != nil {
			return err
		}
		l.heard.Store(time.Now().UnixNano())
		over, err := s.take(f)
		if over || err != nil {
			return err
		}
	}
}

// take handles a frame. over reports whether it is the last one.
func (s *Stream) take(f protocol.Frame) (over bool, err error) {
	switch f.Type {
	case protocol.TypeNumbered:
		return false, s.takeNumbered(f)
	case protocol.TypeOutput:
		return false, s.takeOutput(f)
	case protocol.TypeSnapshot:
		snap, err := f.Snapshot()
		if err != nil {
			return false, err
		}
		snap.Data = bytes.Clone(snap.Data)
		if s.attach.Mode != protocol.ModeFrames {
			s.seq = snap.Seq
		}
		s.give(snap)
		return false, nil
	case protocol.TypeGap:
		var g protocol.Gap
		if err := f.Decode(&g); err != nil {
			return false, err
		}
		s.skip(g)
		return false, nil
	case protocol.TypeAck:
		var a protocol.Ack
		if err := f.Decode(&a); err != nil {
			return false, err
		}
		s.answer(a)
		return false, nil
	}
	e, err := decode(f)
	if e == nil || err != nil {
		return false, err
	}
	if x, ok := e.(protocol.Exit); ok {
		s.exit.Store(&x)
		over = true
	}
	s.give(e)
	return over, nil
}

// takeOutput passes the new bytes of an Output frame to the reader.
func (s *Stream) takeOutput(f protocol.Frame) error {
	seq, data, err := f.Output()
	if err != nil {
		return err
	}
	if s.seq >= 0 && seq > s.seq {
		s.skip(protocol.Gap{From: s.seq, To: seq})
	}
	if s.seq > seq {
		data = data[min(s.seq-seq, int64(len(data))):]
		seq = s.seq
	}
	if len(data) > 0 {
		s.seq = seq + int64(len(data))
		s.give(Output{Seq: seq, Data: bytes.Clone(data)})
	}
	return nil
}

// takeNumbered passes a frame of the raw log to the reader.
func (s *Stream) takeNumbered(f protocol.Frame) error {
	n, err := f.Numbered()
	if err != nil {
		return err
	}
	s.seq = n.Number + 1
	switch n.Kind {
	case protocol.NumberedNext:
		s.seq = n.Number
	case protocol.NumberedLost:
		s.seq = n.End()
	}
	n.Data = bytes.Clone(n.Data)
	s.give(n)
	return nil
}

// skip passes the part of a gap after the received bytes to the reader.
func (s *Stream) skip(g protocol.Gap) {
	g.From = max(g.From, s.seq)
	if g.To > g.From {
		s.seq = g.To
		s.give(g)
	}
}

// A silent connection is pinged, and closed if no answer arrives.
const (
	pingAfter = 20 * time.Second
	deadAfter = 60 * time.Second
)

// keep pings a silent connection until over is closed.
func (s *Stream) keep(l *link, over <-chan struct{}) {
	l.heard.Store(time.Now().UnixNano())
	tick := time.NewTicker(pingAfter)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case now := <-tick.C:
			quiet := now.Sub(time.Unix(0, l.heard.Load()))
			if quiet > deadAfter && len(s.events) < queued { // a slow reader does not mean a dead session
				l.close()
				return
			}
			if quiet >= pingAfter/2 {
				_ = s.write(l.conn, protocol.Frame{Type: protocol.TypePing}) // errors show up when reading
			}
		}
	}
}

// Next returns the next event. After Exit and after Close the error is io.EOF; another error says
// why the session cannot be reached. If ctx ends first, Next returns its error.
func (s *Stream) Next(ctx context.Context) (Event, error) {
	select {
	case e, ok := <-s.events:
		if ok {
			return e, nil
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	<-s.done
	if s.err == nil || errors.Is(s.err, context.Canceled) {
		return nil, io.EOF
	}
	return nil, s.err
}

// Read reads bytes for the user's terminal: output and, in protocol.ModeScreen, the control
// sequences that draw snapshots. It passes other events to OnEvent. Its errors are those of Next.
func (s *Stream) Read(p []byte) (int, error) {
	for s.rest.Len() == 0 {
		e, err := s.Next(context.Background())
		if err != nil {
			return 0, err
		}
		if s.on != nil {
			if _, ok := e.(Output); !ok {
				s.on(e)
			}
		}
		switch e := e.(type) {
		case Output:
			s.rest.Reset(e.Data)
		case protocol.Snapshot:
			s.rest.Reset(e.Data)
		}
	}
	return s.rest.Read(p)
}

// ExitStatus returns the session's exit status. ok is false if the session did not end while the
// stream was attached.
func (s *Stream) ExitStatus() (status int, ok bool) {
	if x := s.exit.Load(); x != nil {
		return x.Status, true
	}
	return 0, false
}

// Close leaves the session, which continues. Further calls do nothing.
func (s *Stream) Close() error {
	s.cancel()
	<-s.done
	return nil
}
