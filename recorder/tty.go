package recorder

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// window returns the size of the session's window at its start.
func (o Options) window() (cols, rows int) {
	if o.Cols > 0 && o.Rows > 0 {
		return o.Cols, o.Rows
	}
	return sys.WindowSize(o.Stdout, o.Stdin)
}

// terminal is the user's terminal, if there is one: its window, its line settings, and the modes
// that the output switched on.
type terminal struct {
	in, out *os.File
	isTTY   bool     // whether in is a terminal
	tty     *os.File // in or out, whichever is a terminal; nil if neither is

	mu    sync.Mutex // guards the fields below
	saved *term.State
	modes modeTracker
	gone  bool   // writing failed, because the window or the pipe was closed
	busy  bool   // whether output is being written
	note  string // sequence to write when it is not

	alone  bool         // there is no terminal, or no longer one
	window unix.Winsize // the session's window in that case

	notesMu sync.Mutex // guards mute, for a short time only
	mute    bool       // no more notifications
	notes   sync.WaitGroup
}

func newTerminal(o Options) *terminal {
	in, out := o.Stdin, o.Stdout
	if o.Cols > 0 && o.Rows > 0 {
		return &terminal{in: in, out: out, gone: true, alone: true,
			window: unix.Winsize{Col: uint16(o.Cols), Row: uint16(o.Rows)}}
	}
	t := &terminal{in: in, out: out, isTTY: term.IsTerminal(int(in.Fd()))}
	switch {
	case t.isTTY:
		t.tty = in
	case term.IsTerminal(int(out.Fd())):
		t.tty = out
	}
	return t
}

func (t *terminal) size() *unix.Winsize {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.alone {
		window := t.window
		return &window
	}
	cols, rows := sys.WindowSize(t.out, t.in)
	return &unix.Winsize{Col: uint16(cols), Row: uint16(rows)}
}

// isAlone reports whether the session has no terminal, or no longer one.
func (t *terminal) isAlone() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.alone
}

// leave abandons a lost terminal. The window keeps its size.
func (t *terminal) leave(window unix.Winsize) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone, t.alone, t.window, t.saved = true, true, window, nil
}

// foreground reports whether our process group may read the terminal and set its modes.
func (t *terminal) foreground() bool {
	if t.tty == nil || t.isAlone() {
		return true
	}
	pgrp, err := unix.IoctlGetInt(int(t.tty.Fd()), unix.TIOCGPGRP)
	return err != nil || pgrp == unix.Getpgrp()
}

// makeRaw passes each key unchanged to the child's line discipline, and shows the output unchanged.
// It does nothing in the background and without a terminal: those keys are for other programs.
func (t *terminal) makeRaw() {
	if t.tty == nil || !t.foreground() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved != nil || t.alone {
		return
	}
	fd := int(t.tty.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return
	}
	if t.isTTY {
		_, err = term.MakeRaw(fd)
	} else {
		err = showAsItIs(fd)
	}
	if err == nil {
		t.saved = state
	}
}

// showAsItIs makes a terminal show line feeds as they are, without adding carriage returns.
func showAsItIs(fd int) error {
	settings, err := unix.IoctlGetTermios(fd, sys.IoctlGetTermios)
	if err != nil {
		return err
	}
	settings.Oflag &^= unix.OPOST
	return unix.IoctlSetTermios(fd, sys.IoctlSetTermios, settings)
}

// cook undoes makeRaw.
func (t *terminal) cook() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cookLocked()
}

func (t *terminal) cookLocked() {
	if t.saved == nil {
		return
	}
	_ = term.Restore(int(t.tty.Fd()), t.saved) // fails only if the terminal is lost
	t.saved = nil
}

// write writes the child's output to the terminal. An error means that the terminal is lost.
func (t *terminal) write(p []byte) error {
	t.mu.Lock()
	gone := t.gone
	if !gone {
		t.modes.feed(p)
		t.busy = true
	}
	t.mu.Unlock()
	if gone {
		return nil
	}
	_, err := t.out.Write(p)
	t.mu.Lock()
	t.busy = false
	if err != nil {
		t.gone = true
	}
	t.say()
	t.mu.Unlock()
	return err
}

// maxNote is the maximum length of the notifications that wait for a slow terminal, in bytes.
const maxNote = 4 << 10

// alert writes a sequence to the terminal when no sequence of the output is incomplete.
func (t *terminal) alert(sequence string) {
	t.notesMu.Lock()
	defer t.notesMu.Unlock()
	if t.mute {
		return
	}
	t.notes.Go(func() { // a terminal that does not read must hold up only the output
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.note)+len(sequence) > maxNote {
			t.note = ""
		}
		t.note += sequence
		t.say()
	})
}

// endNotes waits for notifications in progress, and drops later ones.
func (t *terminal) endNotes() {
	t.notesMu.Lock()
	t.mute = true
	t.notesMu.Unlock()
	t.notes.Wait()
}

// say writes the notifications if possible. The caller holds mu.
func (t *terminal) say() {
	if t.note == "" || t.busy || t.gone || !t.modes.between() {
		return
	}
	note := t.note
	t.note = ""
	if term.IsTerminal(int(t.out.Fd())) {
		_, _ = t.out.WriteString(note) // the error of the output reports it
	}
}

func (t *terminal) resized(ws *unix.Winsize) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.modes.rows = int(ws.Row)
	t.window = *ws
}

// restore restores the terminal's line settings, and resets the modes that the child left on.
func (t *terminal) restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if reset := t.modes.reset(); reset != "" && !t.gone && term.IsTerminal(int(t.out.Fd())) {
		_, _ = t.out.WriteString(reset) // fails only if the terminal is lost
	}
	t.cookLocked()
}

// guard restores the terminal after a panic. It is deferred by the goroutines between the child and
// the terminal.
func (t *terminal) guard() {
	if p := recover(); p != nil {
		t.restore()
		panic(p)
	}
}
