package markdown

import (
	"strings"
	"unicode/utf8"

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

// boxTable reads a table drawn as ┌─┬─┐ │ │ │ ├─┼─┤ └─┴─┘. A box without a line below its head is
// none: text in a box is content. A table that is not yet drawn to its end is one up to there.
func (lk *Style) boxTable(ls []Line) ([][]Cell, int) {
	cols := BorderColumns(&ls[0], "┌", "┬", "┐")
	if cols == nil {
		return nil, 0
	}
	var group [][]Cell
	var groups [][][]Cell
	seps, n := 0, 1
	flush := func() {
		if len(group) > 0 {
			groups = append(groups, group)
			group = nil
		}
	}
	for ; n < len(ls); n++ {
		l := &ls[n]
		if l.Blank() || l.Indent != ls[0].Indent {
			break
		}
		t := l.Text[l.Indent:]
		if strings.HasPrefix(t, "├") {
			flush()
			seps++
			if c := BorderColumns(l, "├", "┼", "┤"); len(c) == len(cols) {
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
		in = &Style{Seam: wholeSeam}
	}
	var rows [][]Cell
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
func cutCells(groups [][][]Cell, cols []Column) bool {
	for i, c := range cols {
		cut := false
		for _, g := range groups {
			for k := 0; k+1 < len(g); k++ {
				cut = cut || len(g[k+1][i]) > 0 && row.SpansWidth(g[k][i]) >= c.To-c.From-2
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
	r, _ := utf8.DecodeLastRuneInString(a.Text)
	f, _ := utf8.DecodeRuneInString(b.Text)
	if ideograph(r) && ideograph(f) {
		return SeamNone, true
	}
	return SeamSpace, true
}

// BorderColumns returns the columns between the marks of a border line, or nil if l is not one.
func BorderColumns(l *Line, left, mid, right string) []Column {
	t, ok := strings.CutPrefix(l.Text[l.Indent:], left)
	if !ok {
		return nil
	}
	if t, ok = strings.CutSuffix(t, right); !ok {
		return nil
	}
	col := l.Indent + 1
	var cols []Column
	for _, part := range strings.Split(t, mid) {
		w := strings.Count(part, "─")
		if w == 0 || len(part) != w*len("─") {
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
	from := -1
	for col := l.Indent; col < l.Width; col++ {
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

// boxRow reads a line's cells; nil if the borders are elsewhere.
func (lk *Style) boxRow(l *Line, cols []Column) []Cell {
	row := make([]Cell, len(cols))
	for i, c := range cols {
		if !l.borderAt(c.From-1) || !l.borderAt(c.To) {
			return nil
		}
		row[i] = l.cell(c)
	}
	return row
}

func (l *Line) borderAt(col int) bool {
	s := row.Cut(l.Spans, col, col+1)
	return len(s) == 1 && (s[0].Text == "│" || s[0].Text == "|")
}

// cell returns the content of a column, without the blanks around it.
func (l *Line) cell(c Column) Cell { return cellOf(row.Cut(l.Spans, c.From, c.To)) }

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
	head := 0
	for head < len(ls) && head < 8 && !ls[head].Blank() && !strings.Contains(ls[head].Text, "━━") {
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
	for ; n < len(ls) && !ls[n].Blank(); n++ {
		if c := ruler(&ls[n], '─'); len(c) == len(cols) && c[0].From == cols[0].From {
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
		group[i] = ruledRow(&ls[i], cols)
	}
	return lk.mergeRows(group, cols)
}

// ruler reads the columns off a line of strokes with blanks between them; nil where it is none.
func ruler(l *Line, stroke rune) []Column {
	var cols []Column
	col, from := 0, -1
	for _, r := range l.Text {
		switch {
		case r == stroke && from < 0:
			from = col
		case r == ' ' && from >= 0:
			cols = append(cols, Column{from, col})
			from = -1
		case r != stroke && r != ' ':
			return nil
		}
		col++
	}
	if from >= 0 {
		cols = append(cols, Column{from, col})
	}
	return cols
}

func ruledRow(l *Line, cols []Column) []Cell {
	row := make([]Cell, len(cols))
	for i, c := range cols {
		row[i] = l.cell(c)
	}
	return row
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
			if i < len(g) && len(g[i]) > 0 {
				l := Line{Spans: g[i], Room: c.To - c.From - 2}
				l.Measure()
				ls = append(ls, l)
			}
		}
		for _, line := range lk.Unwrap(ls, 0) {
			if len(r[i]) > 0 {
				r[i] = append(r[i], row.Span{Text: " ", Width: 1})
			}
			r[i] = append(r[i], line...)
		}
	}
	return [][]Cell{r}
}

// looseRows parts lines into rows where no line is drawn between them: a line in which a cell is
// empty that was not above, and whose other cells would not have fitted above, goes on with the
// row, if one of them does so in the same style.
func (lk *Style) looseRows(group [][]Cell, cols []Column) [][]Cell {
	var out, open [][]Cell
	for i, g := range group {
		if i > 0 && !goesOn(group[i-1], g, cols) {
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
		if len(a[i]) == 0 || row.SpansWidth(a[i])+1+row.Width(row.FirstWord(row.Text(b[i]))) <= c.To-c.From-2 {
			return false
		}
	}
	return empty && alike
}
