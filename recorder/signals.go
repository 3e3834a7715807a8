package recorder

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/session"
)

// backgroundCheck is the interval at which a recording in the background checks whether it is in
// the foreground again: shells do not notify running jobs.
const backgroundCheck = 300 * time.Millisecond

// catchSignals returns a channel of the signals to handle while recording. It does not catch
// signals that were ignored at the start (nohup, a shell's background jobs), because the child
// ignores them, too; nor SIGTSTP, because once Go has caught it, it does not stop the process any
// more.
func catchSignals() chan os.Signal {
	proc.InheritIgnored()
	ch := make(chan os.Signal, 16)
	for _, sig := range proc.DeadlySignals() { // passed on to the child, they end the recording
		if !signal.Ignored(sig) {
			signal.Notify(ch, sig)
		}
	}
	signal.Notify(ch, unix.SIGWINCH, unix.SIGCONT, unix.SIGPIPE)
	return ch
}

// supervise passes signals, window sizes and stops between the terminal and the child until the
// child has exited.
func (r *run) supervise(ctx context.Context) {
	var kill <-chan time.Time
	end := func(sig syscall.Signal) {
		if sig == unix.SIGHUP && r.keep() {
			return
		}
		r.child.signal(sig)
		r.child.signal(unix.SIGCONT) // a stopped child cannot die
		if kill == nil {
			kill = time.After(r.options.KillAfter)
		}
	}
	done := ctx.Done()
	lost := r.output.terminalLost
	background := time.NewTicker(backgroundCheck)
	defer background.Stop()
	for {
		r.checkForeground(background)
		select {
		case <-r.child.exited:
			return
		case <-r.child.stopped:
			r.suspend()
		case sig := <-r.signals:
			r.handle(sig.(syscall.Signal), end)
		case sig := <-lost:
			lost = nil
			end(sig)
		case <-done:
			done = nil
			end(unix.SIGTERM)
		case <-kill:
			r.child.signal(unix.SIGKILL)
		case <-background.C:
		}
	}
}

// keep lets the session continue without its lost terminal, if Options.Keep is set.
func (r *run) keep() bool {
	if r.options.Keep == nil {
		return false
	}
	if r.term.isAlone() { // both the kernel and the shell report it
		return true
	}
	if r.input != nil {
		r.input.enable(false)
	}
	r.term.leave(*r.window())
	r.options.Keep()
	return true
}

// window returns the current size of the session's window.
func (r *run) window() *unix.Winsize {
	if ws, err := r.child.window(); err == nil {
		return ws
	}
	return r.term.size()
}

func (r *run) handle(sig syscall.Signal, end func(syscall.Signal)) {
	switch sig {
	case unix.SIGWINCH:
		if !r.term.isAlone() {
			r.followSize()
		}
	case unix.SIGCONT: // another process stopped us, and the shell has changed the terminal since
		r.resume()
	case unix.SIGPIPE: // the error of the write reports it
	default:
		end(sig)
	}
}

// followSize sets the PTY to the terminal's size and records it.
func (r *run) followSize() {
	_ = r.resizeTo(r.term.size()) // an exited child needs no size
}

func (r *run) resizeTo(ws *unix.Winsize) error {
	r.term.resized(ws)
	err := r.child.resize(ws)
	if err == nil {
		r.tee.put(session.Event{At: r.tee.now(), Kind: session.Resize, Cols: int(ws.Col), Rows: int(ws.Row)})
	}
	return err
}

// suspend stops our own job because the child was stopped, and continues both when the shell does.
// Without job control the kernel does not stop us, and the child continues.
func (r *run) suspend() {
	if r.term.isAlone() { // no one could continue us
		r.child.signal(unix.SIGCONT)
		return
	}
	r.settle()
	if r.input != nil {
		r.input.enable(false) // supervise enables it again when the terminal is raw
	}
	r.term.cook()
	_ = unix.Kill(0, unix.SIGTSTP) // our own group: it exists
	r.awaitContinue()
	r.resume()
}

// settle waits until the output from before the child's stop is on the terminal.
func (r *run) settle() {
	for calm, tries := 0, 0; calm < 2 && tries < 20; tries++ {
		if calm++; r.child.pending() {
			calm = 0
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (r *run) resume() {
	if !r.term.isAlone() {
		r.term.cook()
		r.term.makeRaw()
		r.followSize()
	}
	r.child.signal(unix.SIGCONT)
}

// awaitContinue returns when the process runs again after a stop. The stop takes effect a moment
// after the request, or never.
func (r *run) awaitContinue() {
	limit := time.After(100 * time.Millisecond)
	for {
		select {
		case sig := <-r.signals:
			if sig == unix.SIGWINCH {
				continue
			}
			if sig != unix.SIGCONT {
				select { // put it back for supervise
				case r.signals <- sig:
				default: // 16 are waiting already
				}
			}
			return
		case <-limit:
			return
		}
	}
}

// checkForeground takes the keyboard if we are in the foreground, and releases it otherwise. The
// ticker runs in the background only, so that a recording in the foreground does not wake up.
func (r *run) checkForeground(t *time.Ticker) {
	switch {
	case r.term.isAlone() || r.input == nil:
		t.Stop()
	case r.term.foreground():
		t.Stop()
		r.term.makeRaw()
		r.input.enable(true)
	default:
		t.Reset(backgroundCheck)
		r.input.enable(false)
	}
}
