package recorder

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/pty"
)

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
	if settings, err := unix.IoctlGetTermios(int(from.Fd()), pty.IoctlGetTermios); err == nil {
		if t.isAlone() {
			settings.Iflag |= pty.IUTF8 // so that a whole character is erased at once
		}
		_ = unix.IoctlSetTermios(int(tty.Fd()), pty.IoctlSetTermios, settings) // the PTY's own settings serve as well
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
	if n, err = c.ptmx.Write(keys); errors.Is(err, syscall.EAGAIN) {
		err = nil
	}
	return n, err
}

func (c *child) foreground() (pgrp int, err error) {
	err = c.control(func(fd int) (err error) {
		pgrp, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return pgrp, err
}

// window returns the PTY's window size.
func (c *child) window() (ws *unix.Winsize, err error) {
	err = c.control(func(fd int) (err error) {
		ws, err = unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		return err
	})
	return ws, err
}

// resize sets the PTY's window size; the kernel sends the child SIGWINCH if it differs.
func (c *child) resize(ws *unix.Winsize) error {
	return c.control(func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, ws) })
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
	err := c.control(func(fd int) (err error) {
		settings, err = unix.IoctlGetTermios(fd, pty.IoctlGetTermios)
		return err
	})
	switch {
	case err != nil:
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
		if n, err = c.readNow(p); n > 0 {
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

// readNow reads the available output, up to len(p), and fails if there is none.
func (c *child) readNow(p []byte) (n int, err error) {
	for n < len(p) {
		m, err := c.ptmx.Read(p[n:])
		if err != nil {
			return n, err
		}
		if n += m; m < pieceSize {
			break
		}
	}
	return n, nil
}

// awaitOutput waits for output, see read.
func (c *child) awaitOutput(limit time.Duration) error {
	timeout, watched := int(limit.Milliseconds())+1, 1
	if limit < 0 {
		timeout, watched = -1, 2
	}
	return c.control(func(fd int) error {
		fds := [2]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(c.wake[0].Fd())}}
		ready, err := unix.Poll(fds[:watched], timeout)
		switch {
		case errors.Is(err, unix.EINTR):
			return nil
		case err == nil && (ready == 0 || fds[0].Revents == 0):
			return os.ErrDeadlineExceeded
		}
		return err
	})
}

// pending reports whether there is output to read.
func (c *child) pending() bool {
	ready := 0
	_ = c.control(func(fd int) (err error) { // a PTY that is closed has none
		ready, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return err
	})
	return ready > 0
}

// control calls fn with the PTY's descriptor, which is not closed meanwhile.
func (c *child) control(fn func(fd int) error) error {
	conn, err := c.ptmx.SyscallConn()
	if err != nil {
		return err
	}
	ctlErr := conn.Control(func(fd uintptr) { err = fn(int(fd)) })
	return errors.Join(ctlErr, err)
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
