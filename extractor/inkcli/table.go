package inkcli

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// shortened reports whether a row of a table has a cell that the program shortened to its column:
// to 0.2x of the Gemini CLI with "…", to 0.1x of Qwen Code with "...". Columns of up to three cells
// have no room for such a sign.
func shortened(l row.Line) bool {
	return begins(l, "│") && (strings.Contains(l.Text, "… │") || strings.Contains(l.Text, "... │"))
}

// begins reports whether a row begins with one of some signs, behind blanks.
func begins(l row.Line, signs ...string) bool {
	return row.Starts(strings.TrimLeft(l.Text, " "), signs...)
}

// mendTables puts the right end of a table's rows back behind them. Those versions draw a table as
// wide as the window, and a little wider where it has to shrink: Ink wraps its rows then, and the
// terminal wraps them again.
func mendTables(lines []row.Line) []row.Line {
	if !slices.ContainsFunc(lines, func(l row.Line) bool { return isRest(l.Text) }) {
		return lines
	}
	out := make([]row.Line, 0, len(lines))
	var t inkTable
	mended := false
	for i, l := range lines {
		switch {
		case i > 0 && t.goesOn(out[len(out)-1], l):
			last := &out[len(out)-1]
			*last, mended = t.mend(*last, l), true
		case l.Text == "" && mended && i+1 < len(lines) && begins(lines[i+1], "│", "├", "└"):
			// Ink has counted a row more than it needed.
		default:
			out, mended = append(out, l), false
		}
		if len(out) > 0 {
			t.see(out[len(out)-1])
		}
	}
	return out
}

// inkTable is the table whose rows are being mended.
type inkTable struct {
	columns int // 0: the top of none was seen, or its end was
	end     int // the column of its right border
}

// ends are the signs at the ends of borders, by those at their beginnings.
var ends = map[string]string{"┌": "┐", "├": "┤", "└": "┘"}

// see takes a row into account, as far as it is there.
func (t *inkTable) see(l row.Line) {
	switch {
	case begins(l, "┌") && strings.HasSuffix(l.Text, "┐"):
		t.columns, t.end = strings.Count(l.Text, "┬")+1, row.Extent(l.Row)-1
	case begins(l, "┌"), begins(l, "└") && strings.HasSuffix(l.Text, "┘"):
		t.columns = 0
	}
}

// isRest reports whether a row has nothing but borders.
func isRest(t string) bool {
	t = strings.TrimLeft(t, " ")
	return strings.ContainsRune("─┬┼┴│┐┤┘", row.FirstRune(t)) && strings.Trim(t, "─┬┼┴│┐┤┘ ") == ""
}

// goesOn reports whether a row is the end of the one above.
func (t *inkTable) goesOn(above, l row.Line) bool {
	if !isRest(l.Text) {
		return false
	}
	for sign, end := range ends {
		if begins(above, sign) {
			return !strings.HasSuffix(above.Text, end)
		}
	}
	if t.columns > 0 && begins(above, "│") {
		return strings.Count(above.Text, "│") <= t.columns
	}
	return slices.Contains([]string{"│", "┐", "┤", "┘"}, strings.TrimLeft(l.Text, " ─"))
}

// mend returns a row with its end behind it: at the right border, or where the row ends if that is
// further to the right.
func (t *inkTable) mend(l, end row.Line) row.Line {
	spans := row.Spans(l.Row, 0, -1, nil)
	w := row.SpansWidth(spans)
	rest := strings.Trim(end.Text, " ")
	n := row.Width(rest)
	at := w
	if begins(l, "│") {
		at = max(t.end-n+1, w)
	}
	r := &vterm.Row{Text: row.Text(spans) + row.Blanks(at-w) + rest, Runs: append(l.Runs[:len(l.Runs):len(l.Runs)], vterm.Run{Text: rest, Col: at, Width: n})}
	return row.Line{Row: r, Cols: max(l.Cols, at+n)}
}
