package markdown

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// shortened reports whether a cell ends with an ellipsis that fills its column. Agents that shorten
// cells do not wrap them, so each line is a row.
func (b *band) shortened(cells []Cell) bool {
	for i, c := range b.cols {
		if t := row.Text(cells[i]); (strings.HasSuffix(t, "…") || strings.HasSuffix(t, "...")) &&
			row.SpansWidth(cells[i]) == c.room() {
			return true
		}
	}
	return false
}

// cutCells reports whether words were cut in a table's cells. Then all columns are narrower than
// their longest word, and in each of them a line is full that is followed by another one.
func cutCells(all []band) bool {
	for i, c := range all[0].cols {
		if !slices.ContainsFunc(all, func(b band) bool {
			for k := 1; k < len(b.lines); k++ {
				if len(b.lines[k][i]) > 0 && row.SpansWidth(b.lines[k-1][i]) >= c.room() {
					return true
				}
			}
			return false
		}) {
			return false
		}
	}
	return true
}

// wholeSeam is the Seam for the lines of a cell in which no word was cut.
func wholeSeam(a, b *Line, _ int) (Seam, bool) {
	if WithoutBlanks(a, b) {
		return SeamNone, true
	}
	return SeamSpace, true
}

// mergeRows returns a row for each band, with wrapped cells joined.
func (lk *Style) mergeRows(bands ...band) (rows [][]Cell) {
	for _, b := range bands {
		if len(b.lines) == 0 {
			continue
		}
		r := make([]Cell, len(b.cols))
		for i, c := range b.cols {
			var ls []Line
			for _, cells := range b.lines {
				if len(cells[i]) > 0 {
					l := Line{Spans: cells[i], Room: c.room(), Cell: true}
					l.Measure()
					ls = append(ls, l)
				}
			}
			for _, line := range lk.Unwrap(ls, 0) {
				r[i] = joined(r[i], line)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// looseRows groups lines into rows if nothing is drawn between them. A line continues the previous
// row if one of its cells is empty and the others would not have fitted above. If its first cell is
// not empty, or rows of this table may begin with an empty cell, one of its cells must also
// continue the style of the one above, unless the table is full and no row has an empty cell.
func (lk *Style) looseRows(b band) (rows [][]Cell) {
	apart := slices.ContainsFunc(b.lines, b.shortened)
	headless, holes := false, false // whether a row begins with an empty cell, or contains one
	for i := 1; i < len(b.lines); i++ {
		if hole := slices.ContainsFunc(b.lines[i], noText); hole && !b.goesOn(b.lines[i-1], b.lines[i], false) {
			holes = true
			headless = headless || noText(b.lines[i][0])
		}
	}
	from := 0
	for i := 1; i <= len(b.lines); i++ {
		if apart || i == len(b.lines) || !b.inRow(b.lines[i-1], b.lines[i], headless, holes) {
			rows = append(rows, lk.mergeRows(band{cols: b.cols, lines: b.lines[from:i]})...)
			from = i
		}
	}
	return rows
}

// noText reports whether a cell is empty.
func noText(c Cell) bool { return len(c) == 0 }

// inRow reports whether a line continues the previous row.
func (b *band) inRow(above, cells []Cell, headless, holes bool) bool {
	if !slices.ContainsFunc(cells, noText) {
		return b.full && b.allGoOn(above, cells) || b.addressBelow(above, cells)
	}
	alike := headless || !noText(cells[0]) && (holes || !b.full)
	return b.goesOn(above, cells, alike)
}

// goesOn reports whether the non-empty cells of a line continue those above. If alike is set, one
// of them must also continue the style.
func (b *band) goesOn(above, cells []Cell, alike bool) bool {
	same := !alike
	for i, c := range b.cols {
		if noText(cells[i]) {
			continue
		}
		if !c.wraps(above[i], cells[i]) {
			return false
		}
		same = same || above[i][len(above[i])-1].Mark == cells[i][0].Mark
	}
	return same
}

// allGoOn reports whether all cells of a line continue those above: each begins in lower case, in
// the style in which the one above ends, and one of those has several words.
func (b *band) allGoOn(above, cells []Cell) bool {
	words := false
	for i, c := range b.cols {
		if !c.wraps(above[i], cells[i]) || above[i][len(above[i])-1].Mark != cells[i][0].Mark ||
			!unicode.IsLower(row.FirstRune(row.Text(cells[i]))) {
			return false
		}
		words = words || strings.Contains(row.Text(above[i]), " ")
	}
	return words
}

// addressBelow reports whether the first cell of a line is the address of a link above it, which
// did not fit beside the link's text, and the other cells may have been wrapped, too.
func (b *band) addressBelow(above, cells []Cell) bool {
	for i, c := range b.cols {
		if !c.wraps(above[i], cells[i]) {
			return false
		}
	}
	return row.Starts(row.Text(cells[0]), "(https://", "(http://")
}

// wraps reports whether a cell of the column may have been wrapped before the part below: the first
// word of that part did not fit beside the part above.
func (c Column) wraps(above, below Cell) bool {
	return len(above) > 0 && row.SpansWidth(above)+1+row.Width(row.FirstWord(row.Text(below))) > c.room()
}
