package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// CutRows are the rows of the alternate screen that a resize cut off at the new edge: until the
// agent has redrawn them, which a busy machine may delay, they say less than what is known. An
// agent that is behind a storm of resizes also draws whole frames for a width that is over.
type CutRows struct {
	rows    map[string]bool
	resized bool // and nothing was read since
	fills   bool // before, the agent's lowest rule went from edge to edge
	quiet   int  // frames that were quiet since
}

// Note remembers the rows that reach to the edge just after a resize, and those that an earlier one
// cut off. Rules reach it again, cut or not.
func (c *CutRows) Note(rows []*vterm.Row, cols int) {
	before := c.rows
	*c = CutRows{rows: map[string]bool{}, resized: true, fills: c.fills}
	for _, r := range rows {
		if before[r.Text] || row.Extent(r) >= cols && strings.Trim(r.Text, "─━═▀▄▁▔_ ") != "" {
			c.rows[r.Text] = true
		}
	}
}

// Remain reports whether most of them are still there, or the frame was drawn for another width. An
// agent that is quiet for long has redrawn.
func (c *CutRows) Remain(rows []*vterm.Row, cols int, settled bool) bool {
	rule := lowestRule(rows)
	if !c.resized {
		c.fills = rule == cols
		return false
	}
	n := 0
	for _, row := range rows {
		if c.rows[row.Text] {
			n++
		}
	}
	if settled {
		c.quiet++
	}
	if n*2 <= len(c.rows) && (rule == cols || !c.fills) || c.quiet > 2 {
		*c = CutRows{fills: rule == cols}
		return false
	}
	return true
}

// lowestRule returns the width of the lowest row that is a rule from the left edge on, or 0.
func lowestRule(rows []*vterm.Row) int {
	for _, r := range slices.Backward(rows) {
		if row.IsRule(r.Text) {
			return row.Extent(r)
		}
	}
	return 0
}
