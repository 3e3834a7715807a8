package process

import (
	"context"
	"sync"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Command is a running or finished command of a Manager. Its methods may be called concurrently.
type Command struct {
	m     *Manager
	ended chan struct{} // closed when info contains the command's end

	mu   sync.Mutex // guards the fields of info that change: PID, State, ExitCode, EndedAt, Listed, Notice
	info Info
}

// newCommand returns the command of a session. s is the status from its host, nil if it has none.
func newCommand(m *Manager, record session.Session, s *status) *Command {
	c := &Command{m: m, ended: make(chan struct{}), info: Info{
		Sandbox: record.Sandbox, ID: record.Process, SessionID: record.ID, TTL: Forever, StartedAt: record.StartedAt,
		Command: CommandText(record.Command),
	}}
	if a := record.Asked; a != nil {
		c.info.Session, c.info.PTY, c.info.Listed, c.info.By, c.info.AutoCleanup, c.info.apart = a.Shell, a.PTY, a.Listed,
			a.By, a.Brief, a.Apart
		c.info.forgotten = a.Forgotten
		c.info.Timeout = time.Duration(a.Timeout) * time.Millisecond
		if a.TTL > 0 {
			c.info.TTL = time.Duration(a.TTL) * time.Millisecond
		}
	}
	if s != nil {
		c.update(s)
		return c
	}
	c.record(record)
	return c
}

// CommandText returns the command that a program asked to run, as text, from the recorded command
// line.
func CommandText(argv []string) string {
	if len(argv) == 3 && argv[1] == "-c" {
		return argv[2]
	}
	text := ""
	for i, arg := range argv {
		if i > 0 {
			text += " "
		}
		text += arg
	}
	return text
}

// update updates info from a host's status.
func (c *Command) update(s *status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.open() {
		return
	}
	c.info.PID, c.info.State, c.info.ExitCode, c.info.EndedAt, c.info.Notice = s.PID, s.State, s.Exit, s.Ended, s.Notice
	if s.State != Running {
		c.end()
	}
}

// record updates info from the session of a command without a host.
func (c *Command) record(s session.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.open() {
		return
	}
	c.info.State = Failed
	if s.EndedAt != nil && s.ExitCode != nil {
		c.info.State, c.info.EndedAt, c.info.ExitCode = Exited, *s.EndedAt, *s.ExitCode
		if s.Asked != nil && s.Asked.End != "" {
			c.info.State = State(s.Asked.End)
		}
	}
	c.end()
}

// end marks the command as ended. c.mu must be held.
func (c *Command) end() {
	if c.info.AutoCleanup {
		c.info.Listed, c.info.forgotten = false, true
	}
	close(c.ended)
}

// open reports whether the end of the command is still unknown.
func (c *Command) open() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

func (c *Command) isRunning() bool { return c.open() }

// watch waits for the command's end. w is the connection over which its host was started, or nil.
func (c *Command) watch(w *wire) {
	var s *status
	var err error
	if w != nil {
		var r reply
		unwatch := context.AfterFunc(c.m.ctx, func() { _ = w.conn.Close() })
		_, err = w.receive(&r)
		unwatch()
		s = r.Status
		_ = w.conn.Close()
	} else {
		s, err = c.m.ask(c.m.ctx, c.info.SessionID, request{Op: opWait})
	}
	if c.m.ctx.Err() != nil {
		return
	}
	if err == nil && s != nil {
		c.update(s)
	} else {
		c.lost()
	}
	c.m.forgetSoon(c)
}

// lost determines how a command whose host is gone has ended.
func (c *Command) lost() {
	ctx := c.m.ctx
	if err := c.m.opt.Store.ImportJournals(ctx, nil); err != nil {
		c.m.opt.Log.Debug("import journals", "error", err)
	}
	var s session.Session
	if info, err := c.m.opt.Store.Find(ctx, c.info.SessionID); err == nil {
		s = info.Session
	}
	c.record(s)
}

// Info returns the current state of the command.
func (c *Command) Info() Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.info
}

// expired reports whether the TTL of the command's record has passed.
func (c *Command) expired() bool {
	i := c.Info()
	return i.TTL != Forever && !i.EndedAt.IsZero() && time.Since(i.EndedAt) > i.TTL
}

// unlist removes the command from the list.
func (c *Command) unlist(ctx context.Context) error {
	c.mu.Lock()
	c.info.Listed, c.info.forgotten = false, true
	c.mu.Unlock()
	info, err := c.m.opt.Store.Find(ctx, c.info.SessionID)
	if err != nil || info.Asked == nil {
		return err
	}
	a := *info.Asked
	a.Listed, a.Forgotten = false, true
	return c.m.opt.Store.SetAsked(ctx, info.ID, &a)
}

// Wait waits until the command has ended. The only error is ctx's.
func (c *Command) Wait(ctx context.Context) (Info, error) {
	select {
	case <-c.ended:
		return c.Info(), nil
	case <-ctx.Done():
		return c.Info(), ctx.Err()
	}
}

// ask sends a request to the command's host. The error is ErrEnded if there is no host.
func (c *Command) ask(ctx context.Context, q request) (*status, error) {
	s, err := c.m.ask(ctx, c.info.SessionID, q)
	if noHost(err) {
		return nil, ErrEnded
	}
	if err == nil && s.State != Running {
		c.update(s)
	}
	return s, err
}

// do is ask for requests whose result is not needed.
func (c *Command) do(ctx context.Context, q request) error {
	_, err := c.ask(ctx, q)
	return err
}

// Write sends data to the command's input. It blocks while the command does not read. The error is
// ErrEnded or ctx's.
func (c *Command) Write(ctx context.Context, data []byte) error {
	return c.do(ctx, request{Op: opWrite, Data: data})
}

// WriteAt is like Write for data at an offset in all input. It does not send what the command
// already has. It returns the number of input bytes that the command has.
func (c *Command) WriteAt(ctx context.Context, at int64, data []byte) (taken int64, err error) {
	s, err := c.ask(ctx, request{Op: opWrite, Data: data, At: &at})
	if err != nil {
		return 0, err
	}
	return s.Taken, nil
}

// Taken returns the number of input bytes that the command has. The error is ErrEnded or ctx's.
func (c *Command) Taken(ctx context.Context) (int64, error) {
	s, err := c.ask(ctx, request{Op: opState})
	if err != nil {
		return 0, err
	}
	return s.Taken, nil
}

// CloseInput closes the command's input. It has no effect on a PTY.
func (c *Command) CloseInput(ctx context.Context) error { return c.do(ctx, request{Op: opClose}) }

// Resize sets the size of the command's PTY, in cells. It has no effect without a PTY.
func (c *Command) Resize(ctx context.Context, cols, rows int) error {
	return c.do(ctx, request{Op: opResize, Cols: cols, Rows: rows})
}

// Kill sends a signal to the command, its process group and all its descendants. After grace it
// sends SIGKILL to those that are left, and it returns when all have ended. If grace is 0, signals
// other than SIGKILL are sent without waiting. The error is ErrEnded if nothing runs, or ctx's.
func (c *Command) Kill(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	return c.do(ctx, request{Op: opKill, Signal: int(sig), Grace: grace})
}

// Attach registers a client for Spec.IdleTimeout and Spec.KillOnDisconnect, until detach is called.
func (c *Command) Attach() (detach func()) {
	conn, err := dial(c.m.opt.Store.Path(), c.info.SessionID)
	if err != nil {
		return func() {} // the command has ended
	}
	w := newWire(conn)
	var r reply
	if w.send(request{Op: opAttach}) == nil {
		_, _ = w.receive(&r) // the host confirms that it counts the client
	}
	return sync.OnceFunc(func() { _ = conn.Close() })
}
