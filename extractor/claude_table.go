package extractor

import (
	"strings"
)

// claudeTable reads the tables without a box: as Markdown (1.0 and 2.0), or a line for each cell
// where the window is too narrow (2.1).
func claudeTable(ls []textLine) ([][]cell, int) {
	if rows, n := claudeFields(ls); n > 0 {
		return rows, n
	}
	if !strings.HasPrefix(ls[0].text, "| ") {
		return nil, 0
	}
	head, n := claudePipeRow(ls, 0)
	if head == nil || n >= len(ls) {
		return nil, 0
	}
	rule, k := claudePipeRow(ls[n:], len(head))
	if rule == nil || !claudeDashes(rule) {
		return nil, 0
	}
	rows := [][]cell{head}
	for n += k; n < len(ls) && strings.HasPrefix(ls[n].text, "|"); n += k {
		var row []cell
		if row, k = claudePipeRow(ls[n:], len(head)); row == nil {
			break
		}
		rows = append(rows, row)
	}
	return rows, n
}

// claudePipeRow reads a row that may be wrapped: it ends with a bar, and where the number of its
// cells is known, with the last.
func claudePipeRow(ls []textLine, cols int) (row []cell, n int) {
	var spans []span
	for n = 0; n < len(ls) && n < 40 && !ls[n].blank(); n++ {
		if n > 0 {
			spans = append(spans, span{text: " ", width: 1})
		}
		spans = append(spans, cutSpans(ls[n].spans, ls[n].indent, ls[n].width)...)
		if !strings.HasSuffix(ls[n].text, "|") {
			continue
		}
		cells := claudePipeCells(spans)
		if cols == 0 || len(cells) >= cols {
			return cells, n + 1
		}
	}
	return nil, 0
}

// claudePipeCells parts a row at its bars.
func claudePipeCells(spans []span) []cell {
	var cells []cell
	var cur cell
	begun := false
	for _, s := range spans {
		for {
			head, rest, ok := strings.Cut(s.text, "|")
			part := s
			part.text, part.width = head, textWidth(head)
			if head != "" {
				cur = append(cur, part)
			}
			if !ok {
				break
			}
			if begun {
				cells = append(cells, claudeTrimCell(cur))
			}
			begun, cur = true, nil
			s.text = rest
		}
	}
	return cells
}

// claudeTrimCell is a cell without the blanks around it.
func claudeTrimCell(c cell) cell {
	l := textLine{spans: c}
	l.measure()
	return trimLeft(l.spans)
}

// claudeDashes reports whether a row is the line below a table's head.
func claudeDashes(row []cell) bool {
	for _, c := range row {
		t := strings.ReplaceAll(spansText(c), " ", "")
		if t == "" || strings.Trim(t, "-:") != "" {
			return false
		}
	}
	return true
}

// claudeFields reads a table written as `Head: cell` lines, the heads bold, with a rule between its
// rows. Every row repeats the heads; that is how its end is known, for a text may follow without a
// blank line.
func claudeFields(ls []textLine) ([][]cell, int) {
	if head, _ := claudeField(&ls[0]); head == nil || !claudeRuleBelow(ls) {
		return nil, 0
	}
	var heads []string
	var rows [][]cell
	var head, row []cell
	n := 0
	for ; n < len(ls) && !ls[n].blank(); n++ {
		l := &ls[n]
		if ruleLine(l) {
			if len(rows) > 0 && len(row) != len(heads) || len(row) == 0 {
				return nil, 0
			}
			rows = append(rows, row)
			row = nil
			continue
		}
		if h, c := claudeField(l); h != nil {
			name := spansText(h)
			switch {
			case len(rows) == 0:
				heads, head = append(heads, name), append(head, h)
			case len(row) >= len(heads) || heads[len(row)] != name:
				return claudeFieldRows(rows, head, row), n
			}
			row = append(row, c)
			continue
		}
		if l.indent < 2 || len(row) == 0 {
			break
		}
		last := len(row) - 1
		if len(row[last]) > 0 {
			row[last] = append(row[last], span{text: " ", width: 1})
		}
		row[last] = append(row[last], trimLeft(l.spans)...)
	}
	if len(rows) == 0 {
		return nil, 0
	}
	return claudeFieldRows(rows, head, row), n
}

// claudeRuleBelow reports whether a rule ends the row of a table that begins with the first line.
func claudeRuleBelow(ls []textLine) bool {
	for i := range ls[:min(len(ls), maxGroup)] {
		if ls[i].blank() {
			return false
		}
		if claudeNote(&ls[i])&claudeNoteRule != 0 {
			return true
		}
	}
	return false
}

// claudeFieldRows are a table's rows with its head, and the last row as far as it is drawn.
func claudeFieldRows(rows [][]cell, head, last []cell) [][]cell {
	if len(last) > 0 {
		rows = append(rows, last)
	}
	return append([][]cell{head}, rows...)
}

// claudeField parts a line into its bold head, without the colon, and its cell.
func claudeField(l *textLine) (head, c cell) {
	if l.indent > 0 || l.blank() || l.spans[0].mark&markBold == 0 {
		return nil, nil
	}
	col := 0
	for i, s := range l.spans {
		if s.mark&markBold == 0 && strings.Trim(s.text, " ") != "" {
			return nil, nil
		}
		if strings.HasSuffix(strings.TrimRight(s.text, " "), ":") {
			col += s.width
			head = append(head, cutSpans(l.spans[:i+1], 0, col)...)
			last := &head[len(head)-1]
			last.text = strings.TrimSuffix(strings.TrimRight(last.text, " "), ":")
			last.width = textWidth(last.text)
			for k := range head {
				head[k].mark &^= markBold
			}
			rest := textLine{spans: cutSpans(l.spans, col, l.width)}
			rest.measure()
			return head, trimLeft(rest.spans)
		}
		col += s.width
	}
	return nil, nil
}

// claudeBorder reports whether a box is a table: its border has not the colour of code, its columns
// have room for three characters, and its heads are centered.
func claudeBorder(ls []textLine) bool {
	if claudeInkOf(&ls[0]) == claudeInkCode {
		return false
	}
	cols := borderColumns(&ls[0], "┌", "┬", "┐")
	for _, c := range cols {
		if c.to-c.from < 5 {
			return false
		}
		if len(ls) < 2 || ls[1].width < c.to {
			continue
		}
		head := spansText(cutSpans(ls[1].spans, c.from, c.to))
		text := strings.TrimSpace(head)
		if left := leadingBlanks(head); text != "" && left != (textWidth(head)-textWidth(text))/2 {
			return false
		}
	}
	return true
}
