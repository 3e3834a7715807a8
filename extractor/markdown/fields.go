package markdown

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// FieldTable reads a table written as `Head: cell` lines, the heads bold, with a rule between its
// rows. Every row repeats the heads; that is how its end is known, for a text may follow without a
// blank line. A field goes on two columns further in.
func FieldTable(ls []Line) ([][]Cell, int) {
	return fieldTable(ls, func(_, l *Line) bool { return l.Indent >= 2 })
}

// FullFieldTable reads such a table where a field goes on wherever its line was full.
func FullFieldTable(ls []Line) ([][]Cell, int) {
	return fieldTable(ls, func(above, l *Line) bool {
		return l.Indent >= 2 || above.Width+1+row.Width(row.FirstWord(l.Text)) > above.Room
	})
}

// fieldTable reads a table of fields. goesOn reports whether a line without a head goes on with the
// field above.
func fieldTable(ls []Line, goesOn func(above, l *Line) bool) (rows [][]Cell, n int) {
	heads, r, n := fieldRow(ls, nil, goesOn)
	if n == len(ls) || !IsRule(&ls[n]) {
		return nil, 0
	}
	for rows = append(rows, heads); len(r) > 0; n++ {
		rows = append(rows, r)
		if n == len(ls) || !IsRule(&ls[n]) {
			return rows, n
		}
		var k int
		_, r, k = fieldRow(ls[n+1:], heads, goesOn)
		n += k
	}
	return rows, n
}

// fieldLines is how many lines a row of a table of fields has at most.
const fieldLines = 200

// fieldRow reads the heads and the cells of one row, and how many lines it has. heads are those of
// the first row, nil in it.
func fieldRow(ls []Line, heads []Cell, goesOn func(above, l *Line) bool) (names, r []Cell, n int) {
	for ; n < min(len(ls), fieldLines); n++ {
		l := &ls[n]
		h, c := field(l)
		switch {
		case h != nil && heads != nil && (len(r) == len(heads) || row.Text(heads[len(r)]) != row.Text(h)):
			return names, r, n
		case h != nil:
			names, r = append(names, h), append(r, c)
		case len(r) > 0 && !l.Blank() && !IsRule(l) && goesOn(&ls[n-1], l):
			r[len(r)-1] = joined(r[len(r)-1], TrimLeft(l.Spans))
		default:
			return names, r, n
		}
	}
	return names, r, n
}

// field parts a line into its bold head, without the colon, and its cell.
func field(l *Line) (head, c Cell) {
	col := 0
	for _, s := range l.Spans {
		word := strings.TrimRight(s.Text, " ")
		if word != "" && s.Mark&row.MarkBold == 0 {
			break
		}
		col += s.Width
		if strings.HasSuffix(word, ":") {
			head = cellOf(row.Cut(l.Spans, 0, col-(len(s.Text)-len(word))-1))
			for k := range head {
				head[k].Mark &^= row.MarkBold
			}
			return head, cellOf(row.Cut(l.Spans, col, l.Width))
		}
	}
	return nil, nil
}
