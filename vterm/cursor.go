package vterm

// restrict keeps the cursor on the screen, and in origin mode between the margins. maxX is the last
// column allowed: cols keeps a pending wrap, cols-1 ends it.
func (t *Term) restrict(maxX int) {
	sc := t.scr
	sc.x = min(maxX, max(0, sc.x))
	if t.origin {
		sc.y = min(sc.bottom, max(sc.top, sc.y))
	} else {
		sc.y = min(t.rows-1, max(0, sc.y))
	}
}

// moveTo is CUP. In origin mode, y counts from the top margin.
func (t *Term) moveTo(x, y int) {
	if t.origin {
		y += t.scr.top
	}
	t.scr.x, t.scr.y = x, y
	t.restrict(t.cols - 1)
}

// moveBy moves the cursor relative to its position, and ends a pending wrap. In origin mode it adds
// the top margin, as xterm.js does, which is our reference.
func (t *Term) moveBy(dx, dy int) {
	t.restrict(t.cols - 1)
	t.moveTo(t.scr.x+dx, t.scr.y+dy)
}

// up is CUU: it stops at the top margin, unless the cursor is above it.
func (t *Term) up(n int) {
	if room := t.scr.y - t.scr.top; room >= 0 {
		n = min(n, room)
	}
	t.moveBy(0, -n)
}

// down is CUD: it stops at the bottom margin, unless the cursor is below it.
func (t *Term) down(n int) {
	if room := t.scr.bottom - t.scr.y; room >= 0 {
		n = min(n, room)
	}
	t.moveBy(0, n)
}

// lineFeed is LF, VT and FF. The row that the cursor enters no longer continues the one above.
func (t *Term) lineFeed() {
	sc := t.scr
	if t.newLine {
		sc.x = 0
	}
	switch {
	case sc.y == sc.bottom:
		t.scroll(false)
	case sc.y < t.rows-1:
		sc.y++
		sc.rows[sc.y].setWrapped(false)
	}
	if sc.x >= t.cols {
		sc.x--
	}
}

// index is IND.
func (t *Term) index() {
	t.restrict(t.cols - 1)
	switch sc := t.scr; {
	case sc.y == sc.bottom:
		t.scroll(false)
	case sc.y < t.rows-1:
		sc.y++
	}
	t.restrict(t.cols - 1)
}

// reverseIndex is RI.
func (t *Term) reverseIndex() {
	t.restrict(t.cols - 1)
	if sc := t.scr; sc.y == sc.top {
		t.shiftDown(sc.top, sc.bottom, 1, t.erase)
	} else {
		sc.y--
		t.restrict(t.cols - 1)
	}
}

// backspace is BS. With reverse wrap (DECSET 45) it moves back over a soft wrap, and undoes the
// wrap.
func (t *Term) backspace() {
	sc := t.scr
	if !t.reverseWrap {
		t.restrict(t.cols - 1)
		sc.x = max(0, sc.x-1)
		return
	}
	t.restrict(t.cols)
	if sc.x > 0 {
		sc.x--
	} else if sc.y > sc.top && sc.y <= sc.bottom && t.cur().wrapped {
		t.cur().setWrapped(false)
		sc.y--
		sc.x = t.cols - 1
		if c := t.cur().at(sc.x); c.ch == 0 && c.width() == 1 && t.cur().at(sc.x-1).width() != 0 {
			sc.x-- // blank left by a wide character that did not fit
		}
	}
	t.restrict(t.cols - 1)
}

// saveCursor is DECSC, restoreCursor DECRC.
func (t *Term) saveCursor() {
	sc := t.scr
	sc.saved = savedCursor{x: sc.x, y: t.base() + sc.y, brush: t.brush, charset: t.charset}
}

func (t *Term) restoreCursor() {
	sc := t.scr
	sc.x, sc.y = sc.saved.x, max(sc.saved.y-t.base(), 0)
	t.paint(sc.saved.brush)
	t.charset = sc.saved.charset
	t.restrict(t.cols - 1)
}
