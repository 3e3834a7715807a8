package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// pipeLines is the maximum number of lines of a row of a pipe table.
const pipeLines = 40

// PipeTable parses a table that is shown as it was written: rows between bars, the second one of
// dashes, all beginning at the same column. A row may be wrapped; it ends with a bar.
func PipeTable(ls []Line) (rows [][]Cell, n int) {
	begins := func(l *Line) bool { return l.Indent == ls[0].Indent && strings.HasPrefix(l.Text[l.Indent:], "|") }
	for heads := beyond; begins(&ls[n]); heads = len(rows[0]) {
		spans, k := pipeRow(ls[n:], heads, begins)
		n += k
		if rows = append(rows, pipeCells(spans)); len(rows) == 2 && strings.Trim(row.Text(spans), "|-: ") != "" {
			return nil, 0
		}
	}
	if len(rows) < 2 {
		return nil, 0
	}
	return slices.Delete(rows, 1, 2), n
}

// pipeRow returns the text of a row and its number of lines. A row with fewer cells than the head
// continues after a bar at the end of a line, unless another row begins there.
func pipeRow(ls []Line, heads int, begins func(*Line) bool) (spans []row.Span, n int) {
	for n < pipeLines && !ls[n].Blank() {
		spans = joined(spans, ls[n].content())
		n++
		if strings.HasSuffix(ls[n-1].Text, "|") && (begins(&ls[n]) || len(pipeCells(spans)) >= heads) {
			break
		}
	}
	return spans, n
}

// pipeCells splits a row of a pipe table into its cells.
func pipeCells(rw []row.Span) []Cell {
	var out []Cell
	col, from := 0, 0
	for _, s := range rw {
		for i, r := range s.Text {
			if r != '|' || s.Mark&row.MarkCode != 0 || i > 0 && s.Text[i-1] == '\\' {
				continue
			}
			at := col + row.Width(s.Text[:i])
			if at > 0 {
				out = append(out, cellOf(row.Cut(rw, from, at)))
			}
			from = at + 1
		}
		col += s.Width
	}
	if rest := cellOf(row.Cut(rw, from, col)); len(rest) > 0 {
		out = append(out, rest)
	}
	return out
}
