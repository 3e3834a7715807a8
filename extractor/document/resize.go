package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// For so many frames after a resize an agent may still be about to redraw its text: quiet ones on
// the main screen, any on the alternate screen.
const (
	MainFrames = 3
	AltFrames  = 40
)

// Resize follows an agent from a resize on, until the agent has drawn its text for the new width.
// Until then the rows on the screen are torn: laid out for one width, and cut or wrapped for
// another. What leaves the main screen may be there twice.
type Resize struct {
	wait  int // frames in which the agent may still redraw; 0: nothing is awaited
	count int // resizes, one shortly after the other

	calm Document // as it was before the first of them, without lines if no agent drew on it
	over bool     // the agent has drawn its window again since
}

// Begin notes a resize, after which to wait for so many frames. drawn reports whether an agent
// draws on d.
func (z *Resize) Begin(d *Document, drawn bool, frames int) {
	if z.wait == 0 {
		z.count, z.calm = 0, Document{}
	}
	switch {
	case !drawn:
		z.calm = Document{}
	case z.over || z.calm.Lines == nil:
		z.calm = Document{Lines: slices.Clone(d.Lines), Base: d.Base}
	}
	z.wait, z.count, z.over = frames, z.count+1, false
}

// Next notes that one of these frames has been read.
func (z *Resize) Next() { z.wait = max(0, z.wait-1) }

// Forget lets go of the document as it was: another one has begun.
func (z *Resize) Forget() { z.calm, z.over = Document{}, false }

// Storm reports whether several resizes came one shortly after the other, and the agent may not
// have drawn for the last of them.
func (z *Resize) Storm() bool { return z.wait > 0 && z.count > 1 }

// Torn reports whether such a storm may have torn the rows of the document.
func (z *Resize) Torn() bool { return z.Storm() && !z.over && z.calm.Lines != nil }

// Place finds the place of the window of an agent which has drawn it again since a resize, with its
// text wrapped at the new width. It returns the window's rows, and the lines above them where d has
// others there. left are the rows that have left the window: they are on d already if ok. start is
// the first line of the agent's part of d.
func (z *Resize) Place(d *Document, w *Window, start int, left, body []row.Line) (above, window []row.Line, ok bool) {
	if z.wait == 0 {
		return nil, nil, false
	}
	if above, window, ok = z.restore(d, w, start, body); ok {
		z.over = true
		return above, window, true
	}
	window, ok = z.redrawn(d, start, left, body)
	return nil, window, ok
}

// Align puts body, the window of an alternate screen, where it belongs on d, and drops what was
// torn since the first of several resizes.
func (z *Resize) Align(d *Document, w *Window, body []row.Line) {
	if above, window, ok := z.restore(d, w, 0, body); ok {
		d.Placed = PlacedWrapped
		d.replace(0, above, window)
		return
	}
	d.Align(body, z.wait > 0)
}

// restore finds the place of a window of which all was drawn since the last of several resizes, and
// makes it d's. The lines above it are those from before.
func (z *Resize) restore(d *Document, w *Window, start int, body []row.Line) (above, window []row.Line, ok bool) {
	at, within, ok := z.find(d, w, start, body)
	if !ok {
		return nil, nil, false
	}
	window = slices.Clone(body)
	d.repair(at, z.calm.Lines[at], within, window)
	d.Base = at
	return z.calm.Lines[:at:at], window, true
}

// Drawn reports whether Place would find a window of which all was drawn since the last of several
// resizes.
func (z *Resize) Drawn(d *Document, w *Window, start int, body []row.Line) bool {
	_, _, ok := z.find(d, w, start, body)
	return ok
}

// find finds such a window on the document as it was before those resizes.
func (z *Resize) find(d *Document, w *Window, start int, body []row.Line) (at, within int, ok bool) {
	if !z.Storm() || slices.ContainsFunc(body, w.stale) {
		return 0, 0, false
	}
	if z.over {
		if here, total := d.likeness(d.Base, body); here*2 >= total {
			return 0, 0, false
		}
	}
	at, within, ok = z.calm.findRewrapped(body)
	return at, within, ok && at >= start && goesOn(z.calm.Lines[at:], within, body)
}

// redrawn finds the place of a window whose text is on the document at another width.
func (z *Resize) redrawn(d *Document, start int, left, body []row.Line) (window []row.Line, ok bool) {
	place := d.Base + len(left)
	at, within, _ := d.findRewrapped(body)
	here, total := d.likeness(place, body)
	if at <= start || at >= place || here*2 >= total { // not yet
		return nil, false
	}
	window = slices.Clone(body)
	d.repair(at, d.Lines[at], within, window)
	z.wait, d.Base = 0, at
	return window, true
}

// goesOn reports whether body begins as lines do, behind so many bytes of letters of the first.
func goesOn(lines []row.Line, within int, body []row.Line) bool {
	key := row.Letters(body[row.SkipBlank(body, 0)].Text)
	return strings.HasPrefix(key, lettersFrom(lines, within+len(key))[within:])
}

// Rewrap finds the window's place again after the terminal has rewrapped its rows. start is the
// first line of a part of the document, which may move.
func (d *Document) Rewrap(screen []row.Line, start int) int {
	body := slices.Clone(row.Trim(screen))
	at, within, ok := d.findRewrapped(body)
	if !ok {
		return start
	}
	before := len(letters(d.Lines[min(at, start):min(start, len(d.Lines))]))
	var begin []row.Line
	if body[0].Wrapped && within > 0 {
		begin = []row.Line{cutAt(d.Lines[at], within, body[0])}
	} else {
		d.repair(at, d.Lines[at], within, body)
	}
	d.replace(at, begin, body)
	d.Base = at + len(begin)
	return skipLetters(d.Lines, min(at, start), before)
}
