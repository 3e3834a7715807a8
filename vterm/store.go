package vterm

// store holds the visible cells for reading: a vt10x terminal, to which they are written first.
// Tests compare it with other implementations. Stretches of a row that are written or read never
// cut a wide character.
type store interface {
	resize(cols, rows int) // blanks all cells
	// shift moves the rows from top to bottom up by n, or down if n is negative. Blank rows enter.
	shift(top, bottom, n int)
	write(x, y int, cells []cell)
	setCursor(x, y int, visible bool) // after the writes
	flush()                           // before the reads
	read(x, y int, cells []cell)
}

// view is the visible screen as it is in the store.
type view struct {
	store store
	cols  int
	rows  []viewRow
	gone  []viewRow // buffer of shift
	line  []cell    // buffer for reading a line that is text; has capacity, but no cells
	text  []byte    // buffer for making a Row
	runs  []Run
	ends  []int // ends of the runs' texts
}

// viewRow is a row of the store: its content, and the line and version that it was written from.
type viewRow struct {
	line     *line // nil if there is none
	ver      uint32
	cells    []cell
	used     int  // cells from here on are zero
	from, to int  // columns that were written, and have to be read
	row      *Row // Row made of it; nil if there is none yet
}

// sync writes the changes since the last call to the store, and reads them back.
func (t *Term) sync() {
	v := &t.view
	if v.store == nil {
		v.store = &vt10xStore{}
	}
	if len(v.rows) != t.rows || v.cols != t.cols {
		v.resize(t.cols, t.rows)
	}
	v.follow(t.scr.rows)
	for y, l := range t.scr.rows {
		if r := &v.rows[y]; r.line != l || r.ver != l.ver {
			v.update(y, l)
		}
	}
	v.store.setCursor(min(t.scr.x, t.cols-1), t.scr.y, !t.hidden)
	v.store.flush()
	for y := range v.rows {
		if r := &v.rows[y]; r.from < r.to {
			v.store.read(r.from, y, r.cells[r.from:r.to])
			r.from, r.to = 0, 0
		}
	}
}

func (v *view) resize(cols, rows int) {
	v.store.resize(cols, rows)
	v.cols, v.rows = cols, make([]viewRow, rows)
	all := make([]cell, cols*rows)
	for y := range v.rows {
		v.rows[y].cells = all[y*cols : (y+1)*cols]
	}
}

// minShift is the minimum number of cells to move for which a shift is cheaper than writing them
// again.
const minShift = 40

// follow moves the rows of the store as the rows of the screen have moved.
func (v *view) follow(rows []*line) {
	for y := 0; y < len(rows); {
		at := v.find(rows[y], y)
		n, cells := 1, rows[y].used
		for at != y && at >= 0 && max(y, at)+n < len(rows) && v.rows[at+n].line == rows[y+n] {
			cells += rows[y+n].used
			n++
		}
		if at != y && at >= 0 && cells >= minShift {
			v.shift(min(y, at), max(y, at)+n-1, at-y)
		}
		y += n
	}
}

// find returns the row of the store to which l was written, y if it did not move, -1 if there is
// none.
func (v *view) find(l *line, y int) int {
	if v.rows[y].line == l {
		return y
	}
	for at := range v.rows {
		if v.rows[at].line == l {
			return at
		}
	}
	return -1
}

// shift calls store.shift and moves the rows of the view likewise.
func (v *view) shift(top, bottom, n int) {
	v.store.shift(top, bottom, n)
	rows := v.rows[top : bottom+1]
	if n > 0 {
		v.gone = append(v.gone[:0], rows[:n]...)
		copy(rows, rows[n:])
		rows = rows[len(rows)-n:]
	} else {
		v.gone = append(v.gone[:0], rows[len(rows)+n:]...)
		copy(rows[-n:], rows)
		rows = rows[:-n]
	}
	for i, r := range v.gone {
		clear(r.cells)
		rows[i] = viewRow{cells: r.cells}
	}
}

// maxGap is the maximum number of unchanged cells between changed ones that are written again,
// because that is cheaper than moving over them.
const maxGap = 8

// update writes the cells of row y that differ from l.
func (v *view) update(y int, l *line) {
	r := &v.rows[y]
	r.line, r.ver = l, l.ver
	end := max(r.used, l.used)
	r.used = l.used
	cells := l.cells()
	was, now := r.cells[:end], cells[:end]
	changed := false
	for x := 0; x < end; {
		if was[x] == now[x] {
			x++
			continue
		}
		from, to := x, x+1
		for i := to; i < end && i <= to+maxGap; i++ {
			if was[i] != now[i] {
				to = i + 1
			}
		}
		from, to = pairs(cells, from, to)
		v.store.write(from, y, cells[from:to])
		copy(r.cells[from:to], cells[from:to])
		if !changed {
			r.from = from
		}
		r.to, x, changed = to, to, true
	}
	if changed {
		r.row = nil
	}
}

// pairs extends a stretch so that it does not cut wide characters.
func pairs(cells []cell, from, to int) (int, int) {
	for from > 0 && (cells[from-1].attr&cellWide != 0 || cells[from].attr&cellTail != 0) {
		from--
	}
	for to < len(cells) && (cells[to-1].attr&cellWide != 0 || cells[to].attr&cellTail != 0) {
		to++
	}
	return from, to
}
