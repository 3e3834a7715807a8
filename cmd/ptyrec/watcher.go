package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/screen"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
)

// watcher shows a live session on the user's terminal. It feeds a terminal of its own and draws
// what that shows: nothing that the session writes drives the user's terminal, which thus answers
// no query of it, either.
type watcher struct {
	a          *app
	stream     *client.Stream
	detach     byte
	detachName string
	control    bool // keys go to the session
	has        bool // it lets us
	resize     bool
	remote     bool

	id      string
	viewer  string // our id
	piped   bool   // the session's lines end without a carriage return
	term    *vterm.Term
	painted bool // the session's screen is known
	modes   vterm.Modes
	lost    *client.Lost // nil while connected
	failed  error        // why the session cannot be reached any more
	note    string       // for the status line, until
	until   time.Time
	notices []string
	log     *attachLog // nil: nothing is recorded
	typed   chan []byte
	refused chan error
}

// noteTime is how long the status line shows a note.
const noteTime = 4 * time.Second

// run shows the session until it ends or the user leaves.
func (w *watcher) run(ctx context.Context) error {
	defer func() { _ = w.stream.Close() }()
	state, err := term.MakeRaw(int(w.a.stdin.Fd()))
	if err != nil {
		return err
	}
	d := newDisplay(w.a.stdout)
	end, err := w.watch(ctx, d)
	w.mirror(d, vterm.Modes{})
	d.close()
	err = errors.Join(err, term.Restore(int(w.a.stdin.Fd()), state))
	if w.log != nil {
		w.log.close()
	}
	for _, text := range w.notices {
		w.a.notice("%s", text)
	}
	if end != "" {
		w.a.notice("%s", end)
	}
	return err
}

// watch is run while the terminal is ours; end is what to say when it is the user's again.
func (w *watcher) watch(ctx context.Context, d *display) (end string, err error) {
	defer func() {
		if p := recover(); p != nil { // the terminal goes back before that is told
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(ctx)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer cancel()
	events, keys, stop, err := w.sources(ctx, &helpers)
	if err != nil {
		return "", err
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
				return fmt.Sprintf("left %s, which goes on; `ptyrec attach %[1]s` comes back", w.name()), nil
			}
		case err := <-w.refused:
			w.say(err.Error())
		case s := <-signals:
			if s != syscall.SIGWINCH {
				number, _ := s.(syscall.Signal)
				return "", childStatus(128 + int(number))
			}
			w.fit(ctx, d)
		case <-redraw:
			redraw = nil
			if err := w.draw(d); err != nil {
				return "", err
			}
			if w.note != "" {
				redraw = time.After(noteTime)
			}
			continue
		}
		if redraw == nil || w.note != "" {
			redraw = time.After(frame)
		}
	}
}

// sources starts those who read the session and the keyboard, and one who types. stop ends them,
// helpers waits.
func (w *watcher) sources(ctx context.Context, helpers *sync.WaitGroup) (events chan client.Event, keys chan []byte, stop func(), err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0) // one that a deadline ends
	if err != nil {
		return nil, nil, nil, err
	}
	events, keys, w.typed, w.refused = make(chan client.Event), make(chan []byte), make(chan []byte, 256), make(chan error, 1)
	helpers.Go(func() {
		defer close(events)
		for {
			e, err := w.stream.Next(ctx)
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
	helpers.Go(func() {
		defer close(keys)
		for {
			buf := make([]byte, 4096)
			n, err := tty.Read(buf)
			if err != nil || !hand(ctx, keys, buf[:n]) {
				return
			}
		}
	})
	helpers.Go(func() {
		for {
			select {
			case k := <-w.typed:
				if _, err := w.stream.Write(k); err != nil {
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
		_ = w.stream.Close() // who types may wait for it
		helpers.Go(func() { _ = tty.Close() })
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
func (w *watcher) take(ctx context.Context, d *display, e client.Event) {
	if w.log != nil {
		w.log.take(e)
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

// controls notices that control was given or taken.
func (w *watcher) controls(c protocol.Control) {
	if !w.control {
		return
	}
	for _, v := range c.Viewers {
		if v.ID != w.viewer {
			continue
		}
		if w.has && !v.Control {
			w.say("you have control no more: " + c.Reason)
		}
		w.has = v.Control
	}
}

// greeting says from the beginning what one can do, and how to leave.
func (w *watcher) greeting() string {
	if w.control {
		return "what you type goes to " + w.name() + "; " + w.detachName + " leaves, the session goes on"
	}
	return "you watch " + w.name() + "; " + w.detachName + " leaves, the session goes on; --control lets you type"
}

func (w *watcher) say(note string) { w.note, w.until = note, time.Now().Add(noteTime) }

// frame follows a frame of the raw log.
func (w *watcher) frame(n protocol.Numbered) {
	switch raw, _ := client.RawEvent(n); raw.Kind {
	case session.Output:
		_, _ = w.term.Write(raw.Data) // never fails
	case session.Resize:
		w.term.Resize(raw.Cols, raw.Rows)
	}
}

// maxNotices is how many notices are kept for the end.
const maxNotices = 20

// heed shows a notice, and writes it to stderr: at the end if that is the terminal, which is in
// use.
func (w *watcher) heed(text string) {
	w.say(text)
	if !isTerminal(w.a.stderr) {
		w.a.notice("%s", text)
	} else if len(w.notices) < maxNotices && !slices.Contains(w.notices, text) {
		w.notices = append(w.notices, text)
	}
}

// fit follows the size of the user's terminal; so does the session's window, if the user asked for
// that.
func (w *watcher) fit(ctx context.Context, d *display) {
	d.clear()
	cols, rows := d.size()
	if !w.resize || w.lost != nil {
		return
	}
	go func() { // it is answered while events are read; Close ends it
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := w.stream.Resize(ctx, cols, rows); err != nil && ctx.Err() == nil {
			select {
			case w.refused <- err:
			default:
			}
		}
	}()
}

// press does what keys ask for. leave reports whether the user leaves.
func (w *watcher) press(keys []byte) (leave bool) {
	at := bytes.IndexByte(keys, w.detach)
	if at >= 0 {
		keys = keys[:at]
	}
	keys = withoutReplies(keys)
	switch {
	case len(keys) == 0:
	case !w.control:
		w.say("you only watch: " + w.detachName + " leaves, --control lets you type")
	case w.lost != nil:
		w.say("not typed: there is no connection")
	default:
		select {
		case w.typed <- keys:
		default:
			w.say("not typed: the session takes no keys")
		}
	}
	return at >= 0
}

// draw draws the part of the screen that there is room for.
func (w *watcher) draw(d *display) error {
	cols, rows := d.size()
	s := screen.Of(w.term)
	status := w.status(s, cols, rows)
	room := rows
	if status != "" {
		room--
		status = statusText(" "+status, cols)
	}
	top := 0
	if s.Rows > room {
		top = min(max(0, s.CursorY-room+1), s.Rows-room)
	}
	if w.control {
		w.mirror(d, w.term.Modes())
	}
	return d.paint(s, top, status)
}

// status is what the user has to know now.
func (w *watcher) status(s screen.Screen, cols, rows int) string {
	if time.Now().After(w.until) {
		w.note = ""
	}
	switch {
	case w.lost != nil && w.lost.Delay > 0:
		return fmt.Sprintf("the connection is lost, trying again (%d); %s leaves", w.lost.Try, w.detachName)
	case w.note != "":
		return w.note
	case s.Cols > cols || s.Rows > rows:
		return fmt.Sprintf("this window shows %dx%d of %dx%d; %s leaves", min(cols, s.Cols), min(rows, s.Rows), s.Cols, s.Rows, w.detachName)
	}
	return ""
}

// mirror puts the user's terminal in the modes that decide what its keys send.
func (w *watcher) mirror(d *display, now vterm.Modes) {
	var b strings.Builder
	set := func(was, is bool, on, off string) {
		switch {
		case is && !was:
			b.WriteString(on)
		case was && !is:
			b.WriteString(off)
		}
	}
	set(w.modes.ApplicationCursorKeys, now.ApplicationCursorKeys, "\x1b[?1h", "\x1b[?1l")
	set(w.modes.ApplicationKeypad, now.ApplicationKeypad, "\x1b=", "\x1b>")
	set(w.modes.BracketedPaste, now.BracketedPaste, "\x1b[?2004h", "\x1b[?2004l")
	w.modes = now
	_, _ = d.out.WriteString(b.String()) // what is wrong with the terminal shows when drawing
}

// name is how the session is called in what we say.
func (w *watcher) name() string { return w.id[:min(minPrefix, len(w.id))] }

// over says how the session ended; its exit status is ours.
func (w *watcher) over(ctx context.Context) (end string, err error) {
	status, ok := w.stream.ExitStatus()
	if !ok && !w.remote {
		status, ok = w.stored(context.WithoutCancel(ctx))
	}
	if !ok && w.failed != nil {
		return "", attachError(w.failed)
	}
	if !ok || status < 0 {
		return "", fail(fmt.Errorf("session %s is gone, and left no exit status", w.name()), "`ptyrec show "+w.name()+"` shows what was recorded of it")
	}
	end = fmt.Sprintf("session %s has ended, with exit status %d", w.name(), status)
	if status != 0 {
		err = childStatus(status)
	}
	return end, err
}

// stored looks up how a session ended whose socket was gone before it told us.
func (w *watcher) stored(ctx context.Context) (status int, ok bool) {
	db, err := w.a.openExisting(ctx)
	if err != nil {
		return 0, false
	}
	info, err := db.Find(ctx, w.id)
	if errors.Is(err, session.ErrNotFound) || err != nil || info.Status == store.Live || info.ExitCode == nil {
		return 0, false
	}
	return *info.ExitCode, true
}
