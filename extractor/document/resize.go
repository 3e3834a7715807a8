package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// redrawFrames is for how many quiet frames after a resize an agent may still be about to redraw
// its text.
const redrawFrames = 3

// Resize follows an agent on the main screen from a resize on, until the agent has drawn its text
// for the new width. Until then the terminal's rows are torn, and what leaves the window may be
// there twice.
type Resize struct {
	wait  int // quiet frames in which the agent may still redraw; 0: nothing is awaited
	count int // resizes, one shortly after the other

	// The document as it was before the first of them, if one is kept.
	lines []row.Line
	base  int
	over  bool // the agent has drawn its window again since
}

// Begin notes a resize. inline reports whether an agent draws on d, the main screen.
func (z *Resize) Begin(d *Document, inline bool) {
	n := Resize{wait: redrawFrames, count: 1}
	if z.wait > 0 {
		n.count = z.count + 1
	}
	switch {
	case !inline:
	case z.wait == 0 || z.over || z.lines == nil:
		n.lines, n.base = slices.Clone(d.Lines), d.Base
	default:
		n.lines, n.base = z.lines, z.base
	}
	*z = n
}

// Quiet notes that a quiet frame has been read.
func (z *Resize) Quiet() { z.wait = max(0, z.wait-1) }

// Forget lets go of the document as it was: another one has begun.
func (z *Resize) Forget() { z.lines, z.over = nil, false }

// Storm reports whether several resizes came one shortly after the other, and the agent may not
// have drawn for the last of them.
func (z *Resize) Storm() bool { return z.wait > 0 && z.count > 1 }

// Torn reports whether such a storm may have torn the rows of the document.
func (z *Resize) Torn() bool { return z.Storm() && !z.over && z.lines != nil }

// Place finds the place of the window of an agent which has drawn it again since a resize, with its
// text wrapped at the new width. It returns the window's rows, and the lines above them where d has
// others there. left are the rows that have left the window: they are on d already if ok. start is
// the first line of the agent's part of d.
func (z *Resize) Place(d *Document, w *Window, start int, left, body []row.Line) (above, window []row.Line, ok bool) {
	if z.wait == 0 {
		return nil, nil, false
	}
	if above, window, ok = z.restore(d, w, start, body); ok {
		return above, window, true
	}
	window, ok = z.redrawn(d, start, left, body)
	return nil, window, ok
}

// Drawn reports whether Place would find a window of which all was drawn since the last of several
// resizes.
func (z *Resize) Drawn(d *Document, w *Window, start int, body []row.Line) bool {
	trial, on := *z, *d
	_, _, ok := trial.restore(&on, w, start, body)
	return ok
}

// restore finds the place of a window of which all was drawn since the last of several resizes. The
// lines above it are those from before.
func (z *Resize) restore(d *Document, w *Window, start int, body []row.Line) (above, window []row.Line, ok bool) {
	if z.count < 2 || len(body) == 0 || slices.ContainsFunc(body, w.stale) {
		return nil, nil, false
	}
	if z.over {
		if here, total := d.likeness(d.Base, body); here*2 >= total {
			return nil, nil, false
		}
	}
	at, window, ok := d.restore(Document{Lines: z.lines, Base: z.base}, start, body)
	if !ok {
		return nil, nil, false
	}
	z.over = true
	return z.lines[:at:at], window, true
}

// restore finds the place of body, a window, on calm, the document as it was before several
// resizes: not above line start. It returns the line and the window's rows.
func (d *Document) restore(calm Document, start int, body []row.Line) (at int, window []row.Line, ok bool) {
	window = slices.Clone(body)
	at, within, ok := calm.findRewrapped(window)
	if !ok || at < start || at >= len(calm.Lines) || !goesOn(calm.Lines[at:], within, body) {
		return 0, nil, false
	}
	calm.repair(at, within, window)
	d.repairAt, d.raw, d.repaired, d.Base = calm.repairAt, calm.raw, calm.repaired, at
	return at, window, true
}

// redrawn finds the place of a window whose text is on the document at another width.
func (z *Resize) redrawn(d *Document, start int, left, body []row.Line) (window []row.Line, ok bool) {
	place := d.Base + len(left)
	window = slices.Clone(body)
	at, within, ok := d.findRewrapped(window)
	if !ok || at <= start || at >= place {
		return nil, false
	}
	here, total := d.likeness(place, body)
	if there, _ := d.likeness(at, body); here*2 >= total && here >= there {
		return nil, false // not yet
	}
	d.repair(at, within, window)
	z.wait, d.Base = 0, at
	return window, true
}

// goesOn reports whether body begins as lines do, behind so many bytes of letters of the first.
func goesOn(lines []row.Line, within int, body []row.Line) bool {
	first := row.SkipBlank(body, 0)
	if first == len(body) {
		return false
	}
	key := row.Letters(body[first].Text)
	text := lettersFrom(lines, within+len(key))
	return within < len(text) && strings.HasPrefix(key, text[within:])
}

// Rewrap finds the window's place again after the terminal has rewrapped its rows. start is the
// first line of a part of the document, which may move.
func (d *Document) Rewrap(screen []row.Line, start int) int {
	body := slices.Clone(row.Trim(screen))
	at, within, ok := d.findRewrapped(body)
	if !ok {
		return start
	}
	if body[0].Wrapped && within == 0 && at > 0 {
		at--
		within = row.LettersLen(d.Lines[at].Text)
	}
	before := len(letters(d.Lines[min(at, start):min(start, len(d.Lines))]))
	if body[0].Wrapped && within > 0 {
		d.Base = at + 1
		d.replace(at, []row.Line{d.cutAt(at, within, body[0])}, body)
	} else {
		d.repair(at, within, body)
		d.Base = at
		d.replace(at, body)
	}
	if start > at {
		start = skipLetters(d.Lines, at, before)
	}
	return start
}
