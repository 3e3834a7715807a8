package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/session"
)

// child is the command, in its own process group, and its pipes or PTY.
type child struct {
	pid   int
	outs  []*source
	wake  [2]*os.File  // a pipe that receives a byte when the command has exited
	ptmx  *os.File     // nil if it has none
	stdin sync.Mutex   // guards input
	input *os.File     // nil if closed
	taken atomic.Int64 // bytes written to input
	typed func([]byte) // called with input that may be recorded; nil if none may be
	code  int          // exit code; valid once wake has a byte

	typing sync.Mutex // held while input is written and recorded

	mu   sync.Mutex // guards gone
	gone bool       // the command was waited for, so its pid may belong to another process
}

// source is a pipe or PTY to which the command writes.
type source struct {
	stream Stream
	file   *os.File // nil after its end
	held   []byte   // the start of an incomplete character
}

// readSize is the maximum number of bytes to read at a time: the capacity of a pipe.
const readSize = 64 << 10

// startChild starts the order's command.
func startChild(o *order) (*child, error) {
	path, err := exec.LookPath(o.Argv[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	c := &child{}
	var files []*os.File
	sys := &syscall.SysProcAttr{Setpgid: true}
	if o.PTY {
		files, err = c.openPTY(o)
		sys = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	} else {
		files, err = c.openPipes(o)
	}
	if err == nil {
		c.wake[0], c.wake[1], err = os.Pipe()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	argv := o.Argv
	if len(argv) == 3 && argv[1] == "-c" && len(argv[2]) > maxArgument {
		script, err := scriptFile(argv[2])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrStart, err)
		}
		files = append(files, script)
		argv = []string{argv[0], "-c", `eval "exec 3<&-; $(cat <&3)"`}
	}
	attr := &syscall.ProcAttr{Env: o.Environ, Sys: sys}
	for _, f := range files {
		attr.Files = append(attr.Files, f.Fd())
	}
	c.pid, err = syscall.ForkExec(path, argv, attr)
	for _, f := range files {
		_ = f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrStart, path, err)
	}
	go c.reap()
	return c, nil
}

// maxArgument is the maximum length of an argument that every system accepts, in bytes. Linux
// accepts 128 KiB (execve(2)).
const maxArgument = 100 << 10

// scriptFile returns an unnamed temporary file that contains the text, positioned at its start.
func scriptFile(text string) (*os.File, error) {
	f, err := os.CreateTemp("", "ptyrec-")
	if err != nil {
		return nil, err
	}
	err = os.Remove(f.Name())
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openPipes creates the pipes, and returns the command's ends of them.
func (c *child) openPipes(o *order) ([]*os.File, error) {
	var files []*os.File
	if o.CloseStdin {
		null, err := os.Open(os.DevNull)
		if err != nil {
			return nil, err
		}
		files = append(files, null)
	} else {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		c.input = unblocked(w)
		files = append(files, r)
	}
	for _, s := range []Stream{Stdout, Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		c.outs = append(c.outs, &source{stream: s, file: unblocked(r)})
		files = append(files, w)
	}
	return files, nil
}

// openPTY creates the PTY, and returns the command's ends of it.
func (c *child) openPTY(o *order) ([]*os.File, error) {
	ptmx, tty, err := sys.OpenPTY()
	if err != nil {
		return nil, err
	}
	c.ptmx = ptmx
	_ = unix.IoctlSetWinsize(int(ptmx.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Col: uint16(o.Record.Cols), Row: uint16(o.Record.Rows)})
	_ = unblocked(ptmx)
	c.input, c.outs = ptmx, []*source{{stream: Stdout, file: ptmx}}
	return []*os.File{tty, tty, tty}, nil
}

// unblocked sets f's descriptor to non-blocking mode.
func unblocked(f *os.File) *os.File {
	_ = unix.SetNonblock(int(f.Fd()), true) // Fd removes f from Go's poller
	return f
}

// reap waits for the command, and for orphaned descendants of it.
func (c *child) reap() {
	for {
		if !awaitChild() {
			time.Sleep(orphanWait)
			continue
		}
		c.mu.Lock()
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		if err == nil && pid == c.pid && !c.gone {
			c.gone = true
			if c.code = ws.ExitStatus(); ws.Signaled() {
				c.code = 128 + int(ws.Signal())
			}
			_, _ = c.wake[1].Write([]byte{0})
		}
		c.mu.Unlock()
	}
}

// orphanWait is the interval at which a host without children looks for orphans.
const orphanWait = 20 * time.Millisecond

// carry passes what the command writes to output, split only between characters. It calls exited
// once, after the command has exited and everything that it wrote was passed on. It returns when no
// process holds the pipes any more.
func (c *child) carry(output func(s Stream, data []byte), exited func(code int)) {
	buf := make([]byte, readSize)
	open := len(c.outs)
	ended, left := false, 0
	for open > 0 || !ended {
		fds := c.polled(ended)
		if _, err := unix.Poll(fds, -1); err != nil {
			continue // EINTR
		}
		quiet := true
		for i, s := range c.outs {
			if fds[i+1].Revents == 0 {
				continue
			}
			n, err := unix.Read(int(s.fd()), buf[len(s.held):])
			switch {
			case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			case err != nil || n == 0:
				c.finish(s, output)
				open--
			default:
				quiet = false
				left += n
				s.pass(buf, n, output)
			}
		}
		if fds[0].Revents == 0 || ended {
			left = 0
			continue
		}
		if quiet || open == 0 || left > len(c.outs)*readSize { // more than the pipes can hold: another process is writing
			ended = true
			exited(c.code)
		}
	}
}

// polled returns what to wait for: the end of the command, unless that is known, and its output.
func (c *child) polled(ended bool) []unix.PollFd {
	fds := []unix.PollFd{{Fd: int32(c.wake[0].Fd()), Events: unix.POLLIN}}
	if ended {
		fds[0].Fd = -1
	}
	for _, s := range c.outs {
		fds = append(fds, unix.PollFd{Fd: s.fd(), Events: unix.POLLIN})
	}
	return fds
}

// finish passes on the incomplete character of a stream that has ended, and closes its file.
func (c *child) finish(s *source, output func(s Stream, data []byte)) {
	if len(s.held) > 0 {
		output(s.stream, s.held)
		s.held = nil
	}
	if s.file != c.ptmx { // resize still uses the PTY
		_ = s.file.Close()
	}
	s.file = nil
}

// pass passes on what is held and the n bytes that were read into buf after the space for it,
// except an incomplete character at the end.
func (s *source) pass(buf []byte, n int, output func(s Stream, data []byte)) {
	copy(buf, s.held)
	data := buf[:len(s.held)+n]
	whole := session.Whole(data)
	if whole > 0 {
		output(s.stream, data[:whole])
	}
	s.held = append(s.held[:0], data[whole:]...)
}

// fd returns the source's descriptor, or -1 if it has ended.
func (s *source) fd() int32 {
	if s.file == nil {
		return -1
	}
	return int32(s.file.Fd())
}

// write writes data to the command's input, which may block. Closing stop ends it. *at, if set, is
// the offset of data in all input; what the command already has is not written again.
func (c *child) write(data []byte, at *int64, stop <-chan struct{}) error {
	c.stdin.Lock()
	defer c.stdin.Unlock()
	if at != nil {
		data = data[min(max(c.taken.Load()-*at, 0), int64(len(data))):]
	}
	for len(data) > 0 {
		if c.input == nil {
			return ErrEnded
		}
		n, err := c.typeNow(data)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			select {
			case <-stop:
				return io.ErrClosedPipe
			case <-time.After(writeStep):
			}
		case err != nil:
			return ErrEnded
		default:
			data = data[n:]
			c.taken.Add(int64(n))
		}
	}
	return nil
}

// typeNow writes as much as the command's input accepts without blocking, records it, and returns
// its length.
func (c *child) typeNow(data []byte) (n int, err error) {
	c.typing.Lock()
	defer c.typing.Unlock()
	shown := c.showsInput()
	if n, err = unix.Write(int(c.input.Fd()), data); n > 0 && shown && c.showsInput() {
		c.typed(bytes.Clone(data[:n]))
	}
	return n, err
}

// awaitTyped returns once the input that was written is also recorded. The command may exit right
// after it has read the input.
func (c *child) awaitTyped() {
	c.typing.Lock()
	defer c.typing.Unlock()
}

// showsInput reports whether input may be recorded now: always for a pipe, for a PTY only while it
// echoes, so that passwords are not recorded.
func (c *child) showsInput() bool {
	if c.typed == nil || c.ptmx == nil {
		return c.typed != nil
	}
	settings, err := unix.IoctlGetTermios(int(c.ptmx.Fd()), sys.IoctlGetTermios)
	return err == nil && settings.Lflag&unix.ECHO != 0
}

// writeStep is the interval between attempts to write to a command that does not read.
const writeStep = 5 * time.Millisecond

// closeInput closes the command's input. It has no effect on a PTY.
func (c *child) closeInput() error {
	c.stdin.Lock()
	defer c.stdin.Unlock()
	if c.input == nil || c.input == c.ptmx {
		return nil
	}
	err := c.input.Close()
	c.input = nil
	return err
}

// kill sends a signal to the command's process group and to all its descendants.
func (c *child) kill(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		_ = unix.Kill(-c.pid, sig)
	}
	for _, pid := range proc.Descendants() {
		_ = unix.Kill(pid, sig) // it may be gone already
	}
}

// hasDescendants reports whether a descendant of the command still runs.
func (c *child) hasDescendants() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(proc.Descendants()) > 0
}

func (h *host) resize(cols, rows int) error {
	if h.child.ptmx == nil {
		return nil
	}
	cols, rows = min(max(cols, 1), 1000), min(max(rows, 1), 1000)
	if err := unix.IoctlSetWinsize(int(h.child.ptmx.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Col: uint16(cols), Row: uint16(rows)}); err != nil {
		return err
	}
	h.log.Put(session.Event{At: h.now(), Kind: session.Resize, Cols: cols, Rows: rows})
	return nil
}
