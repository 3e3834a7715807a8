package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Watcher shows a live session on the user's terminal. It feeds a virtual terminal and draws its
// screen, so that no output of the session controls the user's terminal, or makes it reply to a
// query.
type Watcher struct {
	Stream     *client.Stream
	In, Out    *os.File // the user's terminal
	Err        *os.File // for notices; if it is a terminal, they are written at the end
	Detach     byte     // the key that detaches
	DetachName string   // name of the key for the user
	Control    bool     // pass keys on to the session
	Resize     bool     // the session's size follows that of the user's terminal

	// Observe, if set, is called with each event of the stream.
	Observe func(client.Event)
	// Stored, if set, returns the stored exit status of a session whose socket disappeared before
	// it was reported.
	Stored func(ctx context.Context, id string) (status int, ok bool)

	has     bool // we may type
	id      string
	viewer  string // our viewer id
	piped   bool   // lines of the session end without a carriage return
	term    *vterm.Term
	painted bool // the session's screen is known
	reports reports
	view    view         // as last drawn
	cut     []byte       // an incomplete sequence, see splitCut
	lost    *client.Lost // nil while connected
	failed  error        // why the session can no longer be reached
	note    string       // in the status line, up to the time until
	until   time.Time
	notices []string
	typed   chan []byte
	refused chan error
	helpers sync.WaitGroup // goroutines of watch, which waits for them
}

// StreamError is the reason why the session can no longer be reached.
type StreamError struct{ Err error }

func (e *StreamError) Error() string { return e.Err.Error() }
func (e *StreamError) Unwrap() error { return e.Err }

// GoneError is returned for a session that is gone and left no exit status.
type GoneError struct{ Name string } // the session's short id

func (e *GoneError) Error() string {
	return fmt.Sprintf("session %s is gone, its exit status is unknown", e.Name)
}

// Ended is the result of watching.
type Ended struct {
	Status  int      // exit status for the process: the session's, or 128 plus the signal that ended it
	Notices []string // notices for the user, to print after the terminal is restored
}

// Run shows the session until it ends or the user leaves. It returns a *StreamError or a *GoneError
// if the end of the session is unknown.
func (w *Watcher) Run(ctx context.Context) (Ended, error) {
	defer func() { _ = w.Stream.Close() }()
	state, err := term.MakeRaw(int(w.In.Fd()))
	if err != nil {
		return Ended{}, err
	}
	d := newDisplay(w.Out)
	end, status, err := w.watch(ctx, d)
	w.report(d, false)
	d.close()
	err = errors.Join(err, term.Restore(int(w.In.Fd()), state))
	if end != "" {
		w.notices = append(w.notices, end)
	}
	return Ended{Status: status, Notices: w.notices}, err
}

// watch runs while the terminal is in use. end is the text to print afterwards.
func (w *Watcher) watch(ctx context.Context, d *display) (end string, status int, err error) {
	defer func() {
		if p := recover(); p != nil { // restore the terminal before the panic is printed
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, append(proc.DeadlySignals(), syscall.SIGWINCH)...)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(ctx)
	defer w.helpers.Wait()
	defer cancel()
	events, keys, stop, err := w.sources(ctx)
	if err != nil {
		return "", 0, err
	}
	defer stop()
	w.term = vterm.New(vterm.Options{Cols: 80, Rows: 24, Scrollback: -1})
	var redraw <-chan time.Time
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return w.over(ctx)
			}
			w.take(ctx, d, e)
		case k, ok := <-keys:
			if !ok || w.press(k) {
				return fmt.Sprintf("detached from session %s; `ptyrec attach %[1]s` attaches again", w.name()), 0, nil
			}
		case err := <-w.refused:
			w.say(err.Error())
		case s := <-signals:
			if s != syscall.SIGWINCH {
				number, _ := s.(syscall.Signal)
				return "", 128 + int(number), nil
			}
			w.fit(ctx, d)
		case <-redraw:
			if redraw, err = w.redraw(d); err != nil {
				return "", 0, err
			}
			continue
		}
		if redraw == nil || w.note != "" {
			redraw = time.After(frame)
		}
	}
}

// redraw draws the screen, and returns a channel for the time to remove a note.
func (w *Watcher) redraw(d *display) (<-chan time.Time, error) {
	if err := w.draw(d); err != nil || w.note == "" {
		return nil, err
	}
	return time.After(noteTime), nil
}

// sources starts goroutines that read the session and the keyboard, and one that types. stop ends
// them.
func (w *Watcher) sources(ctx context.Context) (events chan client.Event, keys chan []byte, stop func(), err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0) // a new file, so that a deadline can end reads
	if err != nil {
		return nil, nil, nil, err
	}
	events, keys, w.typed, w.refused = make(chan client.Event), make(chan []byte), make(chan []byte,
		256), make(chan error, 1)
	w.helpers.Go(func() {
		defer close(events)
		for {
			e, err := w.Stream.Next(ctx)
			if err != nil {
				if !errors.Is(err, io.EOF) && ctx.Err() == nil {
					hand(ctx, events, client.Event(err))
				}
				return
			}
			if !hand(ctx, events, e) {
				return
			}
		}
	})
	w.helpers.Go(func() {
		defer close(keys)
		for {
			buf := make([]byte, 4096)
			n, err := tty.Read(buf)
			if err != nil || !hand(ctx, keys, buf[:n]) {
				return
			}
		}
	})
	w.helpers.Go(func() {
		for {
			select {
			case k := <-w.typed:
				if _, err := w.Stream.Write(k); err != nil {
					select {
					case w.refused <- err:
					default:
					}
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return events, keys, func() {
		_ = tty.SetReadDeadline(time.Unix(1, 0))
		_ = w.Stream.Close() // unblocks the goroutine that types
		w.helpers.Go(func() { _ = tty.Close() })
	}, nil
}

func hand[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// take handles an event of the session.
func (w *Watcher) take(ctx context.Context, d *display, e client.Event) {
	if w.Observe != nil {
		w.Observe(e)
	}
	switch e := e.(type) {
	case client.Connected:
		w.id, w.viewer, w.piped = e.Session.ID, e.Viewer, e.Session.Piped()
		if w.lost = nil; !w.painted {
			w.term.Resize(e.Cols, e.Rows)
			w.say(w.greeting())
		}
		w.controls(e.Control)
		w.fit(ctx, d)
	case protocol.Snapshot:
		w.painted = true
		w.term.Resize(e.Cols, e.Rows)
		_, _ = w.term.Write(e.Data) // never fails
	case client.Output:
		if w.piped {
			e.Data = session.TerminalLines(e.Data)
		}
		_, _ = w.term.Write(e.Data)
	case protocol.Size:
		w.term.Resize(e.Cols, e.Rows)
	case protocol.Numbered:
		w.frame(e)
	case protocol.Control:
		w.controls(e)
	case protocol.Notice:
		w.heed(e.Text)
	case client.Lost:
		w.lost = &e
	case error:
		w.failed = e
	}
}

// controls handles a change of who may type.
func (w *Watcher) controls(c protocol.Control) {
	if !w.Control {
		return
	}
	for _, v := range c.Viewers {
		if v.ID != w.viewer {
			continue
		}
		if w.has && !v.Control {
			w.say("you no longer have control: " + c.Reason)
		}
		w.has = v.Control
	}
}

// frame handles a frame of the raw log.
func (w *Watcher) frame(n protocol.Numbered) {
	switch raw, _ := client.RawEvent(n); raw.Kind {
	case session.Output:
		_, _ = w.term.Write(raw.Data) // never fails
	case session.Resize:
		w.term.Resize(raw.Cols, raw.Rows)
	}
}

// press handles keys from the user's terminal. leave reports whether the user leaves.
func (w *Watcher) press(keys []byte) (leave bool) {
	keys = append(w.cut, keys...)
	if at := detachAt(keys, w.Detach); at >= 0 {
		keys, leave = keys[:at], true
	}
	keys, w.cut = splitCut(keys, w.reports.modes.Mouse != 0)
	keys = w.view.pointed(withoutReplies(keys), w.reports.modes)
	switch {
	case len(keys) == 0:
	case !w.Control:
		w.say("not typed: you are only watching; " + w.DetachName + " detaches, --control lets you type")
	case w.lost != nil:
		w.say("not typed: not connected")
	default:
		select {
		case w.typed <- keys:
		default:
			w.say("not typed: the session accepts no input")
		}
	}
	return leave
}

// over returns how the session ended.
func (w *Watcher) over(ctx context.Context) (end string, status int, err error) {
	status, ok := w.Stream.ExitStatus()
	if !ok && w.Stored != nil {
		status, ok = w.Stored(context.WithoutCancel(ctx), w.id)
	}
	if !ok && w.failed != nil {
		return "", 0, &StreamError{w.failed}
	}
	if !ok || status < 0 {
		return "", 0, &GoneError{w.name()}
	}
	return fmt.Sprintf("session %s has ended, with exit status %d", w.name(), status), status, nil
}
