package recorder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/pty"
	"github.com/ptyrec/ptyrec/recorder/leader"
)

// StartError reports that a command could not be executed, with the exit status a shell would
// return.
type StartError struct {
	Command string
	Status  int // 127: there is no such command; 126: it cannot be executed
	Err     error
}

func (e *StartError) Error() string { return fmt.Sprintf("%s: %v", e.Command, e.Err) }
func (e *StartError) Unwrap() error { return e.Err }

// child is the recorded command and the PTY that it runs in. It has a process group of its own, in
// a session that it or its leader leads.
type child struct {
	pid     int           // our child: the command, or its leader
	group   int           // the command's process group
	ptmx    *os.File      // non-blocking and not known to Go's poller: the output pump polls it
	wake    [2]*os.File   // a pipe; closing its write end wakes the output pump
	tty     *os.File      // the child's end, held so that the PTY has no end before the child has
	stopped chan struct{} // gets a value when the child was stopped (Ctrl+Z)
	exited  chan struct{} // closed when status holds
	status  int

	keys    sync.Mutex  // held while writing to the PTY
	carried atomic.Bool // all output read so far has reached the tee

	mu   sync.Mutex // guards gone
	gone bool       // it was waited for: its pid may be another's
}

// startChild starts the command in a new PTY of the terminal's size and settings. Where stdin is no
// terminal the child reads it as it is: a pipe stays a pipe, and ends where it ends.
func startChild(o Options, t *terminal) (*child, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no command")
	}
	path, err := lookPath(o.Command[0])
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
	c := &child{ptmx: ptmx, tty: tty, wake: [2]*os.File{r, w}, stopped: make(chan struct{}, 1), exited: make(chan struct{})}
	c.carried.Store(true)
	if o.Leader != "" {
		c.pid, c.group, err = startLed(path, o, stdin, tty)
	} else {
		c.pid, err = startAlone(path, o, stdin, tty)
		c.group = c.pid
	}
	if err != nil {
		c.release()
		c.close()
		return nil, &StartError{Command: o.Command[0], Status: 126, Err: plain(err)}
	}
	go c.wait()
	return c, nil
}

// CheckCommand checks in advance that a command can be executed. Its error is a *StartError.
func CheckCommand(name string) error {
	_, err := lookPath(name)
	return err
}

func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil || errors.Is(err, exec.ErrDot) {
		return path, nil
	}
	status := 126
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		status = 127
	}
	return "", &StartError{Command: name, Status: status, Err: plain(err)}
}

// plain unwraps err to the part that StartError does not already print.
func plain(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err
}

// openPTY opens a PTY like the user's terminal.
func openPTY(t *terminal) (ptmx, tty *os.File, err error) {
	if ptmx, tty, err = pty.Open(); err != nil {
		return nil, nil, err
	}
	ptmx, ptmxErr := unpolled(ptmx)
	tty, ttyErr := unpolled(tty)
	if err = errors.Join(ptmxErr, ttyErr); err == nil {
		err = unix.SetNonblock(int(ptmx.Fd()), true)
	}
	if err != nil {
		return nil, nil, errors.Join(err, ptmx.Close(), tty.Close())
	}
	copySettings(t, tty)
	_ = unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, t.size()) // a PTY takes any size
	return ptmx, tty, nil
}

// unpolled replaces f, which it closes, by a blocking file that Go's poller does not know. In a
// flood, each piece of output changes what either end is ready for, and would wake the poller.
func unpolled(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0) // Fd makes the file blocking; NewFile would poll another
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// copySettings copies the line settings (erase and interrupt keys, UTF-8) of the user's terminal to
// the PTY. Without a terminal it sets the usual ones.
func copySettings(t *terminal, tty *os.File) {
	from := t.tty
	if t.isAlone() {
		from = tty
	}
	if from == nil {
		return
	}
	if settings, err := unix.IoctlGetTermios(int(from.Fd()), ioctlGetTermios); err == nil {
		if t.isAlone() {
			settings.Iflag |= iutf8 // so that a whole character is erased at once
		}
		_ = unix.IoctlSetTermios(int(tty.Fd()), ioctlSetTermios, settings) // the PTY's own settings serve as well
	}
}

// ownSession makes a process lead a session whose terminal is its stdout.
var ownSession = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}

// startAlone starts the command as the leader of its own session.
func startAlone(path string, o Options, stdin, tty *os.File) (int, error) {
	return leader.Start(path, o.Command, o.Env, []*os.File{stdin, tty, tty}, ownSession)
}

// startLed starts the leader, which starts the command; pid is the leader's, group the command's.
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
	_, _ = unix.Wait4(pid, &ws, 0, nil) // it has nothing more to say
	if n < 0 {
		err = syscall.Errno(-n)
	}
	return 0, 0, err
}

// wait is the child's waiter.
func (c *child) wait() {
	for {
		awaitChange(c.pid)
		gone, stopped := c.reap()
		if gone {
			close(c.exited)
			return
		}
		if !stopped {
			continue
		}
		select {
		case c.stopped <- struct{}{}:
		default:
		}
	}
}

// reap reads the child's state, if it has changed. The lock keeps others from signalling it: once
// the child is reaped, its pid may be another's.
func (c *child) reap() (gone, stopped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ws unix.WaitStatus
	for {
		pid, err := unix.Wait4(c.pid, &ws, unix.WUNTRACED|unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			c.gone, c.status = true, 1
			return true, false
		}
		if pid == 0 {
			return false, false
		}
		break
	}
	switch {
	case ws.Exited():
		c.status = ws.ExitStatus()
	case ws.Signaled():
		c.status = 128 + int(ws.Signal())
	default:
		return false, true
	}
	c.gone = true
	return true, false
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

// typeRetry is how often a child that accepts no keys is tried again.
const typeRetry = 5 * time.Millisecond

// typeKeys writes to the PTY, as long as that takes. It fails when the child is gone, which ends
// the recording anyway.
func (c *child) typeKeys(keys []byte) {
	c.keys.Lock()
	defer c.keys.Unlock()
	for len(keys) > 0 {
		n, err := c.writeNow(keys)
		if err != nil {
			return
		}
		if keys = keys[n:]; n == 0 {
			time.Sleep(typeRetry)
		}
	}
}

// tryType writes to the PTY what it takes at once.
func (c *child) tryType(keys []byte) (n int, err error) {
	c.keys.Lock()
	defer c.keys.Unlock()
	return c.writeNow(keys)
}

func (c *child) writeNow(keys []byte) (n int, err error) {
	ctlErr := c.control(func(fd int) { n, err = unix.Write(fd, keys) })
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		err = nil
	}
	return max(n, 0), errors.Join(ctlErr, err)
}

// kill ends the child whatever it does.
func (c *child) kill() { c.signal(unix.SIGKILL) }

func (c *child) foreground() (pgrp int, err error) {
	ctlErr := c.control(func(fd int) { pgrp, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP) })
	return pgrp, errors.Join(ctlErr, err)
}

// resize sets the PTY's window size; the kernel sends the child SIGWINCH if it differs.
func (c *child) resize(ws *unix.Winsize) error {
	var err error
	ctlErr := c.control(func(fd int) { err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, ws) })
	return errors.Join(ctlErr, err)
}

// echoMode says who echoes what is typed.
type echoMode uint8

const (
	echoNone    echoMode = iota // nobody: the command reads a line without echo, such as a password
	echoKernel                  // the kernel
	echoCommand                 // the command or nobody: it reads single keys
)

// echoMode returns echoNone if the mode is unknown.
func (c *child) echoMode() echoMode {
	var settings *unix.Termios
	var err error
	ctlErr := c.control(func(fd int) { settings, err = unix.IoctlGetTermios(fd, ioctlGetTermios) })
	switch {
	case ctlErr != nil || err != nil:
		return echoNone
	case settings.Lflag&unix.ECHO != 0:
		return echoKernel
	case settings.Lflag&unix.ICANON != 0:
		return echoNone
	}
	return echoCommand
}

// read waits for output, for at most limit unless that is negative, and reads up to len(p) bytes.
// The error wraps os.ErrDeadlineExceeded if there was no output in time, or if release was called
// and limit is negative.
func (c *child) read(p []byte, limit time.Duration) (n int, err error) {
	for {
		c.carried.Store(false)
		n, err = c.readNow(p)
		if n > 0 {
			return n, nil // if reading failed, it will fail again
		}
		c.carried.Store(true)
		if !errors.Is(err, syscall.EAGAIN) {
			return 0, err
		}
		if err := c.awaitOutput(limit); err != nil {
			return 0, err
		}
	}
}

// awaitOutput waits for output, see read.
func (c *child) awaitOutput(limit time.Duration) error {
	timeout, watched := int(limit.Milliseconds())+1, 1
	if limit < 0 {
		timeout, watched = -1, 2
	}
	var fds [2]unix.PollFd
	var ready int
	var err error
	ctlErr := c.control(func(fd int) {
		fds = [2]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(c.wake[0].Fd())}}
		ready, err = unix.Poll(fds[:watched], timeout)
	})
	switch {
	case ctlErr != nil || err != nil && !errors.Is(err, unix.EINTR):
		return errors.Join(ctlErr, err)
	case err == nil && (ready == 0 || fds[0].Revents == 0):
		return os.ErrDeadlineExceeded
	}
	return nil
}

// readNow reads the available output, up to len(p), and fails if there is none.
func (c *child) readNow(p []byte) (n int, err error) {
	ctlErr := c.control(func(fd int) { n, err = readPieces(fd, p) })
	if n > 0 {
		return n, nil
	}
	return 0, errors.Join(ctlErr, err)
}

func readPieces(fd int, p []byte) (n int, err error) {
	for n < len(p) {
		m, err := unix.Read(fd, p[n:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && m == 0 {
			err = io.EOF
		}
		if err != nil {
			return n, err
		}
		if n += m; m < pieceSize {
			break
		}
	}
	return n, nil
}

// pending reports whether there is output to read.
func (c *child) pending() bool {
	ready := 0
	_ = c.control(func(fd int) { // a PTY that is closed has none
		ready, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	})
	return ready > 0
}

func (c *child) control(fn func(fd int)) error {
	conn, err := c.ptmx.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Control(func(fd uintptr) { fn(int(fd)) })
}

// release closes the child's end of the PTY, so that the output ends when no other process holds
// it. It wakes awaitOutput.
func (c *child) release() {
	_ = c.tty.Close()
	_ = c.wake[1].Close()
}

// close closes the PTY: what still runs in it gets SIGHUP from the kernel.
func (c *child) close() {
	_ = c.ptmx.Close()
	_ = c.wake[0].Close()
}
