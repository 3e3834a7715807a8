package shell

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// reading follows the line that a shell reads. readline, zsh and fish switch bracketed paste on
// when they prompt, and off at Enter. The prompt ends where the cursor is in the first frame that
// shows the prompt without typed text.
type reading struct {
	n       int    // of its MarkReads
	found   bool   // its beginning was marked
	typed   string // so far
	entered bool   // Enter was pressed
	last    string // what was typed at the one before

	foreign bool // an agent reads it, and may not switch bracketed paste off when it ends
}

// Foreign notes that from MarkReads n on an agent reads what is typed, not the shell.
func (r *Reader) Foreign(n int) { r.reading = reading{n: n, foreign: true} }

// Edits reports whether the shell reads a command. n and on are as in Typed.
func (r *Reader) Edits(n int, on bool) bool {
	t := &r.reading
	if n > 0 && (n != t.n || !t.foreign) {
		return on && (n == t.n || r.Seen())
	}
	_, runs := running(r.part.commands)
	return !runs && r.prompts.known()
}

// Typed returns the cell of the screen where typed text begins, to be marked with MarkTyped. ok is
// false if it is marked already, or not known. n is the number of the MarkReads at which the
// program began to read. on says whether it still reads, still whether it was silent for a moment,
// and settled whether the screen has settled.
func (r *Reader) Typed(s *vterm.Snapshot, n int, on, still, settled bool) (x, y int, ok bool) {
	t := &r.reading
	if n == 0 || s.Alt || n == t.n && t.foreign {
		return 0, 0, false
	}
	if n != t.n {
		*t = reading{n: n, last: t.typed}
	}
	if y, m := t.begins(s); y >= 0 {
		t.found = true
		last := y
		if on {
			last = drawnBelow(s, y, m.Col)
		}
		if !t.entered { // what is below is not typed
			t.typed = upTo(s, last, m.Col)
		}
		t.entered = !on
		return m.Col, last, last > y
	}
	tail := t.last
	if t.found {
		tail = t.typed
	}
	if x, y, ok := endsWith(s, tail); ok {
		t.typed = tail
		return x, y, true
	}
	if !on || !still || !nothingTyped(s, settled) {
		return 0, 0, false
	}
	t.typed = ""
	return s.CursorX, s.CursorY, true
}

// nothingTyped reports whether the cursor's row may be a prompt alone: nothing is right of the
// cursor, or only a prompt at the window's edge. A row that is empty up to the cursor may be one
// only on a settled screen.
func nothingTyped(s *vterm.Snapshot, settled bool) bool {
	cursor := s.Lines[s.CursorY]
	if columns(cursor, 0, s.CursorX) == "" && !settled {
		return false
	}
	return strings.TrimSpace(columns(cursor, s.CursorX, rowEnd)) == "" || beforeCursor(cursor, s.CursorX) != ""
}

// drawnBelow returns the first row of the cursor's line if that row repeats the prompt which ends
// in column x of row y. Shells repeat it below completions or an error. Otherwise it returns y.
func drawnBelow(s *vterm.Snapshot, y, x int) int {
	prompt, last := columns(s.Lines[y], 0, x), lineStart(s)
	if last > y && prompt != "" && strings.HasPrefix(s.Lines[last].Text, prompt) && (last < s.CursorY || x <= s.CursorX) {
		return last
	}
	return y
}

// begins returns the row and the mark at which typed text begins; y is -1 if it is not marked.
func (t *reading) begins(s *vterm.Snapshot) (y int, m vterm.Mark) {
	for y := s.CursorY; y >= 0; y-- {
		if m, ok := s.Lines[y].Mark(vterm.MarkTyped); ok && m.N == t.n {
			return y, m
		}
	}
	return -1, m
}

// lineStart returns the first row of the wrapped line that the cursor is on.
func lineStart(s *vterm.Snapshot) int {
	y := s.CursorY
	for y > 0 && (s.Lines[y].Wrapped || row.Extent(s.Lines[y-1]) >= s.Cols) {
		y--
	}
	return y
}

// upTo returns the text from column x of row y up to the cursor.
func upTo(s *vterm.Snapshot, y, x int) string {
	if y == s.CursorY {
		return columns(s.Lines[y], x, s.CursorX)
	}
	text := columns(s.Lines[y], x, rowEnd)
	for y++; y < s.CursorY; y++ {
		text += s.Lines[y].Text
	}
	return text + columns(s.Lines[y], 0, s.CursorX)
}

// endsWith returns the cell where text begins if it ends at the cursor, or with the cursor's row
// where the cursor is in it.
func endsWith(s *vterm.Snapshot, text string) (x, y int, ok bool) {
	whole := s.Lines[s.CursorY].Text
	if head, ok := strings.CutSuffix(whole, text); ok && text != "" && row.Width(head) <= s.CursorX {
		return row.Width(head), s.CursorY, true
	}
	shown := columns(s.Lines[s.CursorY], 0, s.CursorX)
	for y := s.CursorY; text != "" && y >= 0; y-- {
		if head, ok := strings.CutSuffix(shown, text); ok {
			return row.Width(head), y, true
		}
		head, ok := strings.CutSuffix(text, shown)
		if !ok || shown == "" || y == 0 {
			break
		}
		text, shown = head, s.Lines[y-1].Text
	}
	return 0, 0, false
}
