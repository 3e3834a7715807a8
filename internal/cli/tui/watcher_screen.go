package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// noteTime is how long the status line shows a note.
const noteTime = 4 * time.Second

// greeting returns the first note: what the user can do, and how to leave.
func (w *Watcher) greeting() string {
	if w.Control {
		return "you type into session " + w.name() + "; " + w.DetachName + " detaches, the session continues"
	}
	return "you are watching session " + w.name() + "; " + w.DetachName + " detaches; --control lets you type"
}

func (w *Watcher) say(note string) { w.note, w.until = note, time.Now().Add(noteTime) }

// maxNotices is the maximum number of notices to keep for the end.
const maxNotices = 20

// heed shows a notice, and writes it to stderr. If that is the terminal in use, it is written at
// the end.
func (w *Watcher) heed(text string) {
	w.say(text)
	if !term.IsTerminal(int(w.Err.Fd())) {
		cli.Notice(w.Err, text)
	} else if len(w.notices) < maxNotices && !slices.Contains(w.notices, text) {
		w.notices = append(w.notices, text)
	}
}

// fit adapts to the size of the user's terminal, and resizes the session's window if Resize is set.
func (w *Watcher) fit(ctx context.Context, d *display) {
	d.clear()
	cols, rows := d.size()
	if !w.Resize || w.lost != nil {
		return
	}
	w.helpers.Go(func() { // the reply arrives while events are read; closing the Stream ends the call
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := w.Stream.Resize(ctx, cols, rows); err != nil && ctx.Err() == nil {
			select {
			case w.refused <- err:
			default:
			}
		}
	})
}

// draw draws the part of the screen that fits.
func (w *Watcher) draw(d *display) error {
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
	w.view = view{top: top, cols: s.Cols, rows: s.Rows}
	w.report(d, w.has && w.lost == nil)
	return d.paint(s, top, status)
}

// status returns the text of the status line.
func (w *Watcher) status(s screen.Screen, cols, rows int) string {
	if time.Now().After(w.until) {
		w.note = ""
	}
	switch {
	case w.lost != nil && w.lost.Delay > 0:
		return fmt.Sprintf("connection lost, reconnecting (%d); %s detaches", w.lost.Try, w.DetachName)
	case w.note != "":
		return w.note
	case s.Cols > cols || s.Rows > rows:
		return fmt.Sprintf("this window shows %dx%d of %dx%d; %s detaches", min(cols, s.Cols), min(rows, s.Rows), s.Cols,
			s.Rows, w.DetachName)
	}
	return ""
}

// report makes the user's terminal report keys, pastes, mouse and focus as the session's program
// has requested. If typing is false, nothing is typed into the session, and the terminal stays in
// its own modes.
func (w *Watcher) report(d *display, typing bool) {
	var want reports
	if typing {
		want = reports{on: true, modes: w.term.Modes()}
	}
	_, _ = d.out.WriteString(w.reports.change(want)) // drawing reports errors of the terminal
}

// name is the session's short id.
func (w *Watcher) name() string { return listing.ShortID(w.id) }
