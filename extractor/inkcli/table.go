package inkcli

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// shortened reports whether a row of a table has a shortened cell: up to 0.2x of the Gemini CLI
// with "…", up to 0.1x of Qwen Code with "...". Columns of up to three cells have no room for such
// a sign.
func shortened(l row.Line) bool {
	return strings.Contains(l.Text, "… │") || strings.Contains(l.Text, "... │")
}

// ends are the signs at the ends of a table's rows, by those at their beginnings.
var ends = map[rune]string{'┌': "┐", '├': "┤", '└': "┘", '│': "│"}

// mendTables marks the right ends of a table's rows as their continuation. Those versions draw a
// table as wide as the window, and a little wider if it has to shrink, so that Ink wraps its rows.
func mendTables(lines []row.Line) []row.Line {
	out := make([]row.Line, 0, len(lines))
	above, columns, mended := "", 0, false
	for _, l := range lines {
		t := strings.TrimLeft(l.Text, " ")
		switch {
		case strings.Trim(t, "─┬┼┴│┐┤┘ ") == "" && unfinished(above, columns):
			l = row.CutLine(l, row.Indent(l.Text), -1)
			l.Row.Wrapped = true
			above, mended = above+t, true
		case t == "" && mended:
			continue // Ink has counted one row too many
		default:
			above, mended = t, false
		}
		if strings.HasPrefix(above, "┌") {
			columns = strings.Count(above, "┬") + 1
		}
		out = append(out, l)
	}
	addCorners(out)
	return out
}

// corners are the signs between the columns of a table's rules, by those at their beginnings.
var corners = map[rune]string{'┌': "┬", '├': "┼", '└': "┴"}

// addCorners restores the corner of each rule that was in the cell beyond the window's edge, which
// Ink has cut off, so that the head of the table has one more cell than its rule.
func addCorners(lines []row.Line) {
	lost := false
	for i := 1; i < len(lines); i++ {
		rule := strings.TrimLeft(lines[i-1].Text, " ")
		if strings.HasPrefix(rule, "┌") {
			lost = i+1 < len(lines) && barsOf(lines[i+1:]) > strings.Count(rule+lines[i].Text, "┬")+2
		}
		if sign := corners[row.FirstRune(rule)]; lost && lines[i].Wrapped { // no sign: a row of cells, which stays as it is
			lines[i] = row.Line{Row: row.Join(append([]row.Span{{Text: sign, Width: row.Width(sign)}},
				row.Spans(lines[i].Row, 0, -1, nil)...)), Cols: lines[i].Cols}
			lines[i].Row.Wrapped = true
		}
	}
}

// barsOf returns the number of bars of a row and of its wrapped rest.
func barsOf(lines []row.Line) int {
	n := strings.Count(lines[0].Text, "│")
	for _, l := range lines[1 : 1+row.Run(lines[1:], row.IsWrapped)] {
		n += strings.Count(l.Text, "│")
	}
	return n
}

// unfinished reports whether a row of a table with this number of columns lacks its right end. A
// row with a bar outside a table belongs to a quote.
func unfinished(t string, columns int) bool {
	if strings.HasPrefix(t, "│") {
		return strings.Count(t, "│") <= columns
	}
	return !strings.HasSuffix(t, ends[row.FirstRune(t)])
}
