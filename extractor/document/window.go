package document

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// Window converts the rows of frames to lines. It knows for which width each row was drawn. The
// zero Window has seen no frame.
type Window struct {
	cols  int
	drawn map[*vterm.Row]int // widths of the rows that were drawn before a resize
	lines []row.Line         // of the last frame
}

// Next records the width of the window in the next frame, in cells, whether it was just resized,
// and whether everything on it was drawn since the last resize.
func (w *Window) Next(rows []*vterm.Row, cols int, resized, redrawn bool) {
	switch {
	case resized:
		drawn := make(map[*vterm.Row]int, len(rows))
		for _, row := range rows {
			drawn[row] = w.Line(row).Cols
		}
		w.drawn = drawn
	case redrawn:
		w.drawn = nil
	}
	w.cols = cols
}

// Line returns a row of the current frame as a line.
func (w *Window) Line(rw *vterm.Row) row.Line {
	if cols, ok := w.drawn[rw]; ok {
		return row.Line{Row: rw, Cols: cols, Stale: true}
	}
	return row.Line{Row: rw, Cols: w.cols}
}

// Lines returns the rows of the current frame as lines. They are valid until the next frame.
func (w *Window) Lines(rows []*vterm.Row) []row.Line {
	w.lines = slices.Grow(w.lines[:0], len(rows))[:len(rows)]
	for y, row := range rows {
		l, was := w.Line(row), w.lines[y]
		if was.Row == row {
			l.Judged, l.Begins = was.Judged, was.Begins
		}
		w.lines[y] = l
	}
	return w.lines
}
