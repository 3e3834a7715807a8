package vterm

// group is a logical line: the rows first to end-1 of a page.
type group struct{ first, end int }

// holdsCursor reports whether the cursor is in g. Such a line is not reflowed, because the shell
// will redraw it.
func (p *page) holdsCursor(g group) bool {
	y := p.base + p.y
	return y >= g.first && y < g.end
}

// groupAt returns the logical line that starts at row i.
func (p *page) groupAt(i int) group {
	end := i + 1
	for end < len(p.rows) && p.rows[end].wrapped {
		end++
	}
	return group{i, end}
}

// length returns the number of columns that row i contributes to the logical line g: all of them,
// except a last column that is empty because a wide character did not fit, and the empty end of the
// last row.
func (p *page) length(g group, i, cols int) int {
	l := p.rows[i]
	if i == g.end-1 {
		return l.trimmed()
	}
	last := l.at(cols - 1)
	if last.ch == 0 && last.width() == 1 && p.rows[i+1].at(0).width() == 2 {
		return cols - 1
	}
	return cols
}

// text returns the cells of the logical line. half replaces wide characters that an earlier resize
// cut.
func (p *page) text(g group, cols int, half cell) []cell {
	var out []cell
	for i := g.first; i < g.end; i++ {
		n := p.length(g, i, cols)
		at := len(out)
		out = append(out, make([]cell, n)...)
		copy(out[at:], p.rows[i].read(p.t.view.line))
		if n > cols { // second half of a wide character that an earlier resize cut
			out[at+cols] = half
		}
	}
	return out
}

// cut divides a logical line into rows of cols cells. A wide character that does not fit goes to
// the next row.
func cut(text []cell, cols int) [][]cell {
	var out [][]cell
	for len(text) > cols {
		n := cols
		if text[n-1].attr&cellWide != 0 {
			n--
		}
		out, text = append(out, text[:n]), text[n:]
	}
	return append(out, text)
}

// widen joins the rows of wrapped lines after the screen became wider.
func (p *page) widen(old, cols, rows int) {
	removed := 0
	kept := make([]*line, 0, len(p.rows))
	for i := 0; i < len(p.rows); {
		g := p.groupAt(i)
		i = g.end
		if g.end-g.first == 1 || p.holdsCursor(g) {
			kept = append(kept, p.rows[g.first:g.end]...)
			continue
		}
		parts := cut(p.text(g, old, cell{}), cols)
		n := len(parts)
		if last := parts[n-1]; len(last) > 0 && len(last) < cols && last[len(last)-1].attr&cellWide != 0 {
			last[len(last)-1] = cell{} // an earlier resize cut it, and there is nothing to join it with
		}
		for n > 1 && trimmed(parts[n-1]) == 0 {
			n--
			parts = parts[:n]
		}
		for j, l := range p.rows[g.first:g.end] {
			if j < len(parts) {
				cells := make([]cell, cols)
				copy(cells, parts[j])
				kept = append(kept, p.t.replace(l, cells, l.wrapped))
			} else {
				p.t.release(l)
				removed++
			}
		}
	}
	p.rows = kept
	p.pullDown(removed, rows)
}

// pullDown moves the view after n rows on or above the screen were removed.
func (p *page) pullDown(n, rows int) {
	p.savedY = max(p.savedY-n, 0)
	for range n {
		if p.base > 0 {
			p.base--
			continue
		}
		if p.y > 0 {
			p.y--
		}
		if len(p.rows) < rows {
			p.rows = append(p.rows, p.t.emptyLine())
		}
	}
}

// insert are the additional rows of a logical line, to be inserted before row at.
type insert struct {
	at   int
	rows []*line
}

// narrow breaks long lines after the screen became narrower. It works from the bottom up; rows that
// no longer fit drop off the end, and p.kept says how many of p.rows remain. As in xterm.js, a line
// that dropped off still adds its additional rows.
func (p *page) narrow(old, cols, rows int) {
	var inserts []insert
	added := 0
	p.kept = len(p.rows)
	for i := len(p.rows) - 1; i >= 0; i-- {
		if !p.rows[i].wrapped && p.rows[i].trimmed() <= cols {
			continue
		}
		g := group{i, i + 1}
		for p.rows[i].wrapped && i > 0 {
			i--
		}
		g.first = i
		if p.holdsCursor(g) {
			continue
		}
		more := p.breakGroup(g, old, cols)
		if len(more) > 0 {
			inserts = append(inserts, insert{g.end, more})
			added += len(more)
		}
		p.pushUp(len(more), added, rows)
	}
	p.rows = p.rows[:p.kept]
	p.putIn(inserts, added)
}

// putIn puts the rows of inserts, the lowest first, into place. If there are too many rows, the
// oldest are dropped.
func (p *page) putIn(inserts []insert, added int) {
	if added == 0 {
		return
	}
	out := make([]*line, 0, len(p.rows)+added)
	from := 0
	for i := len(inserts) - 1; i >= 0; i-- {
		to := min(inserts[i].at, len(p.rows))
		out = append(out, p.rows[from:to]...)
		out = append(out, inserts[i].rows...)
		from = to
	}
	out = append(out, p.rows[from:]...)
	if n := len(out) - p.limit; n > 0 {
		out = out[n:]
	}
	p.rows = out
}

// breakGroup breaks g into rows of cols cells, and returns the additional rows.
func (p *page) breakGroup(g group, old, cols int) (more []*line) {
	parts := cut(p.text(g, old, cell{attr: cellTail}), cols)
	for j, part := range parts {
		cells := make([]cell, cols)
		if i := g.first + j; i < g.end {
			l := p.rows[i]
			copy(cells, l.read(p.t.view.line))
			copy(cells, part)
			if len(part) < cols {
				cells[len(part)] = cell{}
			}
			p.rows[i] = p.t.replace(l, cells, l.wrapped)
			continue
		}
		copy(cells, part)
		more = append(more, newLine(cells, true))
	}
	return more
}

// pushUp moves the view after n rows were inserted on or above the screen; added is the total for
// all lines so far. While there is no scrollback, it removes blank rows at the bottom; then it
// moves the top rows of the screen to the scrollback.
func (p *page) pushUp(n, added, rows int) {
	over := p.kept
	if p.base == 0 && p.y != p.kept-1 {
		over = p.y
	}
	for range n - max(0, over-p.limit+n) {
		switch {
		case p.base == 0 && p.y < rows-1:
			p.y++
			p.kept--
		case p.base == 0:
			p.base++
		case p.base < min(p.limit, p.kept+added)-rows:
			p.base++
		}
	}
	p.savedY = min(p.savedY+n, p.base+rows-1)
}
