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

// AttachOptions say what is wanted of a session. Their zero value watches its screen.
type AttachOptions struct {
	Name    string         // shown to the others; empty: "client"
	Kind    protocol.Kind  // empty: protocol.Human
	Mode    protocol.Mode  // empty: protocol.ModeScreen
	From    *int64         // byte of the output to start with, or number of the frame; see protocol.Attach
	After   *int64         // frames of output to leave out, in protocol.ModeFrames; see protocol.Attach
	Entries *int           // entries with a greater number; nil: none
	Control bool           // ask for control, now and after each reconnect
	Behalf  *protocol.Link // the client that a server attaches for; may be nil
	Answers *bool          // whether typed input may answer a question of the agent; see protocol.Attach
	Start   *Start         // of a management server's session that is not there; nil: it is not started
	// OnEvent, if set, is called by Read for events other than output.
	OnEvent func(Event)
}

// Stream is a session that is watched. One goroutine may read (Next or Read) while others write and
// ask. Answers come only while somebody reads, or little comes to be read.
type Stream struct {
	attach protocol.Attach
	place  place
	ref    string
	on     func(Event)
	delay  func(try int) time.Duration

	events chan Event
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	done   chan struct{} // closed when run is over
	err    error         // why; set before done is closed
	seq    int64         // of the next byte; -1: none is known. Only run uses it
	rest   bytes.Reader  // of the bytes that Read returns
	exit   atomic.Pointer[protocol.Exit]

	mu      sync.Mutex // guards the fields below
	conn    io.ReadWriteCloser
	waiting map[uint32]chan error // those who wait for an Ack, by the request's id
	lastID  uint32
	control bool

	writing sync.Mutex // held while a frame is written
}

// queued is how many events wait for the reader. An Output holds at most protocol.MaxOutput bytes.
const queued = 16

// Attach connects to a session: an id, the start of one, "last", or, on this machine, the path of
// its socket. With a management server it may also be a name. An empty ref is the newest session,
// or the one that the URL of a management server names, by default "main". Attach returns once the
// session has answered; ctx bounds only that. The error wraps session.ErrNotFound if no such
// session is live. The caller must Close the stream.
func (c *Client) Attach(ctx context.Context, ref string, o AttachOptions) (*Stream, error) {
	s := &Stream{
		attach: protocol.Attach{Version: protocol.Version, Name: o.Name, Kind: o.Kind, Mode: o.Mode, From: o.From, After: o.After, Entries: o.Entries, Answers: o.Answers, Behalf: o.Behalf},
		place:  c.place.follow(ref, o), ref: ref, on: o.OnEvent, delay: c.delay,
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
		err = ctx.Err() // connect says only that the connection was closed
	}
	if err != nil {
		s.cancel()
		return nil, err
	}
	s.setConn(l.conn)
	go s.run(l)
	return s, nil
}

// link is one connection.
type link struct {
	conn   io.ReadWriteCloser
	frames *protocol.Reader
	hello  protocol.Hello
	heard  atomic.Int64 // when the last frame came, in nanoseconds since 1970
}

func (l *link) close() { _ = l.conn.Close() }

// connect makes a connection that goes on from what the last one gave.
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
	s.ref = cmp.Or(l.hello.Session.ID, s.ref) // "last" may name another one next time
	return l, nil
}

// run reads connection after connection, until the session or the stream ends.
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
			if s.seq != seq || time.Since(began) > patience { // not one that only drops connections
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
		_ = again.lost(err) // a session may come back at any time
		d := again.pause()
		if !s.give(Lost{Err: err, Try: again.n, Delay: d}) || !sleep(s.ctx, d) {
			s.err = s.ctx.Err()
			return
		}
	}
}

// give hands an event to the reader, and reports false if the stream was closed meanwhile.
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

// take handles one frame. over reports whether it is the last one.
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

// takeOutput hands on what is new in an Output frame.
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

// takeNumbered returns a frame of the raw log.
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

// skip hands on the part of a gap that comes after what was received.
func (s *Stream) skip(g protocol.Gap) {
	g.From = max(g.From, s.seq)
	if g.To > g.From {
		s.seq = g.To
		s.give(g)
	}
}

// A connection on which nothing came for long is asked for a sign of life, and given up where none
// comes.
const (
	pingAfter = 20 * time.Second
	deadAfter = 60 * time.Second
)

// keep watches over a connection until over is closed.
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
			if quiet > deadAfter && len(s.events) < queued { // a reader that holds us up is no dead session
				l.close()
				return
			}
			if quiet >= pingAfter/2 {
				_ = s.write(l.conn, protocol.Frame{Type: protocol.TypePing}) // what is wrong shows when reading
			}
		}
	}
}

// Next returns the next event. After Exit, and after Close, the error is io.EOF; any other error
// says why the session cannot be reached.
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

// Read returns bytes for the user's terminal: the output and, in protocol.ModeScreen, those that
// paint the screen. Other events go to OnEvent. Its errors are those of Next.
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

// Close leaves the session, which goes on. Further calls do nothing.
func (s *Stream) Close() error {
	s.cancel()
	<-s.done
	return nil
}
