package document

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Return puts the window back to where it was, if an agent has redrawn it from its top row (main
// screen): what it drew below scrolled the text up, and when that is gone it shows again what had
// left the window. It returns those of the rows that have just left which stay above the window,
// and whether it went back at all. Do not call it while rows leave the window: then the agent goes
// on below, and what looks like rows above is said again. start is the first line of the agent's
// part.
func (d *Document) Return(left, body []row.Line, start int) (above []row.Line, ok bool) {
	at, ok := d.repainted(left, body)
	if !ok || at <= start {
		return left, false
	}
	above = left[:max(0, at-d.Base)]
	d.Base = min(d.Base, at)
	return above, true
}

// repainted returns the line that body's first row shows again.
func (d *Document) repainted(left, body []row.Line) (at int, ok bool) {
	body = row.Trim(body)
	place := d.Base + len(left)
	line := func(i int) (row.Line, bool) {
		switch {
		case i >= d.Base && i < place:
			return left[i-d.Base], true
		case i >= 0 && i < len(d.Lines):
			return d.Lines[i], true
		}
		return row.Line{}, false
	}
	match := func(at int) (sum, head int32) {
		broken := false
		for i, l := range body {
			if old, ok := line(at + i); ok && old.Text == l.Text {
				sum += weight(l)
			} else {
				broken = true
			}
			if !broken {
				head = sum
			}
		}
		return sum, head
	}
	total := int32(0)
	for _, l := range body {
		total += weight(l)
	}
	here, head := match(place)
	if here*2 >= total || head >= 12 { // it is where it was, though below it the same may be said again
		return 0, false
	}
	best := max(2*here, 11)
	for k := place - 1; k >= max(0, place-2*len(body)-8); k-- {
		if m, head := match(k); head > 0 && m > best && m*3 >= total {
			best, at, ok = m, k, true
		}
	}
	return at, ok
}

// likeness returns how much of body is at line at, by weight, and how much there is.
func (d *Document) likeness(at int, body []row.Line) (same, total int32) {
	for i, l := range body {
		w := weight(l)
		total += w
		if k := at + i; k < len(d.Lines) && d.Lines[k].Text == l.Text {
			same += w
		}
	}
	return same, total
}

// Shares reports whether body has a row of the document from a line on, and not one that says next
// to nothing.
func (d *Document) Shares(from int, body []row.Line) bool {
	old := map[string]bool{}
	for _, l := range d.Lines[min(len(d.Lines), from):] {
		old[l.Text] = true
	}
	return slices.ContainsFunc(body, func(l row.Line) bool { return weight(l) > 4 && old[l.Text] })
}
