package extractor

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// rewrap finds the window's place on the tape again after the terminal has rewrapped its rows.
func (r *Reader) rewrap(screen []row.Line) {
	t := &r.main
	body := append([]row.Line(nil), screen[:len(row.Trim(screen))]...)
	at, within, ok := t.findRewrapped(body)
	if !ok {
		return
	}
	if body[0].Wrapped && within == 0 && at > 0 {
		at--
		within = len(row.Letters(t.lines[at].Text))
	}
	before := lettersBetween(t.lines, at, r.seg.start)
	if body[0].Wrapped && within > 0 {
		t.base = at + 1
		t.replace(at, []row.Line{t.cutAt(at, within, body[0])}, body)
	} else {
		t.join(at, within, body)
		t.base = at
		t.replace(at, body)
	}
	if r.seg.start > at {
		r.seg.start = skipLetters(t.lines, at, before)
	}
}

// redrawFrames is for how many quiet frames after a resize an agent may still be about to redraw
// its text.
const redrawFrames = 3

// redrawn finds the place of a window that an agent redrew after a resize, with its text wrapped at
// the new width: what left the window above it is on the tape already.
func (r *Reader) redrawn(left, body *[]row.Line) bool {
	place := r.main.base + len(*left)
	rewrapped := append([]row.Line(nil), *body...)
	at, within, ok := r.main.findRewrapped(rewrapped)
	if !ok || at <= r.seg.start || at >= place {
		return false
	}
	here, total := r.main.likeness(place, *body)
	if there, _ := r.main.likeness(at, *body); here*2 >= total && here >= there {
		return false // not yet
	}
	r.main.join(at, within, rewrapped)
	r.resized, r.main.base = 0, at
	*left, *body = nil, rewrapped
	return true
}

// calm is the tape of an agent on the main screen as it was before a resize. Until the agent has
// drawn all its window again, the terminal's rows are torn, and what leaves the window may be there
// twice.
type calm struct {
	lines []row.Line
	base  int
	tape  int  // of the segment; 0: none
	over  bool // the agent has drawn its window again since

	resizes int // one shortly after the other
}

// note keeps the tape, unless the agent has not yet drawn its window again since an earlier resize.
func (c *calm) note(r *Reader) {
	n := c.resizes + 1
	if r.resized == 0 {
		n = 1
	}
	switch {
	case r.seg.agent == nil || r.seg.alt:
		*c = calm{}
	case r.resized == 0 || c.over || c.tape != r.seg.tape:
		*c = calm{lines: slices.Clone(r.main.lines), base: r.main.base, tape: r.seg.tape}
	}
	c.resizes = n
}

// restore finds the place of a window of which all was drawn since the last of several resizes. The
// lines above it are those from before.
func (c *calm) restore(r *Reader, above, body *[]row.Line) bool {
	if c.resizes < 2 || c.tape != r.seg.tape || len(*body) == 0 || slices.ContainsFunc(*body, r.stale) {
		return false
	}
	if c.over {
		if here, total := r.main.likeness(r.main.base, *body); here*2 >= total {
			return false
		}
	}
	t := tape{lines: c.lines, base: c.base}
	rewrapped := slices.Clone(*body)
	at, within, ok := t.findRewrapped(rewrapped)
	if !ok || at < r.seg.start || at >= len(c.lines) || !goesOn(c.lines[at:], within, *body) {
		return false
	}
	t.join(at, within, rewrapped)
	r.main.mendAt, r.main.raw, r.main.mended = t.mendAt, t.raw, t.mended
	c.over, r.main.base = true, at
	*above, *body = c.lines[:at:at], rewrapped
	return true
}

// stale reports whether a row has not been drawn since the last resize.
func (r *Reader) stale(l row.Line) bool {
	_, old := r.drawn[l.Row]
	return old && l.Text != ""
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
