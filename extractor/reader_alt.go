package extractor

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// readAlt reads a frame of the alternate screen, where nothing scrolls back: what left the window
// exists only in the frames that went by.
func (r *Reader) readAlt(f Frame) {
	if f.Resized {
		r.cut.note(f.Lines, f.Cols)
		r.trace.skip("the window was just resized")
		return
	}
	if r.cut.remain(f.Lines, f.Cols, f.Settled) {
		r.trace.skip("the agent has not drawn for the new size yet")
		return
	}
	s := r.screen(f)
	if r.seg.agent != nil && !r.seg.alt {
		r.trace.skip("another program covers the agent, which draws on the main screen")
		return
	}
	if r.seg.agent == nil && !r.startAlt(s, f.Settled) {
		r.trace.skip("no known agent is on the alternate screen")
		r.stranger(s, f.Settled)
		return
	}
	sp := r.split(s)
	if !sp.OK || sp.Overlay || sp.Bottom <= sp.Top {
		r.trace.unreadable(sp)
		if sp.State == chat.StateAsking {
			r.state(sp)
		}
		return
	}
	body := s.Lines[sp.Top:min(sp.Bottom, len(s.Lines))]
	r.trace.split(sp, sp.Top+len(body))
	if sp.Right > 0 {
		body = row.CutLines(body, 0, sp.Right)
	}
	if r.cleared(body) {
		r.flush(&r.alt, len(r.alt.lines))
		r.alt = tape{}
		r.reopen(r.seg.agent, true, 0)
	}
	if !sp.Scrolled {
		r.change(&r.alt, func() { r.alt.stitch(body) })
	}
	r.seg.state = sp.State
	r.read(&r.alt, f.Settled)
	r.state(sp)
}

// cutRows are the rows of the alternate screen that a resize cut off at the new edge: until the
// agent has redrawn them, which a busy machine may delay, they say less than what is known. An
// agent that is behind a storm of resizes also draws whole frames for a width that is over.
type cutRows struct {
	rows    map[string]bool
	resized bool // and nothing was read since
	fills   bool // before, the agent's lowest rule went from edge to edge
	quiet   int  // frames that were quiet since
}

// note remembers the rows that reach to the edge just after a resize, and those that an earlier one
// cut off. Rules reach it again, cut or not.
func (c *cutRows) note(rows []*vterm.Row, cols int) {
	before := c.rows
	*c = cutRows{rows: map[string]bool{}, resized: true, fills: c.fills}
	for _, r := range rows {
		if before[r.Text] || row.Extent(r) >= cols && strings.Trim(r.Text, "─━═▀▄▁▔_ ") != "" {
			c.rows[r.Text] = true
		}
	}
}

// remain reports whether most of them are still there, or the frame was drawn for another width. An
// agent that is quiet for long has redrawn.
func (c *cutRows) remain(rows []*vterm.Row, cols int, settled bool) bool {
	rule := lowestRule(rows)
	fills := rule == cols || rule == 0 && c.fills
	drawn := rule == cols || rule == 0 && settled || !c.fills
	if !c.resized {
		c.fills = fills
		return false
	}
	n := 0
	for _, row := range rows {
		if c.rows[row.Text] {
			n++
		}
	}
	if settled {
		c.quiet++
	}
	if n*2 <= len(c.rows) && drawn || c.quiet > 2 {
		*c = cutRows{fills: fills}
		return false
	}
	return true
}

// lowestRule returns the width of the lowest row that is a rule from the left edge on, or 0.
func lowestRule(rows []*vterm.Row) int {
	for _, r := range slices.Backward(rows) {
		if row.IsRule(r.Text) {
			return row.Extent(r)
		}
	}
	return 0
}

// startAlt notices an agent on the alternate screen: by its banner, or, where a recording begins in
// the middle, by its chrome below a prompt of the user's.
func (r *Reader) startAlt(s chat.Screen, settled bool) bool {
	p, b, _, _ := r.banner(s.Lines)
	for _, q := range profiles {
		if p == nil && settled && talks(q, s) {
			p = q
		}
	}
	if p == nil {
		return false
	}
	r.alt = tape{}
	r.enter(p, b, true, 0)
	return true
}

// talks reports whether the screen is an agent's, in the middle of a conversation.
func talks(p *Profile, s chat.Screen) bool {
	sp := p.Split(s)
	if !sp.OK || sp.Overlay || sp.Bottom <= sp.Top {
		return false
	}
	for _, it := range p.Parse(s.Lines[sp.Top:min(sp.Bottom, len(s.Lines))], true) {
		if it.Role == session.RoleUser {
			return true
		}
	}
	return false
}

// cleared reports whether the window shows the agent's banner and nothing of what stood on the tape
// below it.
func (r *Reader) cleared(body []row.Line) bool {
	t, s := &r.alt, &r.seg
	if len(s.items) == 0 || len(t.lines) == 0 {
		return false
	}
	at, n := 0, 0
	for at < len(body) && at < 3 && n == 0 {
		if _, n = s.agent.Banner(body[at:]); n == 0 {
			at++
		}
	}
	if n == 0 {
		return false
	}
	old := map[string]bool{}
	for _, l := range t.lines[min(len(t.lines), s.items[0].First):] {
		old[l.Text] = true
	}
	for _, l := range body[min(len(body), at+n):] {
		if weight(l) > 4 && old[l.Text] {
			return false
		}
	}
	return true
}
