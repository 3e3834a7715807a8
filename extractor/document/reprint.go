package document

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// returned moves the window back if an agent has redrawn it from its top row (main screen): what it
// drew below had scrolled the text up, and when that is removed, the window shows again what had
// left it. It must not be called while rows leave the window, because the agent then continues
// below, and rows that look like earlier ones are repetitions. start is the first line of the
// agent's part.
func (d *Document) returned(body []row.Line, start int) bool {
	at := d.repainted(d.Base+len(d.Left), body)
	if at <= start {
		return false
	}
	d.Left = d.Left[:max(0, at-d.Base)]
	if !d.stays(d.Base, d.Left) { // what has left the window was a menu or a pager
		d.Left, d.Base = nil, at
	}
	d.Base = min(d.Base, at)
	return true
}

// repainted returns the line above place that body's first row shows again, or 0 if body is as
// likely to be at place, or anywhere.
func (d *Document) repainted(place int, body []row.Line) (at int) {
	n := row.SkipBlank(body, 0)
	head := body[n:min(n+1, len(body))]
	here, total := d.likeness(place, body)
	best := max(2*here, 11, total/3)
	for k := place - 1; k >= max(0, place-2*len(body)-8); k-- {
		if common(d.Lines[min(k+n, len(d.Lines)):], head) == 0 {
			continue
		}
		if m, _ := d.likeness(k, body); m > best {
			best, at = m, k
		}
	}
	return at
}

// likeness returns how much of body is at line at, and the total, both by weight.
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

// stays reports whether at least half of body is at line at.
func (d *Document) stays(at int, body []row.Line) bool {
	same, total := d.likeness(at, body)
	return 2*same >= total
}

// shared returns how much of body is anywhere in lines, by weight.
func shared(lines, body []row.Line) (same int32) {
	known := map[string]bool{}
	for _, l := range lines {
		known[l.Text] = true
	}
	for _, l := range body {
		if known[l.Text] {
			same += weight(l)
		}
	}
	return same
}

// Shares reports whether body has significant rows in common with the document from a line on.
func (d *Document) Shares(from int, body []row.Line) bool {
	return shared(d.Lines[min(from, len(d.Lines)):], body) > 4
}

// BelowEnd returns what is in body below the last rows of the document's lines [from, end), if body
// contains those and, above them, nothing else of the document. After a resize, rows may be wrapped
// differently.
func (d *Document) BelowEnd(from, end int, body []row.Line) (below []row.Line, ok bool) {
	lines := row.Trim(d.Lines[min(from, end):end])
	if len(lines) == 0 || d.Resizing() {
		return nil, false
	}
	last := slices.IndexFunc(body, func(l row.Line) bool { return l.Text == lines[len(lines)-1].Text })
	n := 0
	for n < len(lines) && n <= last && lines[len(lines)-1-n].Text == body[last-n].Text {
		n++
	}
	top := last + 1 - n
	if weights(body[top:last+1]) <= 6 || shared(d.Lines, body[:top]) > 0 {
		return nil, false
	}
	return row.Trim(body[last+1:]), true
}
