package vterm

// page is a screen with the rows above it, as one list, during a resize. The rules, which concern
// both, were found by observing xterm.js.
type page struct {
	t    *Term
	rows []*line // scrollback and screen
	base int     // index of the screen's first row
	x, y int     // the cursor, y on the screen
	savedX,
	savedY int
	limit int // maximum number of rows
	kept  int // number of rows kept: see narrow
}

// Resize changes the size of the terminal. If the width changes, the main screen's lines are
// rewrapped.
func (t *Term) Resize(cols, rows int) {
	cols, rows = clampTo(cols, minCols, maxCols), clampTo(rows, minRows, maxRows)
	if cols == t.cols && rows == t.rows {
		return
	}
	oldCols := t.cols
	t.forgetAltScrolled()
	was := t.sb.n
	for _, sc := range []*screen{&t.main, &t.alt} {
		if len(sc.rows) > 0 {
			p := t.page(sc, rows)
			p.setHeight(t.rows, rows)
			p.place(oldCols, cols, rows, sc == &t.main)
			t.putPage(sc, p, cols, rows)
		}
		sc.top, sc.bottom = 0, rows-1
		sc.extendTabs(cols)
	}
	t.cols, t.rows, t.spare = cols, rows, nil
	t.inRun = false
	t.view.line = make([]cell, 0, cols)
	t.addHistory(histItem{kind: Resized, n: was - t.sb.n})
}

// page returns sc with the rows above it.
func (t *Term) page(sc *screen, rows int) *page {
	p := &page{t: t, x: sc.x, y: sc.y, savedX: sc.saved.x, savedY: sc.saved.y, limit: rows}
	if sc == &t.main {
		p.limit += t.sb.limit
		p.base = t.sb.n
		for i := range t.sb.n {
			p.rows = append(p.rows, t.sb.at(i))
		}
	}
	p.rows = append(p.rows, sc.rows...)
	return p
}

// setHeight changes the height of the screen. A higher screen takes rows from the scrollback, or
// adds blank ones below. A lower one first removes blank rows below the cursor, and then moves rows
// to the scrollback.
func (p *page) setHeight(old, rows int) {
	up := 0
	for range rows - old { // growing
		if len(p.rows) >= rows+p.base {
			break
		}
		if p.base > 0 && len(p.rows) <= p.base+p.y+up+1 {
			p.base--
			up++
		} else {
			p.rows = append(p.rows, p.t.emptyLine())
		}
	}
	for range old - rows { // shrinking
		if len(p.rows) <= rows+p.base {
			break
		}
		if len(p.rows) > p.base+p.y+1 {
			p.rows = p.rows[:len(p.rows)-1]
		} else {
			p.base++
		}
	}
	if n := len(p.rows) - p.limit; n > 0 {
		p.rows = p.rows[n:]
		p.base = max(p.base-n, 0)
		p.savedY = max(p.savedY-n, 0)
	}
	p.y = min(p.y, rows-1) + up
}

// place changes the width of the rows.
func (p *page) place(old, cols, rows int, reflow bool) {
	p.x, p.savedX = min(p.x, cols-1), min(p.savedX, cols-1)
	if reflow && cols > old {
		p.widen(old, cols, rows)
	} else if reflow && cols < old {
		p.narrow(old, cols, rows)
	}
	for i, l := range p.rows {
		p.rows[i] = p.t.fit(l, cols, i >= p.base)
	}
}

// putPage writes p back to the screen and the scrollback.
func (t *Term) putPage(sc *screen, p *page, cols, rows int) {
	p.base = max(0, min(p.base, len(p.rows)-rows))
	sc.rows = append([]*line(nil), p.rows[p.base:]...)
	for len(sc.rows) < rows {
		sc.rows = append(sc.rows, t.fit(t.emptyLine(), cols, true))
	}
	sc.rows = sc.rows[:rows]
	sc.x, sc.y = p.x, min(p.y, rows-1)
	sc.saved.x, sc.saved.y = p.savedX, p.savedY
	if sc == &t.main {
		t.sb.reset()
		for _, l := range p.rows[:p.base] {
			if old, full := t.sb.push(l); full {
				t.release(old)
			}
		}
	}
}

// emptyLine returns a line without cells; fit sets its width.
func (t *Term) emptyLine() *line { return newLine(nil, false) }

// fit cuts l to cols cells, and extends it to cols if it is on the screen. If l is shared and has
// to change, it returns a copy.
func (t *Term) fit(l *line, cols int, onScreen bool) *line {
	if len(l.grid) == cols && (!onScreen || l.refs == 1) || len(l.grid) < cols && !onScreen {
		return l
	}
	now := l.read(t.view.line)
	if len(l.grid) > cols && !onScreen && allBlank(now[min(cols, len(now)):]) {
		return l
	}
	cells := make([]cell, cols)
	copy(cells, now)
	return t.replace(l, cells, l.wrapped)
}

func allBlank(cells []cell) bool {
	for _, c := range cells {
		if c != (cell{}) {
			return false
		}
	}
	return true
}

// replace sets the cells of l, or of a copy if the history has a reference to l, too.
func (t *Term) replace(l *line, cells []cell, wrapped bool) *line {
	if l.refs > 1 {
		l.refs--
		copied := newLine(cells, wrapped)
		copied.marks = l.marks
		return copied
	}
	l.grid, l.used, l.wrapped = cells, len(cells), wrapped
	l.isText, l.text = false, nil
	l.ver++
	return l
}
