package extractor

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// mux is the state of a terminal multiplexer (tmux, screen). It draws on the alternate screen what
// its programs draw on either screen.
type mux struct {
	above []row.Line // rows above the first prompt in its window since an agent ran
	bar   bool       // the last row of the screen is the multiplexer's
	typed []string   // rows with the cursor before a prompt was known
}

// maxTyped is the maximum number of those rows.
const maxTyped = 64

// readMux reads a frame of a shell in a terminal multiplexer. It returns false if the screen shows
// none.
func (r *Reader) readMux(s chat.Screen, settled bool) bool {
	waits := r.waits(s, settled)
	if waits && !r.inMux() {
		r.leave()
		r.open(noAgent, true, 0)
		r.alt, r.mux.above = document.Document{}, slices.Clone(s.Lines[:s.CursorY])
	}
	if !r.inMux() {
		return false
	}
	first, end := r.mux.rows(s)
	if waits {
		end = s.CursorY + 1
	} else {
		meets := r.alt.Meets(s.Lines[first:end])
		if program, _ := r.shell.Runs(); !meets && program == "" { // input has begun to fill the screen
			r.finishMux()
		}
		if p, _, y := r.started(s, settled); p != nil {
			r.beginAlt(p, chat.Banner{}, y, true)
			return false
		}
		if !meets {
			return false
		}
	}
	r.alt.Align(s.Lines[first:end])
	if p, b, at, _ := r.banner(r.alt.Lines[r.alt.Base:]); p != nil {
		r.beginAlt(p, b, first+at, false)
		return false
	}
	r.shell.Look(&r.alt, s.Lines[s.CursorY].Row, r.alt.Base+s.CursorY-first, s.CursorX, settled)
	r.readCommands(settled)
	return true
}

// finishMux reads the commands in the shell's document, because a program is now on the screen.
func (r *Reader) finishMux() { r.showCommands(r.shell.Finish(&r.alt, len(r.alt.Lines))) }

// inMux reports whether a shell in a terminal multiplexer is being read.
func (r *Reader) inMux() bool { return r.seg.alt && r.seg.agent == noAgent }

// waits reports whether a shell waits for a command on the screen's last row, not counting the bar
// of a multiplexer. A single row on a quiet screen may be a prompt that is not known yet.
func (r *Reader) waits(s chat.Screen, settled bool) bool {
	below := s.Lines[s.CursorY+1:]
	at := row.SkipBlank(below, 0)
	if at < len(below)-1 {
		return false
	}
	cursor := s.Lines[s.CursorY].Row
	switch before := row.Join(row.Spans(cursor, 0, s.CursorX, nil)).Text; {
	case r.seg.agent == noAgent && before != "":
		r.mux.typed = append(r.mux.typed[max(0, len(r.mux.typed)-maxTyped):], before)
		if settled && s.CursorY == 0 && r.seen.Visible {
			r.shell.Alone(cursor, s.CursorX)
		}
	case settled && r.seen.Visible && slices.ContainsFunc(r.mux.typed,
		func(typed string) bool { return strings.HasPrefix(typed, before+" ") }):
		r.shell.Alone(cursor, s.CursorX) // the prompt has come back
	}
	if !r.shell.Waits(cursor, s.CursorX) {
		return false
	}
	r.mux.bar = at < len(below)
	return true
}

// rows returns the rows of the screen that belong to the shell, without the bar and what is above
// its prompt.
func (m *mux) rows(s chat.Screen) (first, end int) {
	rows := s.Lines
	if m.bar {
		rows = rows[:len(rows)-1]
	}
	end = max(s.CursorY+1, len(row.Trim(rows)))
	same := func(a, b row.Line) bool { return a.Text == b.Text }
	for first = min(len(m.above), end-1); !slices.EqualFunc(m.above[len(m.above)-first:], rows[:first], same); first-- {
	}
	return first, end
}
