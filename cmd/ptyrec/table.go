package main

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// table writes rows in columns. Where they do not fit, columns that may go are left out, and the last one is cut.
type table struct {
	columns []column
	rows    [][]cell
}

type column struct {
	title string
	right bool // numbers
	drop  int  // the larger, the earlier it is left out; 0: never
}

type cell struct{ text, color string }

const (
	columnGap = 2  // cells between columns
	lastWidth = 24 // the last column is cut to no less, in cells, as long as others can go
)

// write fits the table into width columns; 0: as wide as it is.
func (t *table) write(w io.Writer, s style, width int) error {
	widths, shown := t.fit(width)
	head := make([]cell, len(t.columns))
	for i, c := range t.columns {
		head[i] = cell{c.title, dim}
	}
	for _, row := range append([][]cell{head}, t.rows...) {
		var b strings.Builder
		for n, i := range shown {
			text := row[i].text
			last := n == len(shown)-1
			if last && widths[i] > 0 {
				text = ansi.Truncate(text, widths[i], "…")
			}
			pad := strings.Repeat(" ", max(0, widths[i]-ansi.StringWidth(text)))
			if t.columns[i].right {
				b.WriteString(pad)
				pad = ""
			}
			b.WriteString(s.paint(row[i].color, text))
			if !last {
				b.WriteString(pad + strings.Repeat(" ", columnGap))
			}
		}
		if _, err := io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// fit gives the columns that are shown, and each one's width in cells; 0: unlimited.
func (t *table) fit(width int) (widths, shown []int) {
	widths = make([]int, len(t.columns))
	for i, c := range t.columns {
		shown = append(shown, i)
		widths[i] = ansi.StringWidth(c.title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], ansi.StringWidth(row[i].text))
		}
	}
	last := len(t.columns) - 1
	if width == 0 {
		widths[last] = 0
		return widths, shown
	}
	rest := func() int {
		left := width
		for _, i := range shown {
			if i != last {
				left -= widths[i] + columnGap
			}
		}
		return left
	}
	for rest() < min(lastWidth, widths[last]) {
		worst := -1
		for n, i := range shown {
			if d := t.columns[i].drop; d > 0 && (worst < 0 || d > t.columns[shown[worst]].drop) {
				worst = n
			}
		}
		if worst < 0 {
			break
		}
		shown = append(shown[:worst:worst], shown[worst+1:]...)
	}
	widths[last] = max(rest(), 1)
	return widths, shown
}
