package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// tableAt reads a table at the lines' start: its rows, the head first, and how many lines it takes.
func (lk *Style) tableAt(ls []Line) ([][]Cell, int) {
	if lk.Table != nil {
		if rows, n := lk.Table(ls); n > 0 {
			return rows, n
		}
	}
	if strings.HasPrefix(ls[0].Text[ls[0].Indent:], "┌─") {
		if lk.Border != nil && !lk.Border(ls) {
			return nil, 0
		}
		return lk.boxTable(ls)
	}
	return lk.ruledTable(ls)
}

// Column is a table column's cells [from, to) of a line, its padding included.
type Column struct{ From, To int }

// room is how many cells of text a line of the column can have.
func (c Column) room() int { return c.To - c.From - 2 }

// boxTable reads a table drawn as ┌─┬─┐ │ │ │ ├─┼─┤ └─┴─┘. A box without a line below its head is
// none: text in a box is content. A table that is not yet drawn to its end is one up to there.
func (lk *Style) boxTable(ls []Line) ([][]Cell, int) {
	cols := BorderColumns(&ls[0], "┌", "┬", "┐")
	if cols == nil {
		return nil, 0
	}
	groups := [][][]Cell{nil} // the lines between two borders
	n := 1
	for ; n < len(ls); n++ {
		l := &ls[n]
		t := l.Text[l.Indent:]
		if strings.HasPrefix(t, "└") {
			n++
			break
		}
		if strings.HasPrefix(t, "├") {
			if c := BorderColumns(l, "├", "┼", "┤"); len(c) == len(cols) {
				cols = c
			}
			groups = append(groups, nil)
			continue
		}
		own := cols
		if slices.ContainsFunc(cols, func(c Column) bool { return !l.borderAt(c.To) }) {
			if own = rowColumns(l); len(own) != len(cols) { // Ink draws a column of one cell wider in the rows
				break
			}
		}
		g := &groups[len(groups)-1]
		*g = append(*g, l.cells(own))
	}
	if len(groups) == 1 {
		return nil, 0
	}
	in := lk
	if lk.WholeCells && !cutCells(groups, cols) {
		in = &Style{Seam: wholeSeam}
	}
	var rows [][]Cell
	for i, g := range groups {
		if i == 1 && len(groups) == 2 { // no lines between the rows
			rows = append(rows, in.looseRows(g, cols)...)
		} else {
			rows = append(rows, in.mergeRows(g, cols)...)
		}
	}
	if rows == nil {
		return nil, 0
	}
	return rows, n
}

// shortened reports whether a cell ends in an ellipsis that fills its column. Agents that shorten
// cells wrap none: each line is a row.
func shortened(cells []Cell, cols []Column) bool {
	for i, c := range cols {
		if t := row.Text(cells[i]); (strings.HasSuffix(t, "…") || strings.HasSuffix(t, "...")) && row.SpansWidth(cells[i]) == c.room() {
			return true
		}
	}
	return false
}

// cutCells reports whether words were cut in a table's cells: then all columns are narrower than
// their longest word, and in each a line is full that another one follows.
func cutCells(groups [][][]Cell, cols []Column) bool {
	for i, c := range cols {
		cut := false
		for _, g := range groups {
			for k := 0; k+1 < len(g); k++ {
				cut = cut || len(g[k+1][i]) > 0 && row.SpansWidth(g[k][i]) >= c.room()
			}
		}
		if !cut {
			return false
		}
	}
	return true
}

// wholeSeam joins the lines of a cell in which no word was cut.
func wholeSeam(a, b *Line) (Seam, bool) {
	if cjkCut(a, b.Text) {
		return SeamNone, true
	}
	return SeamSpace, true
}

// BorderColumns returns the columns between the marks of a border line, or nil if l is not one.
func BorderColumns(l *Line, left, mid, right string) []Column {
	t, ok := strings.CutSuffix(strings.TrimPrefix(l.Text[l.Indent:], left), right)
	if !ok {
		return nil
	}
	col := l.Indent + 1
	var cols []Column
	for part := range strings.SplitSeq(t, mid) {
		w := strings.Count(part, "─")
		if len(part) != w*len("─") {
			return nil
		}
		cols = append(cols, Column{col, col + w})
		col += w + 1
	}
	return cols
}

// rowColumns reads the columns off a row by the borders between its cells.
func rowColumns(l *Line) []Column {
	var cols []Column
	for from, col := -1, l.Indent; col < l.Width; col++ {
		if !l.borderAt(col) {
			continue
		}
		if from >= 0 {
			cols = append(cols, Column{from, col})
		}
		from = col + 1
	}
	return cols
}

func (l *Line) borderAt(col int) bool { return row.Text(row.Cut(l.Spans, col, col+1)) == "│" }

// cells returns the contents of a line's columns.
func (l *Line) cells(cols []Column) []Cell {
	out := make([]Cell, len(cols))
	for i, c := range cols {
		out[i] = cellOf(row.Cut(l.Spans, c.From, c.To))
	}
	return out
}

// cellOf returns spans without the blanks around them.
func cellOf(spans []row.Span) Cell {
	l := Line{Spans: spans}
	l.Measure()
	return TrimLeft(l.Spans)
}

// ruledTable reads a table whose head is above a line of ━━━ ━━━ and whose rows are between lines
// of ─── ───. A row that came later may have widened a column: those below the window's top were
// drawn again, each with the line below it.
func (lk *Style) ruledTable(ls []Line) ([][]Cell, int) {
	top := ls[:min(len(ls), 8)]
	head := 0
	for head < len(top) && !top[head].Blank() && !strings.Contains(top[head].Text, "━━") {
		head++
	}
	if head == 0 || head == len(top) {
		return nil, 0
	}
	cols := ruler(&top[head], "━")
	if cols == nil {
		return nil, 0
	}
	rows := lk.ruledRows(ls[:head], cols)
	n := head + 1
	from := n
	for ; n < len(ls) && !ls[n].Blank(); n++ {
		if c := ruler(&ls[n], "─"); len(c) == len(cols) {
			cols = c
			rows = append(rows, lk.ruledRows(ls[from:n], cols)...)
			from = n + 1
		}
	}
	return append(rows, lk.ruledRows(ls[from:n], cols)...), n
}

// ruledRows reads the lines of one row, if there are any.
func (lk *Style) ruledRows(ls []Line, cols []Column) [][]Cell {
	group := make([][]Cell, len(ls))
	for i := range ls {
		group[i] = ls[i].cells(cols)
	}
	return lk.mergeRows(group, cols)
}

// ruler reads the columns off a line of strokes with blanks between them; nil where it is none.
func ruler(l *Line, stroke string) []Column {
	if strings.Trim(l.Text, stroke+" ") != "" {
		return nil
	}
	var cols []Column
	col := 0
	for part := range strings.SplitSeq(l.Text, " ") {
		w := strings.Count(part, stroke)
		if w > 0 {
			cols = append(cols, Column{col, col + w})
		}
		col += w + 1
	}
	return cols
}

// mergeRows joins the lines of one row: what was wrapped in a cell is one text again.
func (lk *Style) mergeRows(group [][]Cell, cols []Column) [][]Cell {
	if len(group) == 0 {
		return nil
	}
	r := make([]Cell, len(cols))
	for i, c := range cols {
		var ls []Line
		for _, g := range group {
			if len(g[i]) > 0 {
				l := Line{Spans: g[i], Room: c.room(), Cell: true}
				l.Measure()
				ls = append(ls, l)
			}
		}
		for _, line := range lk.Unwrap(ls, 0) {
			r[i] = joined(r[i], line)
		}
	}
	return [][]Cell{r}
}

// looseRows parts lines into rows where no line is drawn between them: a line in which a cell is
// empty that was not above, and whose other cells would not have fitted above, goes on with the
// row, if one of them does so in the same style.
func (lk *Style) looseRows(group [][]Cell, cols []Column) [][]Cell {
	var out, open [][]Cell
	apart := slices.ContainsFunc(group, func(g []Cell) bool { return shortened(g, cols) })
	for i, g := range group {
		if i > 0 && (apart || !goesOn(group[i-1], g, cols)) {
			out = append(out, lk.mergeRows(open, cols)...)
			open = nil
		}
		open = append(open, g)
	}
	return append(out, lk.mergeRows(open, cols)...)
}

func goesOn(a, b []Cell, cols []Column) bool {
	empty, alike := false, false
	for i, c := range cols {
		if len(b[i]) == 0 {
			empty = true
			continue
		}
		alike = alike || len(a[i]) > 0 && a[i][len(a[i])-1].Mark == b[i][0].Mark
		if len(a[i]) == 0 || row.SpansWidth(a[i])+1+row.Width(row.FirstWord(row.Text(b[i]))) <= c.room() {
			return false
		}
	}
	return empty && alike
}
