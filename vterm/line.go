package vterm

// line is a row of cells that changes: on the screen it is as long as the screen is wide, in the
// scrollback it may be shorter (the rest is blank). Its owners (screen, scrollback, history) are
// counted, so that a row goes from one to the other without a copy and is used again after the
// last.
//
// As long as only ASCII of one style was printed on it, from its first column on, a line is text,
// which takes an eighth of the memory to write, and to move through the processor's caches.
type line struct {
	grid    []cell // zero while the line is text; read and change them through cells
	text    []byte
	attr    uint32 // of text
	isText  bool
	wrapped bool   // continues the row above
	used    int    // the cells from here on are zero, which spares to clear and to read them
	refs    int32  // owners
	ver     uint32 // counts changes, so that nothing has to be told of one

	row    *Row // what was last read off this line, valid while rowVer == ver
	rowVer uint32

	marks []Mark // never changed, only replaced: a Row may share them
}

// newLine is a line of these cells, with one owner.
func newLine(cells []cell, wrapped bool) *line {
	return &line{grid: cells, used: len(cells), wrapped: wrapped, refs: 1}
}

// cells are the line's, to be read and changed. It is no text then.
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

// read returns the cells that are used, in buf where the line is text.
func (l *line) read(buf []cell) []cell {
	if !l.isText {
		return l.grid[:l.used]
	}
	for _, b := range l.text {
		buf = append(buf, cell{uint32(b), l.attr})
	}
	return buf
}

// reset makes a line blank. It is text, then.
func (l *line) reset() {
	if !l.isText {
		clear(l.grid[:l.used])
	}
	l.isText, l.text, l.used, l.wrapped = true, l.text[:0], 0, false
	l.marks = nil
	l.ver++
}

// wrote notes that some of the columns before to changed.
func (l *line) wrote(to int) {
	l.used = max(l.used, to)
	l.ver++
}

// at is the cell of column x; what lies past the end was never written.
func (l *line) at(x int) cell {
	switch {
	case x < 0 || x >= l.used:
		return cell{}
	case l.isText:
		return cell{uint32(l.text[x]), l.attr}
	}
	return l.grid[x]
}

// fill puts c in the columns from up to, not including, to.
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

// erase is fill with cells that nobody wrote.
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

// setWrapped marks the line as a continuation of the row above, or not.
func (l *line) setWrapped(w bool) {
	if l.wrapped != w {
		l.wrapped = w
		l.ver++
	}
}

// splitAt repairs a wide character whose halves the columns x-1 and x are, before something is
// done from x on: its first half becomes a blank.
func (l *line) splitAt(x int, attr uint32) {
	if !l.isText && x > 0 && x <= len(l.grid) && l.grid[x-1].attr&cellWide != 0 {
		l.grid[x-1] = cell{attr: attr}
		l.wrote(x)
	}
}

// mendAt turns a second half at column x, whose first half is gone, into a blank.
func (l *line) mendAt(x int, attr uint32) {
	if !l.isText && x < len(l.grid) && l.grid[x].ch == 0 && l.grid[x].attr&cellTail != 0 {
		l.grid[x] = cell{attr: attr}
		l.wrote(x + 1)
	}
}

// trimmed is the number of columns up to the end of the last character.
func (l *line) trimmed() int {
	if l.isText {
		return l.used
	}
	return trimmed(l.grid[:l.used])
}
