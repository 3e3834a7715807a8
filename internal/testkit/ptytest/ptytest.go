//go:build linux

package ptytest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// patience is how long a test waits for expected output.
const patience = 60 * time.Second

// User is a user at a terminal.
type User struct {
	TTY *os.File // the terminal as programs see it

	ptmx *os.File
	hold chan struct{} // full while reading is stopped
	news chan struct{} // receives a value when shown has grown, or the terminal is closed

	mu     sync.Mutex // guards the fields below
	shown  []byte
	seen   int // how much of shown was already awaited
	closed bool
}

// HeedSignals lets the programs that a test starts receive the signals of their terminal, even if
// the tests run under nohup or in a shell's background. It may be called more than once.
func HeedSignals() { heedSignals() }

var heedSignals = sync.OnceFunc(func() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
})

// Need returns the path of a shell. Without it the test is skipped, or fails if $PTYREC_NEED_SHELLS
// is set.
func Need(t testing.TB, shell string) string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil && os.Getenv("PTYREC_NEED_SHELLS") == "" {
		t.Skipf("%s is not installed", shell)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// New opens a terminal of 80x24 cells, which is closed at the end of the test.
func New(t testing.TB) *User {
	t.Helper()
	HeedSignals()
	ptmx, tty, err := sys.OpenPTY()
	if err != nil {
		t.Fatal(err)
	}
	u := &User{TTY: tty, ptmx: ptmx, hold: make(chan struct{}, 1), news: make(chan struct{}, 1)}
	u.Resize(t, 80, 24)
	done := make(chan struct{})
	go u.watch(done)
	t.Cleanup(func() {
		_ = tty.Close()
		u.Hangup()
		<-done
	})
	return u
}

func (u *User) watch(done chan<- struct{}) {
	defer close(done)
	buf := make([]byte, 64<<10)
	for {
		n, err := u.ptmx.Read(buf)
		u.hold <- struct{}{} // blocks while reading is stopped
		<-u.hold
		u.mu.Lock()
		u.shown = append(u.shown, buf[:n]...)
		u.closed = err != nil
		u.mu.Unlock()
		select {
		case u.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// Await waits until the terminal has shown text after what was awaited before.
func (u *User) Await(t testing.TB, text string) {
	t.Helper()
	limit := time.After(patience)
	for {
		u.mu.Lock()
		i := bytes.Index(u.shown[u.seen:], []byte(text))
		if i >= 0 {
			u.seen += i + len(text)
		}
		rest, closed := u.shown[u.seen:], u.closed
		u.mu.Unlock()
		if i >= 0 {
			return
		}
		if closed {
			t.Fatalf("the terminal is closed and never showed %q, but %q", text, rest)
		}
		select {
		case <-u.news:
		case <-limit:
			t.Fatalf("the terminal does not show %q, but %q", text, rest)
		}
	}
}

// AwaitShown waits until ok returns true for everything that the terminal has shown. what describes
// what is awaited.
func (u *User) AwaitShown(t testing.TB, what string, ok func(shown []byte) bool) {
	t.Helper()
	limit := time.After(patience)
	for {
		u.mu.Lock()
		shown, closed := u.shown, u.closed
		u.mu.Unlock()
		if ok(shown) {
			return
		}
		if closed {
			t.Fatalf("the terminal is closed and never showed %s", what)
		}
		select {
		case <-u.news:
		case <-limit:
			t.Fatalf("the terminal does not show %s", what)
		}
	}
}

// Mark is the text that Drain writes.
const Mark = "\x1b]ptytest\x07"

// Drain writes a Mark and waits until the terminal has shown it, and thus everything that was
// written before.
func (u *User) Drain(t testing.TB) {
	t.Helper()
	if _, err := io.WriteString(u.TTY, Mark); err != nil {
		t.Fatal(err)
	}
	u.Await(t, Mark)
}

// Shown returns everything that the terminal has shown.
func (u *User) Shown() []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	return bytes.Clone(u.shown)
}

// Count returns the number of bytes that the terminal has shown.
func (u *User) Count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.shown)
}

// AwaitCount waits until the terminal has shown n bytes, as long as bytes keep coming.
func (u *User) AwaitCount(t testing.TB, n int) {
	t.Helper()
	for u.Count() < n {
		select {
		case <-u.news:
		case <-time.After(patience):
			t.Fatalf("the terminal shows %d bytes and no more, want %d", u.Count(), n)
		}
	}
}

// Hold makes the terminal stop reading, like a window that hangs, until release is called.
func (u *User) Hold() (release func()) {
	u.hold <- struct{}{}
	return sync.OnceFunc(func() { <-u.hold })
}

// Type types keys.
func (u *User) Type(t testing.TB, keys string) {
	t.Helper()
	if _, err := io.WriteString(u.ptmx, keys); err != nil {
		t.Fatal(err)
	}
}

// Resize changes the window's size, in cells.
func (u *User) Resize(t testing.TB, cols, rows int) {
	t.Helper()
	if err := SetSize(u.TTY, cols, rows); err != nil {
		t.Fatal(err)
	}
}

// SetSize sets the window size of a terminal, in cells. f is either end of it.
func SetSize(f *os.File, cols, rows int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	ctlErr := conn.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
	return errors.Join(ctlErr, err)
}

// Hangup closes the window.
func (u *User) Hangup() { _ = u.ptmx.Close() }

// Settings returns the terminal's line settings.
func (u *User) Settings(t testing.TB) unix.Termios {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(u.TTY.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *settings
}

// Start starts cmd with the terminal as its controlling terminal. Streams that are already set in
// cmd are kept.
func (u *User) Start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if cmd.Stdin == nil {
		cmd.Stdin = u.TTY
	}
	if cmd.Stdout == nil {
		cmd.Stdout = u.TTY
	}
	if cmd.Stderr == nil {
		cmd.Stderr = u.TTY
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
}

// Status waits for cmd and returns its exit status, or 128+n if signal n ended it.
func Status(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait() // the process state has the result
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}
