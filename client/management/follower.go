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

// Start describes the session to start if the one to follow does not exist.
type Start struct {
	Cols, Rows int    // window size, in cells
	Command    string // the command to run; ignored for MainSession, which runs a shell
}

// Follower follows one session for one viewer, over any number of connections. Its methods must not
// be called concurrently; the connections may be used concurrently.
type Follower struct {
	server *Server
	ref    string
	start  *Start // nil: do not start a missing session
	link   *link  // the newest connection

	// Used by the newest connection.
	agent   string
	id      string // id of the session; empty until it is found
	command string // command_id of the session
	name    string
	own     bool // it was started by, or attached to with, start_shell: each connection does that again, to keep it alive

	next       atomic.Int64 // number of the next frame; -1 if unknown
	shown      bool         // something of the session was passed on since next was -1
	replayable bool         // the server reports that it can replay frames
	restarted  bool         // another session has replaced the previous one
	outputs    int64        // number of output frames passed on
	written    int64        // number of output bytes passed on
	cols, rows int          // window size, in cells
	began      time.Time
	last       time.Duration // time of the last frame, since began
}

// Follow returns a Follower for a session. ref is its name, its id, or the start of its id. If ref
// is empty, it is the session in the server's address, else MainSession. Follow sends nothing to
// the server.
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

// Connect opens a connection that uses package protocol. It closes the previous one.
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

// reach records that the viewer has the frames before next.
func (f *Follower) reach(next int64) { f.next.Store(max(f.next.Load(), next)) }

// restart resets the position of the viewer, because another session follows, or the server has
// restarted its numbers.
func (f *Follower) restart() {
	f.next.Store(-1)
	f.shown, f.restarted, f.last = false, true, 0
}

// isSize reports whether a window size is plausible.
func isSize(cols, rows int) bool {
	return cols >= 1 && rows >= 1 && cols <= protocol.MaxCols && rows <= protocol.MaxRows
}
