package cli

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// Table is a table with columns.
type Table struct {
	Columns []Column
	Rows    [][]Cell
}

// Column is a column of a table. It is omitted if all its cells are empty.
type Column struct {
	Title string
	Right bool // align to the right, for numbers
	Drop  int  // if the window is too narrow, the column with the largest value is dropped first; 0: never
	Flex  bool // cut this column if the table is too wide; if several are set, the last one
}

// Cell is a text and the SGR parameters that colour it.
type Cell struct{ Text, Color string }

const (
	columnGap = 2   // cells between columns
	flexWidth = 24  // minimum width of the flexible column while others can be dropped
	titleSGR  = "2" // dim
)

// Write writes the table, at most width columns wide; 0 means no limit. paint colours a text.
func (t *Table) Write(w io.Writer, paint func(sgr, text string) string, width int) error {
	for _, row := range t.Rows {
		for i := range row {
			row[i].Text = printable.Line(row[i].Text)
		}
	}
	widths, shown := t.fit(width)
	head := make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = Cell{c.Title, titleSGR}
	}
	for _, row := range append([][]Cell{head}, t.Rows...) {
		var b strings.Builder
		for n, i := range shown {
			text := row[i].Text
			if t.Columns[i].Flex && widths[i] > 0 {
				text = ansi.Truncate(text, widths[i], "…")
			}
			pad := strings.Repeat(" ", max(0, widths[i]-ansi.StringWidth(text)))
			if t.Columns[i].Right {
				b.WriteString(pad)
				pad = ""
			}
			b.WriteString(paint(row[i].Color, text))
			if n < len(shown)-1 {
				b.WriteString(pad + strings.Repeat(" ", columnGap))
			}
		}
		if _, err := io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// fit returns the columns to show and the width of each, in cells.
func (t *Table) fit(width int) (widths, shown []int) {
	widths, shown, flex := t.natural()
	if width == 0 || flex < 0 {
		return widths, shown
	}
	rest := func() int {
		left := width
		for _, i := range shown {
			if i != flex {
				left -= widths[i] + columnGap
			}
		}
		return left
	}
	for rest() < min(flexWidth, widths[flex]) {
		worst := -1
		for n, i := range shown {
			if d := t.Columns[i].Drop; d > 0 && (worst < 0 || d > t.Columns[shown[worst]].Drop) {
				worst = n
			}
		}
		if worst < 0 {
			break
		}
		shown = append(shown[:worst:worst], shown[worst+1:]...)
	}
	widths[flex] = min(widths[flex], max(rest(), 1))
	return widths, shown
}

// natural returns the columns that are not empty, the width that each needs, in cells, and the one
// that may be narrower, or -1.
func (t *Table) natural() (widths, shown []int, flex int) {
	widths = make([]int, len(t.Columns))
	flex = -1
	for i, c := range t.Columns {
		for _, row := range t.Rows {
			widths[i] = max(widths[i], ansi.StringWidth(row[i].Text))
		}
		if widths[i] == 0 && len(t.Rows) > 0 {
			continue
		}
		widths[i] = max(widths[i], ansi.StringWidth(c.Title))
		shown = append(shown, i)
		if c.Flex {
			flex = i
		}
	}
	return widths, shown, flex
}
