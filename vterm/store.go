package vterm

// store is where the cells of the visible screen are read from: vt10x, written just before. The
// tests hold it against one that only remembers.
type store interface {
	resize(cols, rows int)
	scrollUp(n int)                   // the whole screen, 0 < n < rows; what comes in is written next
	write(x, y int, cells []cell)     // a stretch of a row
	read(y int, cells []cell)         // a whole row
	setCursor(x, y int, visible bool) // after the writes
	flush()                           // before the reads
}

// view is the visible screen as the store has it.
type view struct {
	store store
	rows  []viewRow
	cells []cell // for reading a row
	text  []byte // for making a Row of it
	runs  []Run
	ends  []int // where the runs' texts end
}

// viewRow is what was written to a row of the store: the cells, and the line and version that they
// are of. Without a line, nobody knows what stands there.
type viewRow struct {
	line  *line
	ver   uint32
	cells []cell
}

// sync writes to the store what changed since the last time.
func (t *Term) sync() {
	v := &t.view
	if v.store == nil {
		v.store = newVT10x(t.cols, t.rows)
	}
	if len(v.rows) != t.rows || len(v.cells) != t.cols {
		v.resize(t.cols, t.rows)
	} else if n := t.scrolled; n > 0 && n < t.rows && t.scr == &t.main {
		v.scrollUp(n)
	}
	t.scrolled = 0
	for y, l := range t.scr.rows {
		if r := &v.rows[y]; r.line != l || r.ver != l.ver {
			v.update(y, l)
		}
	}
	v.store.setCursor(min(t.scr.x, t.cols-1), t.scr.y, !t.hidden)
	v.store.flush()
}

func (v *view) resize(cols, rows int) {
	v.store.resize(cols, rows)
	v.cells, v.rows = make([]cell, cols), make([]viewRow, rows)
	all := make([]cell, cols*rows)
	for y := range v.rows {
		v.rows[y].cells = all[y*cols : (y+1)*cols]
	}
}

// scrollUp moves the rows of the store, too, so that most need not be written again.
func (v *view) scrollUp(n int) {
	v.store.scrollUp(n)
	for y := range len(v.rows) - n {
		v.rows[y], v.rows[y+n] = v.rows[y+n], v.rows[y]
	}
	for y := len(v.rows) - n; y < len(v.rows); y++ {
		v.rows[y].line = nil
	}
}

// pairs widens a stretch so that it cuts no wide character.
func pairs(cells []cell, from, to int) (int, int) {
	for from > 0 && (cells[from-1].attr&cellWide != 0 || cells[from].attr&cellTail != 0) {
		from--
	}
	for to < len(cells) && (cells[to-1].attr&cellWide != 0 || cells[to].attr&cellTail != 0) {
		to++
	}
	return from, to
}

// update writes the stretch of row y from the first to the last cell that is not as in l.
func (v *view) update(y int, l *line) {
	r := &v.rows[y]
	from, to := 0, len(l.cells)
	if r.line != nil {
		for from < to && r.cells[from] == l.cells[from] {
			from++
		}
		for to > from && r.cells[to-1] == l.cells[to-1] {
			to--
		}
	}
	if from < to {
		from, to = pairs(l.cells, from, to)
		v.store.write(from, y, l.cells[from:to])
		copy(r.cells[from:to], l.cells[from:to])
	}
	r.line, r.ver = l, l.ver
}
