package recorder

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys/deadly"
	"github.com/ptyrec/ptyrec/session"
)

// backgroundCheck is how often a recording in the background checks whether it was brought to the
// foreground: shells do not tell a running job.
const backgroundCheck = 300 * time.Millisecond

// catchSignals returns the signals that the process gets while it records. It leaves alone what was
// ignored at the start (nohup, a shell's background jobs): the child ignores it too. It leaves
// alone SIGTSTP: once caught, Go does not let it stop the process any more.
func catchSignals() chan os.Signal {
	deadly.Inherit()
	ch := make(chan os.Signal, 16)
	for _, sig := range deadly.Signals() { // they are passed on, and end the recording
		if !signal.Ignored(sig) {
			signal.Notify(ch, sig)
		}
	}
	signal.Notify(ch, unix.SIGWINCH, unix.SIGCONT, unix.SIGPIPE)
	return ch
}

// supervise passes signals, window sizes and stops between the terminal and the child until the
// child is gone.
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

// keep lets the session go on without its terminal, which is gone, if that is wanted.
func (r *run) keep() bool {
	if r.options.Keep == nil {
		return false
	}
	if r.term.isAlone() { // the kernel and the shell both say so
		return true
	}
	if r.input != nil {
		r.input.enable(false)
	}
	r.term.leave(*r.window())
	r.options.Keep()
	return true
}

// window returns the size of the session's window, as its command knows it.
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
	case unix.SIGCONT: // somebody else stopped us, and the shell has set the terminal since
		r.resume()
	case unix.SIGPIPE: // the write's own error says so
	default:
		end(sig)
	}
}

// followSize sets the PTY to the terminal's size and records it.
func (r *run) followSize() {
	_ = r.resizeTo(r.term.size()) // a child that is gone needs none
}

func (r *run) resizeTo(ws *unix.Winsize) error {
	r.term.resized(ws)
	err := r.child.resize(ws)
	if err == nil {
		r.tee.put(session.Event{At: r.tee.now(), Kind: session.Resize, Cols: int(ws.Col), Rows: int(ws.Row)})
	}
	return err
}

// suspend stops ptyrec's own job, as the child was stopped, and takes both up again when the shell
// says so. Where nobody could continue it (no job control) the kernel does not stop us, and the
// child goes on.
func (r *run) suspend() {
	if r.term.isAlone() { // nobody could continue us
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

// settle lets what the child said before it stopped come to the terminal.
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
// after it was asked for, or never.
func (r *run) awaitContinue() {
	limit := time.After(100 * time.Millisecond)
	for {
		select {
		case sig := <-r.signals:
			if sig == unix.SIGWINCH {
				continue
			}
			if sig != unix.SIGCONT {
				select { // supervise handles it
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

// checkForeground takes the keyboard when we are in the foreground, and leaves it alone when not.
// The ticker runs in the background only: a recording that waits for its child does not wake up.
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
