package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// FieldTable parses a table written as `Head: cell` lines, with bold heads and a rule between its
// rows. Every row repeats the heads, which shows the table's end, because text may follow without a
// blank line. A field continues with an indentation of two columns, or wherever its line was full.
func FieldTable(ls []Line) (rows [][]Cell, n int) {
	var heads, r []Cell
lines:
	for ; ; n++ {
		l := &ls[n]
		if head, c := field(l); head != nil {
			if rows == nil {
				heads = append(heads, head)
			} else if len(r) == len(heads) || row.Text(heads[len(r)]) != row.Text(head) {
				break
			}
			r = append(r, c)
			continue
		}
		switch {
		case l.Blank(), len(r) == 0:
			break lines
		case IsRule(l):
			rows, r = append(rows, r), nil
		case l.Indent >= 2, ls[n-1].Width+1+row.Width(row.FirstWord(l.Text)) > ls[n-1].Room:
			r[len(r)-1] = joined(r[len(r)-1], l.content())
		default:
			break lines
		}
	}
	switch {
	case rows == nil:
		return nil, 0
	case r != nil:
		rows = append(rows, r)
	}
	return slices.Insert(rows, 0, heads), n
}

// field splits a line into its bold head, without the colon, and its cell.
func field(l *Line) (head, c Cell) {
	col := 0
	for _, s := range l.Spans {
		word := strings.TrimRight(s.Text, " ")
		if word != "" && s.Mark&row.MarkBold == 0 {
			break
		}
		col += s.Width
		if strings.HasSuffix(word, ":") {
			end := col - (len(s.Text) - len(word)) - 1
			return cellOf(row.Cut(l.Spans, 0, end)), cellOf(row.Cut(l.Spans, col, l.Width))
		}
	}
	return nil, nil
}
