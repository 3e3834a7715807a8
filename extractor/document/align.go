package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// Align finds where body, the window of an alternate screen, belongs and puts it there: everything
// from its first row on is as it says. A body that is wholly inside the document is a look back and
// changes nothing.
func (d *Document) Align(body []row.Line) {
	if len(body) > 0 && d.raw.Row != nil && equal(body[0], d.raw) {
		body = append([]row.Line{d.repaired}, body[1:]...)
	}
	at, ok := d.find(body)
	switch {
	case !ok:
		at, d.Placed = len(d.Lines), PlacedBelow // what was between was never shown
	case at < d.Base && d.contains(at, body):
		d.Placed = PlacedLookBack
		return
	}
	d.Base = at
	if len(body) == 0 {
		d.replace(at)
		return
	}
	n := row.SkipBlank(body, 0) // blank rows say nothing of what was above
	if n == len(body) {
		n = 0
	}
	first := body[n]
	first.Lost = first.Lost || !ok || slices.ContainsFunc(d.Lines[min(at, len(d.Lines)):min(at+n+1, len(d.Lines))], func(l row.Line) bool { return l.Lost })
	d.replace(at, body[:n], []row.Line{first}, body[n+1:])
}

// find returns the document line that body's first row shows.
func (d *Document) find(body []row.Line) (at int, ok bool) {
	d.Placed = PlacedFirst
	if len(d.Lines) == 0 {
		return 0, true
	}
	d.Placed = PlacedWrapped
	if len(body) > 0 && d.Base < len(d.Lines) && body[0].Cols != d.Lines[len(d.Lines)-1].Cols {
		return d.rewrapped(body)
	}
	for _, lo := range []int{d.Base - len(body), 0} {
		lo = max(lo, 0)
		if at, ok := overlap(d.Lines[lo:], body); ok && d.plausible(at+lo, body) {
			at += lo
			if d.otherWidth(at, body) {
				if p, within, ok := d.findRewrapped(body); ok && p < at {
					d.repair(p, within, body)
					return p, true
				}
			}
			d.Placed = PlacedOverlap
			return at, true
		}
		if lo == 0 {
			break
		}
	}
	d.Placed = PlacedHead
	if at, ok := d.headStays(body); ok {
		return at, ok
	}
	if d.grown(body) {
		return d.Base, true
	}
	d.Placed = PlacedTable
	if at, ok := d.findTable(body); ok || !d.resized {
		return at, ok
	}
	d.Placed = PlacedWrapped // an agent may draw twice for a new width: half of it, then all
	return d.rewrapped(body)
}

// rewrapped finds body by its letters, and repairs its first row if it begins within a line. If
// that line goes on otherwise, it stays whole, and what was between is lost.
func (d *Document) rewrapped(body []row.Line) (at int, ok bool) {
	at, within, ok := d.findRewrapped(body)
	if ok && within > 0 && at < len(d.Lines) && !goesOn(d.Lines[at:], within, body) {
		body[row.SkipBlank(body, 0)].Lost = true
		return at + 1, true
	}
	d.repair(at, within, body)
	return at, ok
}

// plausible reports whether the window may show line at on its first row. Above where it was, one
// row in common is too little, if others are not: "Reading 1 file…" is said again.
func (d *Document) plausible(at int, body []row.Line) bool {
	if at >= d.Base {
		return true
	}
	known := map[string]bool{}
	for _, l := range d.Lines[at:] {
		known[l.Text] = true
	}
	same, total := int32(0), int32(0)
	for _, l := range body {
		w := weight(l)
		total += w
		if known[l.Text] {
			same += w
		}
	}
	return same == total || same >= 12
}

// otherWidth reports whether body, which overlaps the document from line at on, begins with rows
// that the document has not got there, and what is above was drawn at another width or is the same
// text.
func (d *Document) otherWidth(at int, body []row.Line) bool {
	if at < len(d.Lines) && d.Lines[at].Text == body[0].Text {
		return false
	}
	above := d.Lines[max(0, at-len(body)):at]
	return slices.ContainsFunc(above, func(l row.Line) bool { return l.Text != "" && l.Cols != body[0].Cols }) || d.saidAbove(at, body)
}

// saidAbove reports whether the rows of body above the one on line at are what the document says
// there, wrapped otherwise.
func (d *Document) saidAbove(at int, body []row.Line) bool {
	if at >= len(d.Lines) {
		return false
	}
	n := slices.IndexFunc(body, func(l row.Line) bool { return l.Text != "" && l.Text == d.Lines[at].Text })
	if n <= 0 {
		return false
	}
	head, above := letters(body[:n]), letters(d.Lines[max(0, at-len(body)):at])
	return head != "" && strings.HasSuffix(above, head)
}

// findTable finds body where a new row has widened a column of a table, so that all its rows were
// drawn again: by the letters in them.
func (d *Document) findTable(body []row.Line) (at int, ok bool) {
	cells := func(lines []row.Line) []row.Line {
		out := make([]row.Line, len(lines))
		for i, l := range lines {
			text := strings.Map(func(r rune) rune {
				if r == ' ' || r >= '─' && r <= '╿' {
					return -1
				}
				return r
			}, l.Text)
			out[i] = row.Line{Row: &vterm.Row{Text: text}}
		}
		return out
	}
	if !slices.ContainsFunc(body, func(l row.Line) bool {
		return strings.Contains(l.Text, " │ ") || strings.Contains(l.Text, "─  ─")
	}) {
		return 0, false
	}
	lo := max(0, d.Base-len(body))
	at, ok = overlap(cells(d.Lines[lo:]), cells(body))
	return lo + at, ok
}

// headStays finds body by its first rows if all below them was redrawn: a table that grows.
func (d *Document) headStays(body []row.Line) (at int, ok bool) {
	lo := max(0, min(d.Base, len(d.Lines)-len(body)))
	at, ok = leads(d.Lines[lo:], body, 12)
	return lo + at, ok
}

// grown reports whether body is the window as it was, but for rows that go on behind what they said
// and rows that were blank.
func (d *Document) grown(body []row.Line) bool {
	if d.Base+len(body) < len(d.Lines) {
		return false
	}
	same := int32(0)
	for i, l := range d.Lines[d.Base:] {
		if l.Text == "" {
			continue
		}
		if !strings.HasPrefix(body[i].Text, l.Text) {
			return false
		}
		same += weight(l)
	}
	return same >= 12
}

// contains reports whether all of body is at line at, and the document goes on below it.
func (d *Document) contains(at int, body []row.Line) bool {
	body = row.Trim(body)
	if at+len(body) >= len(row.Trim(d.Lines)) {
		return false
	}
	miss := 0
	for i, l := range body {
		if d.Lines[at+i].Text != l.Text {
			miss++
		}
	}
	return miss*10 <= len(body)
}

func equal(a, b row.Line) bool {
	if a.Row == b.Row {
		return true
	}
	if a.Text != b.Text || a.Wrapped != b.Wrapped || a.Blanks != b.Blanks || len(a.Runs) != len(b.Runs) || !slices.Equal(a.Marks, b.Marks) {
		return false
	}
	for i := range a.Runs {
		if a.Runs[i] != b.Runs[i] {
			return false
		}
	}
	return true
}
