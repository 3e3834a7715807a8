package management

import (
	"context"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	wire "github.com/ptyrec/ptyrec/protocol/management"
)

// shellName is the session_name of the shell of start_shell.
const shellName = wire.MainSession

// killTime is how long the shell has to end after SIGHUP.
const killTime = 5 * time.Second

// shell is the shell of start_shell. All clients that ask for it get the same one, until it has
// been without clients for a while.
type shell struct {
	p        *Protocol
	starting sync.Mutex // held while one is being started

	mu       sync.Mutex // guards the fields below
	id       string     // id of its session; empty if there is none
	starters map[*conn]bool
	timer    *time.Timer // runs while there are no clients
}

// start returns the shell for a client. isNew reports that it was started by this call.
func (s *shell) start(c *conn, cols, rows int) (l live, isNew bool, err error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	id := s.id
	s.mu.Unlock()
	if id != "" {
		if l, ok := s.p.find(c.ctx, id); ok {
			s.join(c, id)
			return l, false, nil
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), attachTime)
	defer cancel()
	id, err = s.p.Start(ctx, s.p.Shell, "", cols, rows)
	if err != nil {
		return l, false, err
	}
	s.join(c, id)
	if err := s.p.label(ctx, id, tagShell, ""); err != nil {
		s.p.Log.WarnContext(ctx, "a later server will not know this shell", "session", id, "error", err)
	}
	return live{id: id, name: shellName, shell: true}, true, nil
}

// join adds a client.
func (s *shell) join(c *conn, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != id || s.starters == nil {
		s.id, s.starters = id, map[*conn]bool{}
	}
	s.starters[c] = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// is reports whether the shell runs in this session.
func (s *shell) is(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id == id
}

// left removes a client. Without clients, the shell ends after a while.
func (s *shell) left(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.starters[c] {
		delete(s.starters, c)
		s.wait()
	}
}

// wait starts the timer for a shell without clients. s.mu must be held.
func (s *shell) wait() {
	if s.id == "" || len(s.starters) > 0 || s.p.ctx.Err() != nil {
		return
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(s.p.ShellGrace, s.expire)
}

// expire ends a shell to which no client came back, unless another server is attached to it.
func (s *shell) expire() {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	id := s.id
	idle := id != "" && len(s.starters) == 0
	s.mu.Unlock()
	if !idle || s.p.ctx.Err() != nil {
		return
	}
	l, ok := s.p.find(s.p.ctx, id)
	if ok && s.elsewhere(id) {
		s.mu.Lock()
		s.wait()
		s.mu.Unlock()
		return
	}
	s.mu.Lock()
	s.id = ""
	s.mu.Unlock()
	if ok {
		s.end(l)
	}
}

// elsewhere reports whether another server is attached to a session.
func (s *shell) elsewhere(id string) bool {
	ctx, cancel := context.WithTimeout(s.p.ctx, attachTime)
	defer cancel()
	stream, err := s.p.Sessions.Attach(ctx, id,
		client.AttachOptions{Name: s.p.name("shell"), Kind: protocol.Agent, Mode: protocol.ModeNone})
	if err != nil {
		return false
	}
	defer func() { _ = stream.Close() }()
	event, err := stream.Next(ctx)
	hello, ok := event.(client.Connected)
	return err == nil && ok && slices.ContainsFunc(hello.Control.Viewers, func(v protocol.Viewer) bool {
		return strings.HasPrefix(v.Name, dashboard) && !strings.HasPrefix(v.Name, s.p.name(""))
	})
}

// end frees the shell's name, and ends it in the background.
func (s *shell) end(l live) {
	s.p.retire(l.id)
	s.p.running.Go(func() { s.hangUp(l) })
}

// hangUp sends the shell SIGHUP, and then SIGKILL if it has not ended.
func (s *shell) hangUp(l live) {
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGKILL} {
		if err := s.p.end(s.p.ctx, l, signal); err != nil {
			return // it is over
		}
		for begun := time.Now(); time.Since(begun) < killTime; time.Sleep(20 * time.Millisecond) {
			if _, ok := s.p.runs(s.p.ctx, l.id); !ok || s.p.ctx.Err() != nil {
				return
			}
		}
	}
}

// over forgets the shell if its session has ended.
func (s *shell) over(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id == id {
		s.id = ""
	}
}

// adopt finds a shell that an earlier server has left, and waits for its clients to come back.
func (s *shell) adopt() {
	all := s.p.list(s.p.ctx)
	for _, l := range slices.Backward(all) {
		s.mu.Lock()
		if l.shell && s.id == "" {
			s.id = l.id
			s.wait()
		}
		s.mu.Unlock()
	}
}

// close stops waiting. The shell continues to run: a later server finds it.
func (s *shell) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}
