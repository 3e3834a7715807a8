package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// table reads the tables without a box: as Markdown (1.0 and 2.0), or a line for each cell
// where the window is too narrow (2.1).
func table(ls []markdown.Line) ([][]markdown.Cell, int) {
	if rows, n := fields(ls); n > 0 {
		return rows, n
	}
	return markdown.PipeTable(ls)
}

// fields reads a table written as `Head: cell` lines, the heads bold, with a rule between its
// rows. Every row repeats the heads; that is how its end is known, for a text may follow without a
// blank line.
func fields(ls []markdown.Line) ([][]markdown.Cell, int) {
	if head, _ := field(&ls[0]); head == nil || !ruleBelow(ls) {
		return nil, 0
	}
	var heads []string
	var rows [][]markdown.Cell
	var head, r []markdown.Cell
	n := 0
	for ; n < len(ls) && !ls[n].Blank(); n++ {
		l := &ls[n]
		if markdown.RuleLine(l) {
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
		if len(r[last]) > 0 {
			r[last] = append(r[last], row.Span{Text: " ", Width: 1})
		}
		r[last] = append(r[last], markdown.TrimLeft(l.Spans)...)
	}
	if len(rows) == 0 {
		return nil, 0
	}
	return fieldRows(rows, head, r), n
}

// ruleBelow reports whether a rule ends the row of a table that begins with the first line.
func ruleBelow(ls []markdown.Line) bool {
	for i := range ls[:min(len(ls), maxGroup)] {
		if ls[i].Blank() {
			return false
		}
		if claudeNote(&ls[i])&noteRule != 0 {
			return true
		}
	}
	return false
}

// fieldRows are a table's rows with its head, and the last row as far as it is drawn.
func fieldRows(rows [][]markdown.Cell, head, last []markdown.Cell) [][]markdown.Cell {
	if len(last) > 0 {
		rows = append(rows, last)
	}
	return append([][]markdown.Cell{head}, rows...)
}

// field parts a line into its bold head, without the colon, and its cell.
func field(l *markdown.Line) (head, c markdown.Cell) {
	if l.Indent > 0 || l.Blank() || l.Spans[0].Mark&row.MarkBold == 0 {
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
			rest := markdown.Line{Spans: row.Cut(l.Spans, col, l.Width)}
			rest.Measure()
			return head, markdown.TrimLeft(rest.Spans)
		}
		col += s.Width
	}
	return nil, nil
}

// border reports whether a box is a table: its border has not the colour of code, its columns
// have room for three characters, and its heads are centered.
func border(ls []markdown.Line) bool {
	if inkOf(&ls[0]) == inkCode {
		return false
	}
	cols := markdown.BorderColumns(&ls[0], "┌", "┬", "┐")
	for _, c := range cols {
		if c.To-c.From < 5 {
			return false
		}
		if len(ls) < 2 || ls[1].Width < c.To {
			continue
		}
		head := row.Text(row.Cut(ls[1].Spans, c.From, c.To))
		text := strings.TrimSpace(head)
		if left := row.Indent(head); text != "" && left != (row.Width(head)-row.Width(text))/2 {
			return false
		}
	}
	return true
}
