package vterm

import (
	"slices"
	"unicode/utf8"
)

// Snapshot returns the screen. It may be called in OnCue. The result is shared and must not be
// changed: an unchanged row is the same *Row as before, an unchanged screen the same *Snapshot.
func (t *Term) Snapshot() *Snapshot {
	s := t.snapshot(t.read[:0])
	for _, l := range t.scr.rows {
		s.Lines = append(s.Lines, t.readLine(l))
	}
	t.read = s.Lines
	if t.shot == nil || !t.shot.equal(&s) {
		shot := s // allocate only what is new
		shot.Lines = slices.Clone(s.Lines)
		t.shot = &shot
	}
	return t.shot
}

// equal reports whether two screens have the same rows and settings.
func (s *Snapshot) equal(o *Snapshot) bool {
	return s.Cols == o.Cols && s.Alt == o.Alt && s.Title == o.Title && s.CursorX == o.CursorX && s.CursorY == o.CursorY &&
		s.Visible == o.Visible && s.PendingWrap == o.PendingWrap && slices.Equal(s.Lines, o.Lines)
}

// Shown is Snapshot through the vt10x terminal: changed cells are written to it and read back.
func (t *Term) Shown() *Snapshot {
	t.sync()
	s := t.snapshot(make([]*Row, t.rows))
	for y, l := range t.scr.rows {
		s.Lines[y] = t.viewRow(&t.view.rows[y], l.wrapped, l.marks)
	}
	return &s
}

// snapshot returns a Snapshot whose lines are not read yet.
func (t *Term) snapshot(lines []*Row) Snapshot {
	return Snapshot{
		Cols: t.cols, Rows: t.rows, Lines: lines,
		Alt: t.Alt(), Title: t.title,
		CursorX: min(t.scr.x, t.cols-1), CursorY: t.scr.y,
		Visible: !t.hidden, PendingWrap: t.scr.x >= t.cols,
	}
}

// Alt reports whether the alternate screen is shown.
func (t *Term) Alt() bool { return t.scr == &t.alt }

// viewRow returns the Row of a row of the view, the previous one if it looks the same.
func (t *Term) viewRow(r *viewRow, wrapped bool, marks []Mark) *Row {
	if r.row == nil || r.row.Wrapped != wrapped || !slices.Equal(r.row.Marks, marks) {
		r.row = t.row(r.cells[:r.used], wrapped, marks, nil)
	}
	return r.row
}

// readLine returns the Row of a line, the previous one if it looks the same.
func (t *Term) readLine(l *line) *Row {
	if l.row == nil || l.rowVer != l.ver {
		if l.used > 0 || len(l.marks) > 0 {
			l.row = t.row(l.read(t.view.line), l.wrapped, l.marks, l.row)
		} else if e := empty(l.wrapped); l.row == nil || !l.row.equal(e) {
			l.row = e
		}
		l.rowVer = l.ver
	}
	return l.row
}

// emptyRow and emptyWrapped are rows without content.
var emptyRow, emptyWrapped = &Row{}, &Row{Wrapped: true}

func empty(wrapped bool) *Row {
	if wrapped {
		return emptyWrapped
	}
	return emptyRow
}

// row returns a Row of cells: old if it looks the same, otherwise a new one. old may be nil.
func (t *Term) row(cells []cell, wrapped bool, marks []Mark, old *Row) *Row {
	cells, text, blanks := t.trim(cells)
	if len(cells) == 0 && blanks == 0 && len(marks) == 0 {
		if e := empty(wrapped); old == nil || !old.equal(e) {
			return e
		}
		return old
	}
	runs, ends, buf := t.view.runs[:0], t.view.ends[:0], t.view.text[:0]
	for x := 0; x < len(cells); {
		n := cells[x].attr & styleMask
		run := Run{Col: x, Style: t.styles.styles[n]}
		for x < len(cells) && (cells[x].attr&styleMask == n) {
			if x < text {
				buf = t.appendCell(buf, cells[x])
			} else {
				buf = append(buf, ' ')
			}
			x += max(1, cells[x].width())
		}
		run.Width = x - run.Col // the second cell of a wide character may be after the trimmed end
		runs, ends = append(runs, run), append(ends, len(buf))
	}
	t.view.runs, t.view.ends, t.view.text = runs, ends, buf
	if old != nil && old.Wrapped == wrapped && old.Blanks == blanks && slices.Equal(old.Marks, marks) &&
		old.shows(runs, buf, ends) {
		return old
	}
	r := &Row{Wrapped: wrapped, Blanks: blanks, Marks: marks}
	if len(runs) > 0 {
		r.Runs = slices.Clone(runs)
	}
	r.setText(string(buf), ends)
	return r
}

// shows reports whether the row has these runs, whose texts are in text and end at ends.
func (r *Row) shows(runs []Run, text []byte, ends []int) bool {
	if len(r.Runs) != len(runs) {
		return false
	}
	from := 0
	for i, end := range ends {
		have, want := &r.Runs[i], &runs[i]
		if have.Col != want.Col || have.Width != want.Width || have.Style != want.Style ||
			have.Text != string(text[from:end]) {
			return false
		}
		from = end
	}
	return true
}

// setText sets the texts of the runs to parts of the row's text, so that they share its memory.
func (r *Row) setText(text string, ends []int) {
	from := 0
	for i, end := range ends {
		r.Runs[i].Text = text[from:end]
		from = end
	}
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	r.Text = text
}

// appendCell appends the text of c.
func (t *Term) appendCell(buf []byte, c cell) []byte {
	switch {
	case c.ch == 0:
		return append(buf, ' ')
	case c.ch < 0x80:
		return append(buf, byte(c.ch))
	case c.ch&chCluster != 0:
		return append(buf, t.clusters.text(c.ch&^chCluster)...)
	}
	return utf8.AppendRune(buf, rune(c.ch))
}

// trim removes invisible blanks at the end. It returns the cells, the number of them up to the end
// of the text, and the number of spaces written after the text. Like xterm.js, it ignores a lone
// zero-width character at the end.
func (t *Term) trim(cells []cell) (shown []cell, text, blanks int) {
	end := min(trimmed(cells), len(cells))
	text = end
	for text > 0 && (cells[text-1].ch == ' ' || cells[text-1].ch == 0) && cells[text-1].width() == 1 {
		text--
	}
	blanks = end - text
	for end = len(cells); end > text && !t.styles.showsBlank(cells[end-1]); end-- {
	}
	return cells[:max(end, text)], text, blanks
}

// showsBlank reports whether a blank in c's style is visible.
func (s *styleTable) showsBlank(c cell) bool {
	p := &s.pens[c.attr&styleMask]
	return p.bg != 0 || p.underline != 0 || p.flags&(penInverse|penOverline|penStrike) != 0
}
