package recorder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/recorder/leader"
)

// child is the recorded command and its PTY. It has a process group of its own, in a session led by
// itself or by its leader.
type child struct {
	pid     int           // child process: the command, or its leader
	group   int           // the command's process group
	ptmx    *os.File      // non-blocking and not known to Go's poller: the output pump polls it
	wake    [2]*os.File   // a pipe; closing its write end wakes the output pump
	tty     *os.File      // the child's end; held so that the PTY has no end before the child has it
	stopped chan struct{} // gets a value when the child was stopped (Ctrl+Z)
	exited  chan struct{} // closed when status holds
	status  int

	carried atomic.Bool // all output read so far has reached the tee

	mu   sync.Mutex // guards gone
	gone bool       // whether it was waited for, so that its pid may belong to another process
}

// startChild starts the command in a new PTY with the size and settings of the terminal. If stdin
// is not a terminal, the child reads it directly: a pipe stays a pipe.
func startChild(o Options, t *terminal) (*child, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no command")
	}
	path, err := sys.FindProgram(o.Command[0])
	if err != nil {
		return nil, err
	}
	ptmx, tty, err := openPTY(t)
	if err != nil {
		return nil, fmt.Errorf("open a PTY: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, ptmx.Close(), tty.Close())
	}
	stdin := o.Stdin
	if t.isTTY || t.isAlone() {
		stdin = tty
	}
	c := &child{ptmx: ptmx, tty: tty, wake: [2]*os.File{r, w}, stopped: make(chan struct{}, 1),
		exited: make(chan struct{})}
	c.carried.Store(true)
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, unix.SIGCHLD)
	if o.Leader != "" {
		c.pid, c.group, err = startLed(path, o, stdin, tty)
	} else {
		c.pid, err = leader.Start(path, o.Command, o.Env, []*os.File{stdin, tty, tty}, ownSession)
		c.group = c.pid
	}
	if err != nil {
		signal.Stop(changed)
		c.release()
		c.close()
		return nil, sys.NotStarted(o.Command[0], err)
	}
	go c.wait(changed)
	return c, nil
}

// ownSession makes a process lead a session whose terminal is its stdout.
var ownSession = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}

// startLed starts the leader, which starts the command. pid is the leader's process id, group the
// command's process group.
func startLed(path string, o Options, stdin, tty *os.File) (pid, group int, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	name, files := leader.Name, []*os.File{stdin, tty, tty, w}
	if o.Owner != nil {
		name, files = leader.OwnedName, append(files, o.Owner)
	}
	pid, err = leader.Start(o.Leader, append([]string{name, path}, o.Command...), o.Env, files, ownSession)
	_ = w.Close()
	if err != nil {
		return 0, 0, err
	}
	var n int32
	if err = binary.Read(r, binary.LittleEndian, &n); err == nil && n > 0 {
		return pid, int(n), nil
	}
	var ws unix.WaitStatus
	_, _ = unix.Wait4(pid, &ws, 0, nil) // it writes nothing more
	if n < 0 {
		err = syscall.Errno(-n)
	}
	return 0, 0, err
}

// wait waits for the child. changed must receive SIGCHLD since before the child was started.
func (c *child) wait(changed chan os.Signal) {
	defer signal.Stop(changed)
	for {
		gone, stopped := c.reap()
		if gone {
			close(c.exited)
			return
		}
		if stopped {
			select {
			case c.stopped <- struct{}{}:
			default:
			}
			continue
		}
		<-changed
	}
}

// reap reads the child's state, if it has changed. The lock keeps others from signalling it: once
// the child is reaped, its pid may be another's.
func (c *child) reap() (gone, stopped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ws unix.WaitStatus
	pid, err := unix.Wait4(c.pid, &ws, unix.WUNTRACED|unix.WNOHANG, nil)
	switch {
	case errors.Is(err, unix.EINTR), err == nil && pid == 0:
	case err != nil:
		c.gone, c.status = true, 1
	case ws.Exited():
		c.gone, c.status = true, ws.ExitStatus()
	case ws.Signaled():
		c.gone, c.status = true, 128+int(ws.Signal())
	default:
		stopped = true
	}
	return c.gone, stopped
}

// signal sends sig to the child's process group, and to the foreground group of its PTY if that is
// another.
func (c *child) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return
	}
	_ = unix.Kill(-c.group, sig) // it may be gone already
	if pgrp, err := c.foreground(); err == nil && pgrp > 1 && pgrp != c.group {
		_ = unix.Kill(-pgrp, sig)
	}
	if sig == unix.SIGCONT && c.pid != c.group {
		_ = unix.Kill(c.pid, sig) // the leader, which stops with the command
	}
}
