package extractor

import (
	"strings"
	"unicode/utf8"
)

// tableAt reads a table at the lines' start: its rows, the head first, and how many lines it takes.
func (lk *look) tableAt(ls []textLine) ([][]cell, int) {
	if lk.Table != nil {
		if rows, n := lk.Table(ls); n > 0 {
			return rows, n
		}
	}
	if strings.HasPrefix(ls[0].text[ls[0].indent:], "┌─") {
		if lk.Border != nil && !lk.Border(ls) {
			return nil, 0
		}
		return lk.boxTable(ls)
	}
	return lk.ruledTable(ls)
}

// column is a table column's cells [from, to) of a line, its padding included.
type column struct{ from, to int }

// boxTable reads a table drawn as ┌─┬─┐ │ │ │ ├─┼─┤ └─┴─┘. A box without a line below its head is
// none: text in a box is content. A table that is not yet drawn to its end is one up to there.
func (lk *look) boxTable(ls []textLine) ([][]cell, int) {
	cols := borderColumns(&ls[0], "┌", "┬", "┐")
	if cols == nil {
		return nil, 0
	}
	var group [][]cell
	var groups [][][]cell
	seps, n := 0, 1
	flush := func() {
		if len(group) > 0 {
			groups = append(groups, group)
			group = nil
		}
	}
	for ; n < len(ls); n++ {
		l := &ls[n]
		if l.blank() || l.indent != ls[0].indent {
			break
		}
		t := l.text[l.indent:]
		if strings.HasPrefix(t, "├") {
			flush()
			seps++
			if c := borderColumns(l, "├", "┼", "┤"); len(c) == len(cols) {
				cols = c
			}
			continue
		}
		if strings.HasPrefix(t, "└") {
			n++
			break
		}
		row := lk.boxRow(l, cols)
		if row == nil { // the columns were narrower when the rows above were drawn
			c := rowColumns(l)
			if len(c) != len(cols) {
				break
			}
			cols = c
			row = lk.boxRow(l, cols)
		}
		group = append(group, row)
	}
	loose := seps == 1 && len(group) > 0 // no lines between the rows
	flush()
	if seps == 0 || len(groups) == 0 {
		return nil, 0
	}
	in := lk
	if lk.WholeCells && !cutCells(groups, cols) {
		in = &look{Seam: wholeSeam}
	}
	var rows [][]cell
	for i, g := range groups {
		if loose && i == len(groups)-1 {
			rows = append(rows, in.looseRows(g, cols)...)
		} else {
			rows = append(rows, in.mergeRows(g, cols)...)
		}
	}
	return rows, n
}

// cutCells reports whether words were cut in a table's cells: then all columns are narrower than
// their longest word, and in each a line is full that another one follows.
func cutCells(groups [][][]cell, cols []column) bool {
	for i, c := range cols {
		cut := false
		for _, g := range groups {
			for k := 0; k+1 < len(g); k++ {
				cut = cut || len(g[k+1][i]) > 0 && spansWidth(g[k][i]) >= c.to-c.from-2
			}
		}
		if !cut {
			return false
		}
	}
	return true
}

// wholeSeam joins the lines of a cell in which no word was cut.
func wholeSeam(a, b *textLine) (seam, bool) {
	r, _ := utf8.DecodeLastRuneInString(a.text)
	f, _ := utf8.DecodeRuneInString(b.text)
	if ideograph(r) && ideograph(f) {
		return seamNone, true
	}
	return seamSpace, true
}

// borderColumns reads the columns off a border line; nil where it is none.
func borderColumns(l *textLine, left, mid, right string) []column {
	t, ok := strings.CutPrefix(l.text[l.indent:], left)
	if !ok {
		return nil
	}
	if t, ok = strings.CutSuffix(t, right); !ok {
		return nil
	}
	col := l.indent + 1
	var cols []column
	for _, part := range strings.Split(t, mid) {
		w := strings.Count(part, "─")
		if w == 0 || len(part) != w*len("─") {
			return nil
		}
		cols = append(cols, column{col, col + w})
		col += w + 1
	}
	return cols
}

// rowColumns reads the columns off a row by the borders between its cells.
func rowColumns(l *textLine) []column {
	var cols []column
	from := -1
	for col := l.indent; col < l.width; col++ {
		if !l.borderAt(col) {
			continue
		}
		if from >= 0 {
			cols = append(cols, column{from, col})
		}
		from = col + 1
	}
	return cols
}

// boxRow reads a line's cells; nil if the borders are elsewhere.
func (lk *look) boxRow(l *textLine, cols []column) []cell {
	row := make([]cell, len(cols))
	for i, c := range cols {
		if !l.borderAt(c.from-1) || !l.borderAt(c.to) {
			return nil
		}
		row[i] = l.cell(c)
	}
	return row
}

func (l *textLine) borderAt(col int) bool {
	s := cutSpans(l.spans, col, col+1)
	return len(s) == 1 && (s[0].text == "│" || s[0].text == "|")
}

// cell returns the content of a column, without the blanks around it.
func (l *textLine) cell(c column) cell {
	n := textLine{spans: cutSpans(l.spans, c.from, c.to)}
	n.measure()
	return trimLeft(n.spans)
}

// ruledTable reads a table whose head is above a line of ━━━ ━━━ and whose rows are between lines
// of ─── ───. A row that came later may have widened a column: those below the window's top were
// drawn again, each with the line below it.
func (lk *look) ruledTable(ls []textLine) ([][]cell, int) {
	head := 0
	for head < len(ls) && head < 8 && !ls[head].blank() && !strings.Contains(ls[head].text, "━━") {
		head++
	}
	if head == 0 || head >= len(ls) || head >= 8 {
		return nil, 0
	}
	cols := ruler(&ls[head], '━')
	if cols == nil {
		return nil, 0
	}
	rows := lk.ruledRows(ls[:head], cols)
	n := head + 1
	from := n
	for ; n < len(ls) && !ls[n].blank(); n++ {
		if c := ruler(&ls[n], '─'); len(c) == len(cols) && c[0].from == cols[0].from {
			cols = c
			rows = append(rows, lk.ruledRows(ls[from:n], cols)...)
			from = n + 1
		}
	}
	return append(rows, lk.ruledRows(ls[from:n], cols)...), n
}

// ruledRows reads the lines of one row, if there are any.
func (lk *look) ruledRows(ls []textLine, cols []column) [][]cell {
	group := make([][]cell, len(ls))
	for i := range ls {
		group[i] = ruledRow(&ls[i], cols)
	}
	return lk.mergeRows(group, cols)
}

// ruler reads the columns off a line of strokes with blanks between them; nil where it is none.
func ruler(l *textLine, stroke rune) []column {
	var cols []column
	col, from := 0, -1
	for _, r := range l.text {
		switch {
		case r == stroke && from < 0:
			from = col
		case r == ' ' && from >= 0:
			cols = append(cols, column{from, col})
			from = -1
		case r != stroke && r != ' ':
			return nil
		}
		col++
	}
	if from >= 0 {
		cols = append(cols, column{from, col})
	}
	return cols
}

func ruledRow(l *textLine, cols []column) []cell {
	row := make([]cell, len(cols))
	for i, c := range cols {
		row[i] = l.cell(c)
	}
	return row
}

// mergeRows joins the lines of one row: what was wrapped in a cell is one text again.
func (lk *look) mergeRows(group [][]cell, cols []column) [][]cell {
	if len(group) == 0 {
		return nil
	}
	row := make([]cell, len(cols))
	for i, c := range cols {
		var ls []textLine
		for _, g := range group {
			if i < len(g) && len(g[i]) > 0 {
				l := textLine{spans: g[i], room: c.to - c.from - 2}
				l.measure()
				ls = append(ls, l)
			}
		}
		for _, line := range lk.unwrap(ls, 0) {
			if len(row[i]) > 0 {
				row[i] = append(row[i], span{text: " ", width: 1})
			}
			row[i] = append(row[i], line...)
		}
	}
	return [][]cell{row}
}

// looseRows parts lines into rows where no line is drawn between them: a line in which a cell is
// empty that was not above, and whose other cells would not have fitted above, goes on with the
// row, if one of them does so in the same style.
func (lk *look) looseRows(group [][]cell, cols []column) [][]cell {
	var out, open [][]cell
	for i, g := range group {
		if i > 0 && !goesOn(group[i-1], g, cols) {
			out = append(out, lk.mergeRows(open, cols)...)
			open = nil
		}
		open = append(open, g)
	}
	return append(out, lk.mergeRows(open, cols)...)
}

func goesOn(a, b []cell, cols []column) bool {
	empty, alike := false, false
	for i, c := range cols {
		if len(b[i]) == 0 {
			empty = true
			continue
		}
		alike = alike || len(a[i]) > 0 && a[i][len(a[i])-1].mark == b[i][0].mark
		if len(a[i]) == 0 || spansWidth(a[i])+1+textWidth(firstWord(spansText(b[i]))) <= c.to-c.from-2 {
			return false
		}
	}
	return empty && alike
}
