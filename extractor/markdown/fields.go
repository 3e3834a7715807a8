package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// FieldTable reads a table written as `Head: cell` lines, the heads bold, with a rule between its
// rows. Every row repeats the heads; that is how its end is known, for a text may follow without a
// blank line.
func FieldTable(ls []Line) ([][]Cell, int) {
	if head, _ := field(&ls[0]); head == nil || !ruleBelow(ls) {
		return nil, 0
	}
	var heads []string
	var rows [][]Cell
	var head, r []Cell
	n := 0
	for ; n < len(ls) && !ls[n].Blank(); n++ {
		l := &ls[n]
		if IsRule(l) {
			if len(rows) > 0 && len(r) != len(heads) || len(r) == 0 {
				return nil, 0
			}
			rows = append(rows, r)
			r = nil
			continue
		}
		if h, c := field(l); h != nil {
			name := row.Text(h)
			switch {
			case len(rows) == 0:
				heads, head = append(heads, name), append(head, h)
			case len(r) >= len(heads) || heads[len(r)] != name:
				return fieldRows(rows, head, r), n
			}
			r = append(r, c)
			continue
		}
		if l.Indent < 2 || len(r) == 0 {
			break
		}
		last := len(r) - 1
		r[last] = joined(r[last], TrimLeft(l.Spans))
	}
	if len(rows) == 0 {
		return nil, 0
	}
	return fieldRows(rows, head, r), n
}

// fieldLines is how many lines a row of a table of fields has at most.
const fieldLines = 200

// ruleBelow reports whether a rule ends the row of a table that begins with the first line.
func ruleBelow(ls []Line) bool {
	n := min(len(ls), fieldLines, UntilBlank(ls))
	return slices.ContainsFunc(ls[:n], func(l Line) bool { return IsRule(&l) })
}

// fieldRows are a table's rows with its head, and the last row as far as it is drawn.
func fieldRows(rows [][]Cell, head, last []Cell) [][]Cell {
	if len(last) > 0 {
		rows = append(rows, last)
	}
	return append([][]Cell{head}, rows...)
}

// field parts a line into its bold head, without the colon, and its cell.
func field(l *Line) (head, c Cell) {
	if l.Blank() || l.Spans[0].Mark&row.MarkBold == 0 {
		return nil, nil
	}
	col := 0
	for i, s := range l.Spans {
		if s.Mark&row.MarkBold == 0 && strings.Trim(s.Text, " ") != "" {
			return nil, nil
		}
		if strings.HasSuffix(strings.TrimRight(s.Text, " "), ":") {
			col += s.Width
			head = append(head, row.Cut(l.Spans[:i+1], 0, col)...)
			last := &head[len(head)-1]
			last.Text = strings.TrimSuffix(strings.TrimRight(last.Text, " "), ":")
			last.Width = row.Width(last.Text)
			for k := range head {
				head[k].Mark &^= row.MarkBold
			}
			return head, cellOf(row.Cut(l.Spans, col, l.Width))
		}
		col += s.Width
	}
	return nil, nil
}
