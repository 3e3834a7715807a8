package document

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Lag follows an agent on the alternate screen that may be behind resizes: until it has drawn for
// the new size, which a busy machine may delay, the rows that were cut off at the new edge say less
// than what is known. Behind a storm of resizes it also draws whole frames for a width that is
// over.
type Lag struct {
	resized bool // and nothing was read since
	fills   bool // before, the agent's lowest rule went from edge to edge
	quiet   int  // frames that were quiet since
}

// Resized notes a resize.
func (g *Lag) Resized() { g.resized, g.quiet = true, 0 }

// Behind reports whether most of the text is from before the resize, or all was drawn for another
// width than the window's. An agent that is quiet for long has drawn.
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
