package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// table parses a table. The marks of the cells of its head are implied.
func (r *blockReader) table(i int) (block, int) {
	rows, n := r.lk.tableAt(r.ls[i:])
	if len(rows) == 0 { // or nothing but rules
		return block{}, 0
	}
	rows = redrawn(rows)
	for _, c := range rows[0] {
		unmark(c, commonMarks(c, 0))
	}
	return block{kind: tableBlock, col: r.ls[i].Indent, lines: tableOf(rows)}, n
}

// redrawn returns the rows of a table from its last head on. While a table grows, an agent may
// redraw it with wider columns; the old rows are still above if they had left the window.
func redrawn(rows [][]Cell) [][]Cell {
	for i := len(rows) - 1; i > 0; i-- {
		if 2*i <= len(rows) && sameHead(rows[0], rows[i]) && grown(rows[1:i], rows[i+1:]) {
			return rows[i:]
		}
	}
	return rows
}

// sameHead reports whether two rows have the same text, ignoring styles.
func sameHead(a, b []Cell) bool {
	same := func(a, b Cell) bool { return wordsOf(a) == wordsOf(b) }
	return wordsOf(slices.Concat(a...)) != "" && slices.EqualFunc(a, b, same)
}

// grown reports whether each cell of the first rows is the beginning of the corresponding cell of
// the later rows.
func grown(first, later [][]Cell) bool {
	for i, r := range first {
		for c := range r {
			if c >= len(later[i]) || !strings.HasPrefix(wordsOf(later[i][c]), wordsOf(r[c])) {
				return false
			}
		}
	}
	return true
}

// wordsOf returns the letters and digits of a cell, because an incomplete cell may contain marks of
// Markdown.
func wordsOf(c Cell) string {
	return strings.Map(func(r rune) rune {
		if WordRune(r) {
			return r
		}
		return -1
	}, row.Text(c))
}

// tableAt parses a table at the start of the lines. It returns its rows, the head first, and its
// number of lines.
func (lk *Style) tableAt(ls []Line) ([][]Cell, int) {
	if lk.Table != nil {
		if rows, n := lk.Table(ls); n > 0 {
			return rows, n
		}
	}
	switch text := ls[0].Text[ls[0].Indent:]; {
	case ls[0].lost && row.Starts(text, "│", "├"):
		return lk.restOfTable(ls)
	case !strings.HasPrefix(text, "┌─"):
		return lk.ruledTable(ls)
	}
	if lk.Border != nil && !lk.Border(ls) {
		return nil, 0
	}
	return lk.boxTable(ls)
}

// Column is a table column: the cells [from, to) of a line, including padding.
type Column struct{ From, To int }

// room returns the width available for text in the column, in cells.
func (c Column) room() int { return c.To - c.From - 2 }

// Ruler returns the columns of a line of strokes, separated by blanks or the corners of a box. It
// returns nil if the line is not a ruler. A column includes padding at both sides.
func Ruler(l *Line, stroke rune) (cols []Column) {
	col, from := 0, 0
	for _, r := range l.Text {
		if col++; r == stroke {
			continue
		}
		if !strings.ContainsRune(" ┌┬┐├┼┤└┴┘", r) {
			return nil
		}
		cols = appendColumn(cols, from, col-1)
		from = col
	}
	return appendColumn(cols, from, col)
}

func appendColumn(cols []Column, from, to int) []Column {
	if from == to {
		return cols
	}
	return append(cols, Column{from, to})
}

// band is the lines of a table between two rulers, cut to its columns.
type band struct {
	cols  []Column
	lines [][]Cell
	full  bool // the table is about as wide as possible, so its columns may be narrower than their texts
}

// bands parses the lines of a table below its first ruler, which has the columns cols, up to a
// blank line at the latest. A later row may have widened a column: the rows in the window were then
// redrawn, each with the ruler below it. Rows below others that were never on the screen belong to
// the table, too. cut returns the cells of a line, or nil if the table has ended.
func bands(ls []Line, cols []Column, cut func(*Line, []Column) []Cell) (out []band, n int) {
	for from := 0; ; n++ {
		closed := strings.HasPrefix(ls[n].Text[ls[n].Indent:], "└")
		end := closed || ls[n].Blank()
		if !end {
			c := Ruler(&ls[n], '─')
			if len(c) != len(cols) {
				continue
			}
			cols = c
		}
		b := band{cols: cols}
		for k := range ls[from:n] {
			cells := cut(&ls[from+k], cols)
			if cells == nil {
				return append(out, b), from + k
			}
			b.lines = append(b.lines, cells)
		}
		out = append(out, b)
		from = n + 1
		if !end {
			continue
		}
		if closed {
			n++
		}
		below := n + blankLines(ls[n:])
		if below == len(ls) || !ls[below].lost || !row.Starts(ls[below].Text[ls[below].Indent:], "│", "├") {
			return out, n
		}
		from, n = below, below-1
	}
}

// boxTable parses a table drawn as ┌─┬─┐ │ │ │ ├─┼─┤ └─┴─┘. A box without a line below its head is
// not a table but content. An incomplete table counts up to its end.
func (lk *Style) boxTable(ls []Line) (rows [][]Cell, n int) {
	cols := Ruler(&ls[0], '─')
	if !strings.HasSuffix(ls[0].Text, "┐") {
		return nil, 0
	}
	all, n := bands(ls[1:], cols, (*Line).boxCells)
	if len(all) == 1 {
		return nil, 0
	}
	if lk.WholeCells && !cutCells(all) {
		lk = &Style{Seam: wholeSeam}
	}
	rows = lk.mergeRows(all[0])
	if len(all) == 2 { // no lines between the rows
		all[1].full = ls[0].Width+columnSlack*len(cols) >= ls[0].Room
		rows = append(rows, lk.looseRows(all[1])...)
	} else {
		rows = append(rows, lk.mergeRows(all[1:]...)...)
	}
	return rows, n + 1
}

// columnSlack is how many cells for each column may be free beside a table although its columns
// were made narrower.
const columnSlack = 4

// restOfTable parses the rows of a box whose top was never on the screen, below an empty head.
func (lk *Style) restOfTable(ls []Line) ([][]Cell, int) {
	ruler := slices.IndexFunc(ls, func(l Line) bool { return l.Blank() || Ruler(&l, '─') != nil })
	cols := Ruler(&ls[ruler], '─')
	if cols == nil {
		return nil, 0
	}
	all, n := bands(ls, cols, (*Line).boxCells)
	rows := [][]Cell{make([]Cell, len(cols))}
	for _, b := range all {
		rows = append(rows, lk.looseRows(b)...)
	}
	return rows, n
}

// ruledTable parses a table whose head is above a line of ━━━ ━━━ and whose rows are separated by
// lines of ─── ───.
func (lk *Style) ruledTable(ls []Line) ([][]Cell, int) {
	head := slices.IndexFunc(ls[:min(len(ls), 8)], func(l Line) bool { return l.Blank() || Ruler(&l, '━') != nil })
	if head < 1 || ls[head].Blank() {
		return nil, 0
	}
	cols := Ruler(&ls[head], '━')
	above, _ := bands(append(slices.Clone(ls[:head]), Line{}), cols, (*Line).cells)
	below, n := bands(ls[head+1:], cols, (*Line).cells)
	return lk.mergeRows(append(above, below...)...), head + 1 + n
}

// boxCells returns the cells of a line between borders, or nil if their number is not that of cols.
func (l *Line) boxCells(cols []Column) []Cell {
	if cols = l.Columns(cols); cols == nil {
		return nil
	}
	return l.cells(cols)
}

// Columns returns the columns of a line between its borders, or nil if their number is not that of
// ruler. The ruler may be from before a column was widened, and Ink draws a column of one cell
// wider in the rows.
func (l *Line) Columns(ruler []Column) []Column {
	if !slices.ContainsFunc(ruler, func(c Column) bool { return !l.borderAt(c.To) }) {
		return ruler
	}
	if own := l.borders(); len(own) == len(ruler) {
		return own
	}
	return nil
}

// borders returns the columns of a row between its borders.
func (l *Line) borders() (cols []Column) {
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

// cellOf returns spans without surrounding blanks.
func cellOf(spans []row.Span) Cell {
	l := Line{Spans: spans}
	l.Measure()
	return l.content()
}
