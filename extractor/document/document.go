// Package document composes the frames of a terminal to one text. On the main screen the terminal
// reports how far the text moved. On the alternate screen, after a reprint and after a resize, it
// must be found out.
package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Document is the rows of one continuous text, from top to bottom: what has left the window, then
// what is in it. The zero Document is empty.
type Document struct {
	Lines  []row.Line
	Base   int        // line on the window's first row
	Left   []row.Line // rows that have left the window since the last update of Lines (main screen)
	Placed Placement  // how Base was found
	Dirty  int        // index of the first line that is new since the last call of Clean
	were   []row.Line // lines that were cut off since then, from line Dirty on

	// A window that begins within a line of the document shows only the rest of that line: there,
	// raw replaces repaired.
	repairAt      int
	raw, repaired row.Line

	body   []row.Line // the window that is being aligned
	back   int        // number of rows at the window's top that are above lines which only the document has
	late   bool       // what was above the first line was never on the screen
	before string     // last letters of the documents that were cleared before this one
	resize resize
}

// Wipe drops all lines, because the window was erased. An agent may still be about to draw for its
// size.
func (d *Document) Wipe() {
	d.Settle()
	*d = Document{resize: d.resize}
}

// maxBefore is how many bytes of letters of cleared documents are kept. A window shows less.
const maxBefore = 1 << 16

// Clear drops all lines, because another text begins. See Own.
func (d *Document) Clear() {
	before := d.before + letters(d.Lines)
	*d = Document{before: strings.Clone(before[max(0, len(before)-maxBefore):])}
}

// Own returns the rows of body, a window, from the document's first row on, if those above it were
// cleared before: a terminal multiplexer shows them again when its window grows, or when it rewraps
// the text. Above the first row of an empty document are the last ones that were cleared.
func (d *Document) Own(body []row.Line) []row.Line {
	if d.before == "" { // saves time
		return body
	}
	text := letters(body)
	own, n, above := lettersFrom(d.Lines, len(text)), row.SkipBlank(d.Lines, 0), 0
	if own != "" {
		above = agrees(text, letters(d.Lines[n:n+1]), own)
	} else if d.resize.wait > 0 {
		above = continued(d.before, text)
	}
	i := skipLetters(body, 0, above)
	if above <= 0 || letters(body[:i]) != text[:above] || !strings.Contains(d.before, text[:above]) {
		return body
	}
	return body[max(i, row.SkipBlank(body, i)-n):]
}

// Late records that the text began before the first line, in rows that were never on the screen.
func (d *Document) Late() {
	d.late = true
	d.replace(0, slices.Clone(d.Lines))
}

// Clean resets Dirty: no line is new.
func (d *Document) Clean() { d.Dirty, d.were = len(d.Lines), d.were[:0] }

// Advance replaces the window's text by body, after the rows that have left the window (main
// screen). Rows that came back above lines which the terminal has dropped stay where they are.
func (d *Document) Advance(body []row.Line) {
	known := min(d.back, len(d.Left))
	d.back -= known
	d.replace(d.Base+known+d.back, d.Left[known:], body[min(d.back, len(body)):])
	d.Base, d.Left, d.Placed = d.Base+len(d.Left), nil, PlacedScrolled
}

// replace replaces the lines from at on, and updates Dirty.
func (d *Document) replace(at int, parts ...[]row.Line) {
	i, lost := at, d.late && at == 0
	for _, part := range parts {
		for _, l := range part {
			if lost && l.Text != "" {
				l.Lost, l.Late, lost = true, true, false
			}
			if i == d.repairAt && d.raw.Row != nil && equal(l, d.raw) {
				l = d.repaired
			}
			if i == len(d.Lines) || !equal(d.Lines[i], l) {
				d.cut(i)
				d.Lines = append(d.Lines, l)
			}
			i++
		}
	}
	d.cut(min(i, len(d.Lines)))
}

// cut drops the lines from i on.
func (d *Document) cut(i int) {
	end := min(d.Dirty, len(d.Lines))
	d.were = slices.Insert(d.were, 0, d.Lines[min(i, end):end]...)
	clear(d.Lines[i:])
	d.Lines = d.Lines[:i]
	d.Dirty = min(d.Dirty, i)
}

// Before returns the lines [from, to) as they were at the last call of Clean.
func (d *Document) Before(from, to int) []row.Line {
	kept := min(d.Dirty, len(d.Lines))
	out := slices.Clone(d.Lines[min(from, kept):min(max(from, to), kept)])
	n := len(d.were)
	return append(out, d.were[min(max(from-kept, 0), n):min(max(to-kept, 0), n)]...)
}

// Forget drops the first n lines.
func (d *Document) Forget(n int) {
	d.Lines = append([]row.Line(nil), d.Lines[n:]...)
	d.Base = max(0, d.Base-n)
	d.Dirty = max(0, d.Dirty-n)
	d.repairAt -= n
	d.late = false
	d.Settle()
}

// Placement is the name of the rule that found a frame's place in a document.
type Placement string

// The rules of the main screen, then those of the alternate screen.
const (
	PlacedScrolled Placement = "as the terminal scrolled"
	PlacedRedrawn  Placement = "redrawn from the top"        // the first rows had scrolled out before
	PlacedWrapped  Placement = "same letters, another width" // after a resize
	PlacedFirst    Placement = "first frame"                 // of the document
	PlacedOverlap  Placement = "rows in common"              // with the document
	PlacedHead     Placement = "same first rows"             // everything below was redrawn
	PlacedTable    Placement = "same table cells"            // in columns with another width
	PlacedWords    Placement = "same words"                  // except for marks between them
	PlacedBelow    Placement = "nothing in common"           // below everything; rows may be missing above
	PlacedLookBack Placement = "the user has scrolled back"  // the document can only grow
)
