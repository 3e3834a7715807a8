package vterm

// insertBlanks moves the cells from column x on to the right by n, and blanks the gap.
func (t *Term) insertBlanks(l *line, x, n int, attr uint32) {
	l.splitAt(x, attr)
	n = min(n, t.cols-x)
	cells := l.cells()
	copy(cells[x+n:], cells[x:])
	l.wrote(t.cols)
	l.fill(x, x+n, cell{attr: attr})
	if last := &cells[t.cols-1]; last.attr&cellWide != 0 {
		*last = cell{attr: attr}
	}
}

// deleteCells removes n columns from column x on. Blanks enter at the right.
func (t *Term) deleteCells(l *line, x, n int, attr uint32) {
	n = min(n, t.cols-x)
	copy(l.cells()[x:], l.cells()[x+n:])
	l.wrote(x)
	l.fill(t.cols-n, t.cols, cell{attr: attr})
	l.splitAt(x, attr)
	l.mendAt(x, attr)
}

// insertChars is ICH, deleteChars DCH, eraseChars ECH.
func (t *Term) insertChars(n int) {
	t.restrict(t.cols - 1)
	t.insertBlanks(t.cur(), t.scr.x, n, t.erase)
}

func (t *Term) deleteChars(n int) {
	t.restrict(t.cols - 1)
	t.deleteCells(t.cur(), t.scr.x, n, t.erase)
}

func (t *Term) eraseChars(n int) {
	t.restrict(t.cols - 1)
	t.eraseCells(t.cur(), t.scr.x, min(t.scr.x+n, t.cols), false)
}

// shiftColumns moves the columns from x on, in all rows between the margins, by n cells: to the
// right for SR and DECIC, to the left for SL and DECDC.
func (t *Term) shiftColumns(x, n int, right bool) {
	sc := t.scr
	if !t.insideMargins() {
		return
	}
	x = min(x, t.cols) % t.cols
	for _, l := range sc.rows[sc.top : sc.bottom+1] {
		if right {
			t.insertBlanks(l, x, n, t.erase)
		} else {
			t.deleteCells(l, x, n, t.erase)
		}
		l.setWrapped(false)
	}
}

// align is DECALN: it fills the screen with E in the current style, without a link.
func (t *Term) align() {
	t.moveTo(0, 0)
	attr := t.styleNumber(t.brush.pen(brushExtra{})) | t.attr&cellProtected
	for _, l := range t.scr.rows {
		l.fill(0, t.cols, cell{ch: 'E', attr: attr})
		l.setWrapped(false)
	}
	t.moveTo(0, 0)
}
