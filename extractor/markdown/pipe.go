package markdown

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// pipeLines is how many lines a row of a pipe table has at most.
const pipeLines = 40

// PipeTable reads a table that is shown as it was written: rows between bars, the second one of
// dashes.
func PipeTable(ls []Line) (rows [][]Cell, n int) {
	head, n := pipeRow(ls, 0)
	rule, k := pipeRow(ls[n:], len(head))
	if !dashes(rule) {
		return nil, 0
	}
	rows = [][]Cell{head}
	for n += k; ; n += k {
		var r []Cell
		if r, k = pipeRow(ls[n:], len(head)); k == 0 {
			return rows, n
		}
		rows = append(rows, r)
	}
}

// beginsRow reports whether a row begins with the first line.
func beginsRow(ls []Line) bool {
	return len(ls) > 0 && strings.HasPrefix(ls[0].Text[ls[0].Indent:], "|")
}

// pipeRow reads a row, which may be wrapped: it ends with a bar and, where the number of its cells
// is known, with the last one. n is 0 if none begins here.
func pipeRow(ls []Line, cols int) (cells []Cell, n int) {
	if !beginsRow(ls) {
		return nil, 0
	}
	var spans []row.Span
	for n < min(len(ls), pipeLines) && !ls[n].Blank() {
		if n > 0 {
			spans = append(spans, row.Span{Text: " ", Width: 1})
		}
		spans = append(spans, row.Cut(ls[n].Spans, ls[n].Indent, ls[n].Width)...)
		n++
		if strings.HasSuffix(ls[n-1].Text, "|") {
			if cells = pipeCells(spans); len(cells) >= cols || beginsRow(ls[n:]) {
				return cells, n
			}
		}
	}
	return pipeCells(spans), n
}

// dashes reports whether a row is the line below a table's head.
func dashes(cells []Cell) bool {
	for _, c := range cells {
		t := strings.ReplaceAll(row.Text(c), " ", "")
		if t == "" || strings.Trim(t, "-:") != "" {
			return false
		}
	}
	return len(cells) > 0
}

// pipeCells parts a row of pipes into its cells.
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
