package vterm

// line is a mutable row of cells. On the screen it is as long as the screen is wide; in the
// scrollback it may be shorter, and the rest is blank. References from the screen, scrollback and
// history are counted, so that a row moves between them without a copy and is reused after the last
// one.
//
// A line on which only ASCII in one style was printed, from its first column on, is kept as text.
// That takes an eighth of the memory to write and to move through the processor's caches.
type line struct {
	grid    []cell // zero while the line is text; use cells to access them
	text    []byte
	attr    uint32 // style of the text
	isText  bool
	wrapped bool   // whether it continues the row above
	used    int    // cells from here on are zero, and need not be cleared or read
	refs    int32  // number of references
	ver     uint32 // number of changes, by which readers notice them

	row    *Row // Row last made of this line, valid while rowVer == ver
	rowVer uint32

	marks []Mark // replaced, never changed, because a Row may share them
	drawn drawn
}

// drawn says from which column on the screen was last erased below, and the number of the mark that
// comes next.
type drawn struct{ col, since int }

// edge is a full row of which the rest, that is nothing, was erased, and the row's changes so far.
// readline does that behind a blank with which it fills a row on which a wide character does not
// fit.
type edge struct {
	row *line
	ver uint32
}

// newLine returns a line of these cells, with one reference.
func newLine(cells []cell, wrapped bool) *line {
	return &line{grid: cells, used: len(cells), wrapped: wrapped, refs: 1}
}

// cells returns the line's cells for reading and changing. The line is no longer text then.
func (l *line) cells() []cell {
	if l.isText {
		l.expand()
	}
	return l.grid
}

func (l *line) expand() {
	l.read(l.grid[:0])
	l.isText, l.text = false, l.text[:0]
}

// read returns the used cells. It writes them to buf if the line is text.
func (l *line) read(buf []cell) []cell {
	if !l.isText {
		return l.grid[:l.used]
	}
	for _, b := range l.text {
		buf = append(buf, cell{uint32(b), l.attr})
	}
	return buf
}

// reset makes the line blank; it is text then.
func (l *line) reset() {
	if !l.isText {
		clear(l.grid[:l.used])
	}
	l.isText, l.text, l.used, l.wrapped = true, l.text[:0], 0, false
	l.marks, l.drawn = nil, drawn{}
	l.ver++
}

// wrote records a change in the columns before to.
func (l *line) wrote(to int) {
	l.used = max(l.used, to)
	l.ver++
}

// at returns the cell at column x. Cells after the end were never written.
func (l *line) at(x int) cell {
	switch {
	case x < 0 || x >= l.used:
		return cell{}
	case l.isText:
		return cell{uint32(l.text[x]), l.attr}
	}
	return l.grid[x]
}

// fill puts c into the columns from to to-1.
func (l *line) fill(from, to int, c cell) {
	if c == (cell{}) {
		l.erase(from, to)
		return
	}
	cells := l.cells()[from:to]
	for i := range cells {
		cells[i] = c
	}
	l.wrote(to)
}

// erase fills the columns from to to-1 with cells that were never written.
func (l *line) erase(from, to int) {
	if to >= l.used {
		if from >= l.used {
			return
		}
		to, l.used = l.used, from
		l.unmark(from)
		if l.isText {
			l.text = l.text[:from]
			l.ver++
			return
		}
	}
	clear(l.cells()[from:to])
	l.ver++
}

// setWrapped sets whether the line continues the row above.
func (l *line) setWrapped(w bool) {
	if l.wrapped != w {
		l.wrapped = w
		l.ver++
	}
}

// splitAt prepares a change from column x on: if x-1 and x are the halves of a wide character, the
// first half becomes a blank.
func (l *line) splitAt(x int, attr uint32) {
	if !l.isText && x > 0 && x <= len(l.grid) && l.grid[x-1].attr&cellWide != 0 {
		l.grid[x-1] = cell{attr: attr}
		l.wrote(x)
	}
}

// mendAt turns the cell at column x into a blank if it is a second half without its first half.
func (l *line) mendAt(x int, attr uint32) {
	if !l.isText && x < len(l.grid) && l.grid[x].ch == 0 && l.grid[x].attr&cellTail != 0 {
		l.grid[x] = cell{attr: attr}
		l.wrote(x + 1)
	}
}

// trimmed returns the number of columns up to the end of the last character.
func (l *line) trimmed() int {
	if l.isText {
		return l.used
	}
	return trimmed(l.grid[:l.used])
}
