package vterm

// eraseCells blanks the columns from to to-1 of a row, in the erase colour. If it cuts a wide
// character, the other half becomes a blank, too. With selective (DECSEL, DECSED) it keeps
// protected cells (DECSCA).
func (t *Term) eraseCells(l *line, from, to int, selective bool) {
	blank := cell{attr: t.erase}
	if from > 0 && l.at(from-1).attr&cellWide != 0 && !(selective && l.at(from-1).attr&cellProtected != 0) {
		l.cells()[from-1] = blank
	}
	if to < t.cols && to > 0 && l.at(to-1).attr&cellWide != 0 && !(selective && l.at(to-1).attr&cellProtected != 0) {
		l.cells()[to] = blank
		l.wrote(to + 1)
	}
	to = min(to, t.cols)
	if from >= to {
		return
	}
	if !selective {
		l.fill(from, to, blank)
		return
	}
	for x := from; x < to; x++ {
		if c := &l.cells()[x]; c.attr&cellProtected == 0 {
			*c = blank
		}
	}
	l.wrote(to)
}

// eraseRow blanks a whole row, which then no longer continues the one above.
func (t *Term) eraseRow(y int, selective bool) {
	l := t.scr.rows[y]
	if selective {
		cells := l.cells()
		for x, c := range cells {
			if c.attr&cellProtected == 0 {
				cells[x] = cell{attr: t.erase}
			}
		}
		l.wrote(t.cols)
	} else {
		l.fill(0, t.cols, cell{attr: t.erase})
	}
	l.setWrapped(false)
}

// eraseLine is EL and DECSEL.
func (t *Term) eraseLine(what int, selective bool) {
	t.restrict(t.cols)
	x, l := t.scr.x, t.cur()
	switch what {
	case 0:
		if x == t.cols {
			t.edge = edge{l, l.ver}
		}
		t.eraseCells(l, x, t.cols, selective)
		if x == 0 {
			l.setWrapped(false)
		}
	case 1:
		t.eraseCells(l, 0, x+1, selective)
	case 2:
		t.eraseCells(l, 0, t.cols, selective)
		l.setWrapped(false)
	}
}

// eraseDisplay is ED and DECSED. It first reports the erase with a cue, and adds the text to the
// history.
func (t *Term) eraseDisplay(what int, selective bool) {
	t.restrict(t.cols)
	sc := t.scr
	t.beforeErase(what, selective)
	switch what {
	case 0:
		sc.rows[sc.y].drawn = drawn{sc.x, t.marks + 1}
		t.eraseLine(0, selective)
		for y := sc.y + 1; y < t.rows; y++ {
			t.eraseRow(y, selective)
		}
	case 1:
		t.eraseCells(t.cur(), 0, sc.x+1, selective)
		t.cur().setWrapped(false)
		if sc.x+1 >= t.cols && sc.y+1 < t.rows {
			sc.rows[sc.y+1].setWrapped(false)
		}
		for y := range sc.y {
			t.eraseRow(y, selective)
		}
	case 2:
		for y := range sc.rows {
			t.eraseRow(y, selective)
		}
	case 3:
		t.clearScrollback()
	}
}

// beforeErase sends a cue before the whole screen or the scrollback is erased.
func (t *Term) beforeErase(what int, selective bool) {
	whole := what == 2 || what == 0 && t.scr.x == 0 && t.scr.y == 0
	if whole || what == 3 {
		t.cue(CueErase, what, "")
	}
	switch {
	case !whole || selective:
	case t.scr == &t.main:
		t.rememberScreen()
	default:
		t.forgetAltScrolled()
	}
}

// clearScrollback is ED 3.
func (t *Term) clearScrollback() {
	if t.scr != &t.main {
		return
	}
	for i := range t.sb.n {
		t.release(t.sb.at(i))
	}
	t.sb.reset()
	t.addHistory(histItem{kind: Cleared})
}
