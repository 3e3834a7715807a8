package management

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/ptyrec/ptyrec/protocol"
	wire "github.com/ptyrec/ptyrec/protocol/management"
	"github.com/ptyrec/ptyrec/session"
)

// conn is the viewer's end of a link. Its reads fail with the reason why the link has ended.
type conn struct {
	net.Conn
	link *link
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) {
		<-c.link.ended
		if c.link.err != nil {
			err = c.link.err
		}
	}
	return n, err
}

func (c *conn) Close() error {
	c.link.cancel()
	return c.Conn.Close()
}

// link is one connection.
type link struct {
	f      *Follower
	socket *socket
	viewer net.Conn
	frames *protocol.Reader // frames from the viewer
	attach protocol.Attach
	ctx    context.Context // cancelled when the connection ends
	cancel context.CancelFunc
	done   chan struct{} // closed when f is no longer used
	ended  chan struct{} // closed when err is set
	err    error

	kept    []*wire.Message // messages that arrived before the response to join_session
	keeping int             // size of kept, in bytes
	current int64           // number of the next frame at the time of joining
	asked   bool            // a replay from the beginning was requested
	held    bool            // a client has control, as far as we know
	notes   []string        // notices to send to the viewer after Hello
	names   []string        // names of the machine's sessions
	live    bool            // the session could not be joined: only output messages arrive
	number  int64           // number of the next output message

	partial []byte // the start of an incomplete character of the input; used only by requests

	mu      sync.Mutex // guards the fields below
	typist  bool       // the server accepts our input
	wants   bool       // the viewer wants to type
	command string     // command that receives the input if live is set
	pending []pending  // requests of the viewer that the server will answer
	ping    []byte     // payload of the viewer's last ping
}

// pending is a request of the viewer.
type pending struct {
	id   uint32
	want string // type of the message that answers it
}

func (l *link) run() {
	var requests sync.WaitGroup
	err := l.serve(&requests)
	if l.ctx.Err() != nil {
		err = nil
	}
	l.err = err
	close(l.ended)
	l.cancel()
	l.socket.close()
	_ = l.viewer.Close() // never fails
	requests.Wait()
	close(l.done)
}

// serve serves the session to the viewer. It returns nil when the session has ended.
func (l *link) serve(requests *sync.WaitGroup) error {
	stop := context.AfterFunc(l.ctx, func() { _ = l.viewer.Close() })
	defer stop()
	if err := l.readAttach(); err != nil {
		return err
	}
	if err := l.find(); err != nil {
		return explain(err)
	}
	if err := l.join(); err != nil {
		return explain(err)
	}
	if err := l.hello(); err != nil {
		return err
	}
	requests.Go(l.requests)
	for _, m := range l.kept {
		if over, err := l.take(m); over || err != nil {
			return err
		}
	}
	l.kept = nil
	for {
		m, err := l.socket.next(l.ctx)
		if err != nil {
			return err
		}
		if over, err := l.take(m); over || err != nil {
			return err
		}
	}
}

// explain marks refusals that another attempt would only meet again as final.
func explain(err error) error {
	var r refused
	if errors.As(err, &r) {
		return final{fmt.Errorf("the server refuses: %w", err)}
	}
	return err
}

// readAttach reads the viewer's Attach message.
func (l *link) readAttach() error {
	l.frames = protocol.NewReader(l.viewer)
	frame, err := l.frames.Next()
	if err == nil {
		err = frame.Decode(&l.attach)
	}
	if err != nil {
		return err
	}
	l.wants = l.attach.Control
	switch a := l.attach; {
	case a.Mode == protocol.ModeText:
		return final{errors.New("a management server does not send screens as text")}
	case l.f.next.Load() < 0 && a.Mode != protocol.ModeFrames && a.From != nil && *a.From > 0, a.After != nil:
		return final{errors.New("a management server numbers frames, not bytes")}
	}
	return nil
}

// Limits of the messages that are kept until the awaited response arrives.
const (
	maxKept      = 20_000
	maxKeptBytes = 6 << 20
)

// keep keeps a message for later.
func (l *link) keep(m *wire.Message) error {
	if m.Type != wire.TypeFrame && m.Type != wire.TypeOutput {
		return nil
	}
	l.kept = append(l.kept, m)
	if l.keeping += len(m.Data); len(l.kept) > maxKept || l.keeping > maxKeptBytes {
		return errors.New("the server sends frames, but does not answer")
	}
	return nil
}

// join joins the session at the viewer's position. If the server refuses, it continues without
// joining.
func (l *link) join() error {
	f := l.f
	again := f.next.Load() >= 0
	m, err := l.socket.ask(l.ctx, l.joinRequest(l.attach.Control), wire.TypeJoined, l.keep)
	var r refused
	if errors.As(err, &r) {
		return l.liveOnly(r.text)
	}
	if err != nil {
		return err
	}
	if again && m.CurrentSeq < f.next.Load() {
		f.restart() // the server has restarted its numbers
		return errors.New("the server has lost its frames")
	}
	l.current, l.typist = m.CurrentSeq, m.Role == wire.Controller
	return nil
}

// joinRequest returns the message that joins the session.
func (l *link) joinRequest(control bool) wire.Request {
	f, role := l.f, wire.Observer
	if control {
		role = wire.Controller
	}
	r := wire.Request{Type: "join_session", SessionID: &f.id, Role: &role}
	from := f.next.Load()
	if from < 0 && l.all() {
		from = 0
		if l.attach.From != nil {
			from = *l.attach.From
		}
	}
	if from >= 0 {
		seq := uint64(from)
		r.ReplayFrom = &seq
	}
	return r
}

// all reports whether the viewer wants all output from the beginning, not the screen first.
func (l *link) all() bool {
	return l.attach.Mode == protocol.ModeBytes || l.attach.Mode == protocol.ModeFrames && l.attach.From != nil
}

// paints reports whether the viewer wants pictures of the screen.
func (l *link) paints() bool {
	switch l.attach.Mode {
	case protocol.ModeScreen:
		return true
	case protocol.ModeFrames:
		return !l.all() || l.f.restarted
	}
	return false
}

// self is the viewer's id in Control.
const self = "self"

// control returns a Control that tells whether the viewer may type.
func (l *link) control(reason string) protocol.Control {
	l.mu.Lock()
	defer l.mu.Unlock()
	return protocol.Control{Viewers: []protocol.Viewer{{ID: self, Name: l.attach.Name, Kind: l.attach.Kind,
		Control: l.typist}}, Reason: reason}
}

// hello returns the first frame for the viewer.
func (l *link) hello() error {
	f := l.f
	h := protocol.Hello{
		Version: protocol.Version, Server: f.server.String(), Viewer: self, Cols: f.cols, Rows: f.rows, Seq: f.written,
		Frames: l.current,
		Session: session.Session{ID: f.id, Title: f.name, StartedAt: f.began, Cols: f.cols, Rows: f.rows,
			Agents: []session.Agent{}},
		Control: l.control(""),
	}
	if err := l.json(protocol.TypeHello, h); err != nil {
		return err
	}
	for _, text := range l.notes {
		if err := l.notice(text); err != nil {
			return err
		}
	}
	if l.attach.Mode == protocol.ModeFrames {
		return l.numbered(protocol.Numbered{Number: max(f.next.Load(), 0), Outputs: f.outputs, Kind: protocol.NumberedNext})
	}
	return nil
}

func (l *link) json(t protocol.Type, v any) error {
	frame, err := protocol.JSON(t, v)
	if err != nil {
		return err
	}
	return protocol.Write(l.viewer, frame)
}

func (l *link) notice(text string) error {
	return l.json(protocol.TypeNotice, protocol.Notice{Text: text})
}
