package vterm

// store is where the cells of the visible screen are read from: vt10x, written just before. The
// tests hold it against one that only remembers.
type store interface {
	resize(cols, rows int)
	scrollUp(n int)                   // the whole screen, 0 < n < rows
	write(y int, cells []cell)        // a whole row
	read(y int, cells []cell)         // the same cells again
	setCursor(x, y int, visible bool) // after the rows
	flush()                           // before the first read
}

// view is the visible screen as the store has it, and which lines it was written from.
type view struct {
	store store
	lines []viewLine
	cells []cell // for reading a row
	text  []byte // for the text of a row
}

// viewLine says what stands in a row of the store: a line, as it was at that version.
type viewLine struct {
	line *line
	ver  uint32
}

// sync writes to the store what changed since the last time.
func (t *Term) sync() {
	v := &t.view
	if len(v.lines) != t.rows || len(v.cells) != t.cols {
		v.store.resize(t.cols, t.rows)
		v.lines, v.cells = make([]viewLine, t.rows), make([]cell, t.cols)
	} else if n := t.scrolled; n > 0 && n < t.rows && t.scr == &t.main {
		v.store.scrollUp(n)
		copy(v.lines, v.lines[n:])
		clear(v.lines[t.rows-n:])
	}
	t.scrolled = 0
	for y, l := range t.scr.rows {
		if now := (viewLine{l, l.ver}); v.lines[y] != now {
			v.store.write(y, l.cells)
			v.lines[y] = now
		}
	}
	v.store.setCursor(min(t.scr.x, t.cols-1), t.scr.y, !t.hidden)
	v.store.flush()
}
