package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// The number of frames after a resize in which an agent may still be about to redraw its text:
// quiet ones on the main screen, any except repetitions on the alternate screen.
const (
	MainFrames = 3
	AltFrames  = 40
)

// resize is the state after a resize, until the agent has drawn its text for the new width. Until
// then the rows on the screen are torn: laid out for one width, and cut or wrapped for another.
// What leaves the main screen may be there twice.
type resize struct {
	wait  int       // number of frames in which the agent may still redraw; 0: none
	storm bool      // there were several resizes shortly after each other
	calm  *Document // the document before the first of them; nil if it was empty, or no agent drew on it
	over  bool      // the agent has redrawn its window since
}

// Resized records a resize, after which to wait for a number of frames.
func (d *Document) Resized(frames int) {
	z := &d.resize
	storm, calm := z.wait > 0, z.calm
	if !storm || z.over {
		calm = nil
	}
	if calm == nil && len(d.Lines) > 0 {
		calm = &Document{Lines: slices.Clone(d.Lines), Base: d.Base}
	}
	*z = resize{wait: frames, storm: storm, calm: calm}
}

// Waited records that one of these frames has been read.
func (d *Document) Waited() { d.resize.wait = max(0, d.resize.wait-1) }

// Resizing reports whether the window was resized recently.
func (d *Document) Resizing() bool { return d.resize.wait > 0 }

// Settle drops the earlier state of the document, because another part has begun.
func (d *Document) Settle() { d.resize.calm, d.resize.over = nil, false }

// storms reports whether there were several resizes shortly after each other, and the agent may not
// have drawn for the last of them.
func (z *resize) storms() bool { return z.wait > 0 && z.storm && z.calm != nil }

// Torn reports whether such resizes may have torn the rows of the document, and body is not yet the
// agent's window as drawn for the last of them. start is the first line of the agent's part.
func (d *Document) Torn(start int, body []row.Line) bool {
	if !d.resize.storms() || d.resize.over {
		return false
	}
	_, ok := d.restorable(start, body)
	return !ok
}

// Draw puts body, the window of an agent on the main screen, at its place. The agent may have
// redrawn all of it, because of a resize or from its top row, unless rows have just scrolled out.
// start is the first line of the agent's part.
func (d *Document) Draw(body []row.Line, start int, scrolled bool) {
	placed := PlacedScrolled
	switch {
	case d.restore(start, body):
		d.Left, d.resize.over = nil, true
		return
	case d.redrawn(start, body):
		d.Left = nil
		return
	case !scrolled && d.returned(body, start):
		placed = PlacedRedrawn
	}
	d.Advance(body)
	d.Placed = placed
}

// restore puts a window that was completely drawn since the last of several resizes below the lines
// from before them.
func (d *Document) restore(start int, body []row.Line) bool {
	p, ok := d.restorable(start, body)
	if !ok {
		return false
	}
	// Restore what is above first, so that lines that differ only in their width keep the old one
	// only there.
	d.replace(0, d.resize.calm.Lines[:p.at])
	d.rewrap(p, body)
	return true
}

// Cut reports whether the agent has drawn body for the width before a resize: the window's edge
// cuts a row of the document off, and the row below does not continue with what was cut.
func (d *Document) Cut(body []row.Line) bool {
	if d.resize.wait == 0 {
		return false
	}
	lines := d.Lines[d.near(body):]
	for i, l := range body[:len(body)-1] {
		if row.Extent(l.Row) < l.Cols-1 || weight(l) <= 1 { // rules are as wide as the window
			continue
		}
		for j := range len(lines) - 1 {
			was, rest := strings.CutPrefix(lines[j].Text, l.Text)
			if rest && was != "" && strings.HasPrefix(lines[j+1].Text, body[i+1].Text) {
				return true
			}
		}
	}
	return false
}

// rewrap puts body at p.
func (d *Document) rewrap(p spot, body []row.Line) {
	body = slices.Clone(body)
	begin := d.repair(p, body)
	d.replace(p.at, begin, body)
	d.Base, d.back, d.Placed = p.at+len(begin), 0, PlacedWrapped
}

// restorable finds such a window in the document from before those resizes.
func (d *Document) restorable(start int, body []row.Line) (p spot, ok bool) {
	z := &d.resize
	if !z.storms() || slices.ContainsFunc(body, func(l row.Line) bool { return l.Stale && l.Text != "" }) ||
		z.over && d.stays(d.Base, body) {
		return spot{}, false
	}
	p = z.calm.findRewrapped(body)
	return p, p.at >= start && p.goesOn
}

// redrawn puts a window at the place where the document has its text at another width.
func (d *Document) redrawn(start int, body []row.Line) bool {
	if d.resize.wait == 0 {
		return false
	}
	place := d.Base + len(d.Left)
	p := d.findRewrapped(body)
	if p.at <= start || p.at >= place || d.stays(place, body) { // not yet
		return false
	}
	d.rewrap(p, body)
	d.resize.wait = 0
	return true
}

// Rewrap finds the window's place again after the terminal has rewrapped its rows. start is the
// first line of a part of the document, which may move. It returns the new start.
func (d *Document) Rewrap(screen []row.Line, start int) int {
	body := row.Trim(screen)
	p, n := d.belowHole(body)
	if n == 0 {
		p = d.findRewrapped(body)
	}
	if p.at < 0 {
		return start
	}
	from := min(p.at, start)
	before := len(letters(d.Lines[from:min(start, len(d.Lines))]))
	d.rewrap(p, body[n:])
	d.Base, d.back = d.Base-n, n
	return skipLetters(d.Lines, from, before)
}

// belowHole returns how many rows of body, a rewrapped window, have come back from above lines that
// the terminal has dropped, because of SU, and the place of the row below them; 0 if there are
// none. The letters of those rows are in the document, but not directly above the window's former
// beginning.
func (d *Document) belowHole(body []row.Line) (p spot, n int) {
	top := min(d.Base+d.back, len(d.Lines))
	lo := max(0, top-1000)
	text, above, key := letters(body), letters(d.Lines[lo:top]), lettersFrom(d.Lines[top:], 100)
	at := strings.Index(text, key)
	if at < 0 || len(key) < 12 || strings.Contains(above+key, text[:at+len(key)]) { // nothing is missing
		return p, 0
	}
	shown := text[:at]
	for k := len(above); k > 0 && shown[at-1] == above[k-1]; k-- {
		at--
	}
	if !strings.Contains(above, shown[:at]) {
		return p, 0
	}
	n = skipLetters(body, 0, at)
	p.at = skipLetters(d.Lines, lo, len(above)-len(shown)+len(letters(body[:n])))
	if n > p.at || p.at == len(d.Lines) {
		return p, 0
	}
	p.line = d.Lines[p.at]
	return p, n
}
