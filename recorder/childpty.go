package recorder

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// openPTY opens a PTY with the size and settings of the user's terminal.
func openPTY(t *terminal) (ptmx, tty *os.File, err error) {
	if ptmx, tty, err = sys.OpenPTY(); err != nil {
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

// unpolled closes f and returns a blocking file for the same PTY that Go's poller does not know.
// During a flood of output, each piece changes the readiness of both ends, and would wake the
// poller.
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
	if settings, err := unix.IoctlGetTermios(int(from.Fd()), sys.IoctlGetTermios); err == nil {
		if t.isAlone() {
			settings.Iflag |= sys.IUTF8 // so that a whole character is erased at once
		}
		_ = unix.IoctlSetTermios(int(tty.Fd()), sys.IoctlSetTermios, settings) // the PTY's default settings work, too
	}
}

// typeRetry is the time between attempts to write keys that the child does not accept.
const typeRetry = 5 * time.Millisecond

// typeKeys writes keys to the PTY. It waits while the child accepts none, until the child is gone
// or ctx is done; the error is then ctx's. Some of the keys may have been written, but not all.
func (c *child) typeKeys(ctx context.Context, keys []byte) error {
	for len(keys) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := c.ptmx.Write(keys)
		if err != nil && !errors.Is(err, syscall.EAGAIN) {
			return errChildGone
		}
		if keys = keys[n:]; n > 0 {
			continue
		}
		select {
		case <-time.After(typeRetry):
		case <-c.exited:
			return errChildGone
		case <-ctx.Done():
		}
	}
	return nil
}

func (c *child) foreground() (pgrp int, err error) {
	return onPTY(c, func(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCGPGRP) })
}

// window returns the PTY's window size.
func (c *child) window() (*unix.Winsize, error) {
	return onPTY(c, func(fd int) (*unix.Winsize, error) { return unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ) })
}

// resize sets the PTY's window size; the kernel sends the child SIGWINCH if it differs.
func (c *child) resize(ws *unix.Winsize) error {
	_, err := onPTY(c, func(fd int) (struct{}, error) { return struct{}{}, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, ws) })
	return err
}

// echoMode says who echoes the keys.
type echoMode uint8

const (
	echoNone    echoMode = iota // no echo: the command reads a line such as a password
	echoKernel                  // the kernel
	echoCommand                 // the command, or no one: it reads single keys
)

// echoMode returns echoNone if the mode is unknown.
func (c *child) echoMode() echoMode {
	settings, err := onPTY(c, func(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, sys.IoctlGetTermios) })
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
	ready, err := c.poll(watched, timeout)
	if err == nil && !ready {
		err = os.ErrDeadlineExceeded
	}
	if errors.Is(err, unix.EINTR) {
		err = nil
	}
	return err
}

// pending reports whether there is output to read.
func (c *child) pending() bool {
	ready, _ := c.poll(1, 0) // a closed PTY has none
	return ready
}

// poll waits for output and, if watched is 2, for release. timeout is in milliseconds; a negative
// one means no limit. It reports whether there is output.
func (c *child) poll(watched, timeout int) (ready bool, err error) {
	return onPTY(c, func(fd int) (bool, error) {
		fds := [2]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(c.wake[0].Fd())}}
		_, err := unix.Poll(fds[:watched], timeout)
		return fds[0].Revents != 0, err
	})
}

// onPTY calls fn with the PTY's descriptor, which is not closed meanwhile.
func onPTY[T any](c *child, fn func(fd int) (T, error)) (result T, err error) {
	conn, err := c.ptmx.SyscallConn()
	if err != nil {
		return result, err
	}
	ctlErr := conn.Control(func(fd uintptr) { result, err = fn(int(fd)) })
	return result, errors.Join(ctlErr, err)
}

// release closes the child's end of the PTY, so that the output ends when no other process holds
// it. It wakes awaitOutput.
func (c *child) release() {
	_ = c.tty.Close()
	_ = c.wake[1].Close()
}

// close closes the PTY. The kernel sends SIGHUP to the processes that still run in it.
func (c *child) close() {
	_ = c.ptmx.Close()
	_ = c.wake[0].Close()
}
