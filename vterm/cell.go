package vterm

// A cell is 8 bytes so that a row of 120 columns is 960: what stands in it, and how it is drawn.
// The zero cell is one that was never written: a blank, one column wide, in the default style.
type cell struct {
	ch   uint32 // code point, or chCluster and a number in Term.clusters; 0: nothing written
	attr uint32 // style number, and the flags below
}

const (
	chCluster = 1 << 31

	styleMask     = 1<<24 - 1
	cellWide      = 1 << 24 // the first half of a wide character
	cellTail      = 1 << 25 // no column of its own: the second half, or a lone zero-width character
	cellProtected = 1 << 26 // DECSCA: DECSED and DECSEL leave it alone
)

// width is the number of columns the cell's character takes: 0, 1 or 2.
func (c cell) width() int {
	switch {
	case c.attr&cellWide != 0:
		return 2
	case c.attr&cellTail != 0:
		return 0
	}
	return 1
}

// widthFlags is the inverse of cell.width.
func widthFlags(w int) uint32 {
	switch w {
	case 0:
		return cellTail
	case 2:
		return cellWide
	}
	return 0
}

// line is a row of cells that changes: on the screen it is as long as the screen is wide, in the
// scrollback it may be shorter (the rest is blank). Its owners (screen, scrollback, history) are
// counted, so that a row goes from one to the other without a copy and is used again after the last.
type line struct {
	cells   []cell
	used    int    // the cells from here on are zero, which spares to clear and to read them
	wrapped bool   // continues the row above
	refs    int32  // owners
	ver     uint32 // counts changes, so that nothing has to be told of one

	read    *Row // what was last read off this line, valid while readVer == ver
	readVer uint32
}

// newLine is a line of these cells, with one owner.
func newLine(cells []cell, wrapped bool) *line {
	return &line{cells: cells, used: len(cells), wrapped: wrapped, refs: 1}
}

// wrote notes that some of the columns before to changed.
func (l *line) wrote(to int) {
	l.used = max(l.used, to)
	l.ver++
}

// at is the cell of column x; what lies past the end was never written.
func (l *line) at(x int) cell {
	if x < 0 || x >= len(l.cells) {
		return cell{}
	}
	return l.cells[x]
}

// trimmed is the number of columns up to the end of the last character. Styled blanks that
// nobody wrote do not count, written spaces do.
func trimmed(cells []cell) int {
	for x := len(cells) - 1; x >= 0; x-- {
		if c := cells[x]; c.ch != 0 {
			return x + c.width()
		}
	}
	return 0
}

// fill puts c in the columns from up to, not including, to.
func (l *line) fill(from, to int, c cell) {
	if c == (cell{}) {
		l.erase(from, to)
		return
	}
	cells := l.cells[from:to]
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
	}
	clear(l.cells[from:to])
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
	if x > 0 && x-1 < len(l.cells) && l.cells[x-1].attr&cellWide != 0 {
		l.cells[x-1] = cell{attr: attr}
		l.wrote(x)
	}
}

// mendAt turns a second half at column x, whose first half is gone, into a blank.
func (l *line) mendAt(x int, attr uint32) {
	if x < len(l.cells) && l.cells[x].ch == 0 && l.cells[x].attr&cellTail != 0 {
		l.cells[x] = cell{attr: attr}
		l.wrote(x + 1)
	}
}
