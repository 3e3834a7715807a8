package management

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	wire "github.com/ptyrec/ptyrec/protocol/management"
)

// Start says how to start a session that is not there.
type Start struct {
	Cols, Rows int    // of its window, in cells
	Command    string // of sessions other than MainSession, which is a shell
}

// Follower is one session as one viewer follows it, over any number of connections. Its methods are
// not for concurrent use; the connections are.
type Follower struct {
	server *Server
	ref    string
	start  *Start // nil: a session that is not there is not started
	link   *link  // the newest connection

	// These belong to the newest connection.
	agent   string
	id      string // of the session; empty: none was found yet
	command string // its command_id
	name    string
	own     bool // start_shell made it, or attached to it: each connection asks again, so that it lives on

	next       atomic.Int64 // number of the next frame; -1: none is known
	shown      bool         // something of the session was passed on since next was -1
	replayable bool         // the server says that it can replay something
	restarted  bool         // another session has taken the place of the one before
	outputs    int64        // frames of output passed on
	written    int64        // bytes of output passed on
	cols, rows int          // of the window, in cells
	began      time.Time
	last       time.Duration // when the last frame was, since began
}

// Follow returns a Follower of a session: its name, its id, the start of one, or, if ref is empty,
// the one that the server's address names, else MainSession. Nothing is asked of the server yet.
func (s *Server) Follow(ref string, start *Start) *Follower {
	if ref == "" {
		ref = s.session
	}
	if ref == "" {
		ref = wire.MainSession
	}
	f := &Follower{server: s, ref: ref, start: start, agent: s.agent, cols: 80, rows: 24}
	f.next.Store(-1)
	return f
}

// Connect makes a connection that speaks package protocol. It ends the one before.
func (f *Follower) Connect(ctx context.Context) (io.ReadWriteCloser, error) {
	if f.link != nil {
		f.link.cancel()
		<-f.link.done
	}
	socket, err := f.server.open(ctx)
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	l := &link{f: f, socket: socket, viewer: far, done: make(chan struct{}), ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	f.link = l
	go l.run()
	return &conn{near, l}, nil
}

// reach notes that the viewer has the frames up to a number.
func (f *Follower) reach(next int64) { f.next.Store(max(f.next.Load(), next)) }

// restart forgets how far the viewer is: what comes next is another session, or it has begun its
// numbers again.
func (f *Follower) restart() {
	f.next.Store(-1)
	f.shown, f.restarted, f.last = false, true, 0
}

// isSize reports whether a window of this size is believed in.
func isSize(cols, rows int) bool {
	return cols >= 1 && rows >= 1 && cols <= protocol.MaxCols && rows <= protocol.MaxRows
}
