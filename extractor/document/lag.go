package document

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Lag detects that an agent on the alternate screen lags behind resizes: until it has drawn for the
// new size, which may take a busy machine a while, rows that were cut off at the new edge show less
// than what is known. After many resizes it also draws complete frames for an outdated width.
type Lag struct {
	resized bool // and nothing was read since
	fills   bool // before it, the agent's lowest rule extended from edge to edge
	quiet   int  // number of quiet frames since
}

// Resized records a resize.
func (g *Lag) Resized() { g.resized, g.quiet = true, 0 }

// Behind reports whether most of the text is from before the resize, or all was drawn for another
// width than the window's. An agent that is quiet for long has finished drawing.
func (g *Lag) Behind(lines []row.Line, cols int, settled bool) bool {
	if settled {
		g.quiet++
	}
	rule := lowestRule(lines)
	if g.resized && g.quiet <= 2 && (g.fills && rule != cols || stale(lines)) {
		return true
	}
	g.resized, g.fills = false, rule == cols
	return false
}

// stale reports whether most of the text was drawn before the window was last resized.
func stale(lines []row.Line) bool {
	old := 0
	for _, l := range lines {
		if old += len(l.Text); !l.Stale {
			old -= 2 * len(l.Text)
		}
	}
	return old > 0
}

// lowestRule returns the width of the lowest row that is a rule from the left edge on, or 0.
func lowestRule(lines []row.Line) int {
	for _, l := range slices.Backward(lines) {
		if row.IsRuled(l) {
			return len(l.Text) / len("─")
		}
	}
	return 0
}
