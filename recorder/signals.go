package recorder

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// backgroundCheck is how often a recording in the background checks whether it was brought to the
// foreground: shells do not tell a running job.
const backgroundCheck = 300 * time.Millisecond

// ending are the signals that are passed on and end a recording.
var ending = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM}

// signals are those that the process gets while it records.
type signals struct {
	ch chan os.Signal
}

// catchSignals leaves alone what was ignored at the start (nohup, a shell's background jobs): the
// child ignores it too. It leaves alone SIGTSTP: once caught, Go does not let it stop the process
// any more.
func catchSignals() *signals {
	s := &signals{ch: make(chan os.Signal, 16)}
	for _, sig := range ending {
		if !signal.Ignored(sig) {
			signal.Notify(s.ch, sig)
		}
	}
	signal.Notify(s.ch, unix.SIGWINCH, unix.SIGCONT, unix.SIGPIPE)
	return s
}

func (s *signals) stop() { signal.Stop(s.ch) }

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
	background := r.backgroundTicker()
	defer background.Stop()
	for {
		select {
		case <-r.child.exited:
			return
		case <-r.child.stopped:
			r.suspend()
		case sig := <-r.signals.ch:
			r.handle(sig.(syscall.Signal), end)
		case sig := <-lost:
			lost = nil
			end(sig)
		case <-done:
			done = nil
			end(unix.SIGTERM)
		case <-kill:
			r.child.kill()
		case <-background.C:
		}
		r.checkForeground(background)
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
	var ws *unix.Winsize
	err := r.child.control(func(fd int) { ws, _ = unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ) })
	if err != nil || ws == nil {
		return r.term.size()
	}
	return ws
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
		r.tee.resize(int(ws.Col), int(ws.Row))
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
		case sig := <-r.signals.ch:
			if sig == unix.SIGCONT {
				return
			}
			if sig != unix.SIGWINCH {
				r.requeue(sig)
				return
			}
		case <-limit:
			return
		}
	}
}

// requeue puts a signal back for supervise.
func (r *run) requeue(sig os.Signal) {
	select {
	case r.signals.ch <- sig:
	default: // 16 are waiting already
	}
}

func (r *run) backgroundTicker() *time.Ticker {
	t := time.NewTicker(backgroundCheck)
	r.checkForeground(t)
	return t
}

// checkForeground takes the keyboard when we are in the foreground, and leaves it alone when not.
// The ticker runs in the background only: a recording that waits for its child does not wake up.
func (r *run) checkForeground(t *time.Ticker) {
	if r.term.isAlone() {
		t.Stop()
		return
	}
	if r.input == nil || r.term.foreground() {
		t.Stop()
	} else {
		t.Reset(backgroundCheck)
	}
	if r.input == nil {
		return
	}
	if r.term.foreground() {
		r.term.makeRaw()
		r.input.enable(true)
	} else {
		r.input.enable(false)
	}
}
