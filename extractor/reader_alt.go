package extractor

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// maxAltScrolled is the maximum number of rows to keep that have scrolled off the alternate screen.
const maxAltScrolled = 256

// readAlt reads a frame of the alternate screen. It has no scrollback: what has left the window
// exists only in earlier frames, and in the rows that a program has scrolled off it.
func (r *Reader) readAlt(f Frame) {
	if f.Resized {
		r.lag.Resized()
		r.alt.Resized(document.AltFrames)
		r.altScrolled = nil
		r.trace.Skipped = "the window was just resized"
		return
	}
	for _, rw := range f.AltScrolled {
		r.altScrolled = append(r.altScrolled, r.window.Line(rw))
	}
	r.altScrolled = r.altScrolled[max(0, len(r.altScrolled)-maxAltScrolled):]
	s := r.screen(f)
	if r.lag.Behind(s.Lines, f.Cols, f.Settled) {
		r.trace.Skipped = "the agent has not drawn for the new size yet"
		r.skip(s)
		return
	}
	switch {
	case r.seg.agent != noAgent && !r.seg.alt:
		r.trace.Skipped = "another program covers the agent, which draws on the main screen"
		return
	case r.readMux(s, f.Settled):
		return
	case r.seg.agent == noAgent && !r.startAlt(s):
		p := r.answers(s, f.Settled)
		if p == nil {
			r.trace.Skipped = "no known agent is on the alternate screen"
			r.stranger(s, f.Settled)
			return
		}
		r.beginAlt(p, chat.Banner{}, 0, false)
	}
	r.readDrawn(s, f.Settled)
}

// readDrawn reads a frame of an agent on the alternate screen.
func (r *Reader) readDrawn(s chat.Screen, settled bool) {
	r.look(s, settled)
	sp := r.split(s)
	r.narrows(s, sp)
	rows := talk(s, sp)
	body := r.alt.Own(rows)
	if len(body) == 0 {
		r.readEmpty(s, sp, settled)
		return
	}
	end := sp.Top + len(rows)
	top := end - len(body)
	body = r.beside(body, sp)
	if r.halfDrawn(s, sp.State, end, settled) {
		r.trace.Skipped = drawing
		if r.alt.Meets(body) {
			r.held = slices.Clone(body)
		}
		return
	}
	r.trace.split(sp, top, end)
	if r.alt.Cut(body) {
		r.trace.Skipped = "the agent has not laid out its text for the new size yet"
		r.alt.Waited()
		return
	}
	body = r.atRest(body)
	back := r.looksBack(body, sp)
	if r.pinned(body) {
		back, body = true, body[1:]
	}
	if back {
		r.change(&r.alt, func() { r.alt.Extend(body) })
	} else {
		if r.held != nil && !r.alt.Meets(body) && !finishes(body, r.held, r.alt.Lines[r.alt.Base:]) {
			// These rows were on the screen only then.
			r.change(&r.alt, func() { r.alt.Align(r.held) })
		}
		r.change(&r.alt, func() {
			r.alt.Bridge(r.skipped, r.beside(r.wentBy(), sp), body)
			r.alt.Align(body)
			r.again()
		})
	}
	r.held, r.altScrolled, r.skipped, r.seg.blank = nil, nil, nil, false
	r.chrome = append(r.chrome[:0], s.Lines[end:]...)
	r.seg.state, r.seg.chrome = sp.State, true
	r.read(&r.alt, settled)
	if len(r.seg.items) == 0 && sp.State == chat.StateIdle {
		if r.seg.welcomed {
			r.judgeWipe() // the next input may arrive before the screen is quiet
		}
		r.seg.welcomed = true
	}
	r.state(sp)
}

// minPanel is how many columns what an agent shows beside the conversation has at least. A scroll
// bar has fewer.
const minPanel = 4

// narrows notices that an agent has opened or closed something beside the conversation, and lays
// out its text for another width, as after a resize.
func (r *Reader) narrows(s chat.Screen, sp chat.Split) {
	if !sp.OK || sp.Overlay || len(s.Lines) == 0 {
		return
	}
	beside := 0
	if cols := s.Lines[0].Cols; sp.Right > 0 && cols-sp.Right >= minPanel {
		beside = cols - sp.Right
	}
	if beside != r.seg.panel {
		r.seg.panel = beside
		r.alt.Resized(document.AltFrames)
		r.altScrolled = nil
	}
}

// atRest returns body with the welcome as it was at the first message. Its logo may move, and then
// the window would not match the document.
func (r *Reader) atRest(body []row.Line) []row.Line {
	for at := range min(3, len(body)) {
		_, says, n := r.bannerOn(body[at:])
		if n == 0 {
			continue
		}
		rows := body[at : at+n]
		first := r.seg.welcome
		if len(r.seg.items) == 0 || len(first) != n || first[0].Cols != rows[0].Cols {
			r.seg.welcome = slices.Clone(rows)
			return body
		}
		if _, was, _ := r.bannerOn(first); was != says ||
			slices.EqualFunc(rows, first, func(a, b row.Line) bool { return a.Row == b.Row }) {
			return body
		}
		return slices.Concat(body[:at], first, body[at+n:])
	}
	return body
}

// readEmpty reads a frame of an agent on the alternate screen without a conversation.
func (r *Reader) readEmpty(s chat.Screen, sp chat.Split, settled bool) {
	r.trace.Skipped = unreadable(sp)
	if sp.Overlay { // it may be the only frame with the rows that scrolled by under it
		r.keep(withoutStamps(s.Lines[:sp.Bottom]))
	}
	if !sp.Overlay && sp.State == chat.StateIdle && len(r.seg.items) > 0 && mostlyBlank(s.Lines) {
		r.seg.blank = true
		if settled {
			r.trace.Skipped = "nothing is left of the conversation, not even a welcome: it was cleared"
			r.startOver()
			r.judgeWipe()
			r.seg.emptied = true
		}
	}
	r.state(sp)
}

// withoutStamps returns rows in which those are blank that an overlay has at its right edge, such
// as times.
func withoutStamps(rows []row.Line) []row.Line {
	rows = slices.Clone(rows)
	for i, l := range rows {
		if row.Indent(l.Text) > l.Cols/2 {
			rows[i].Row = &vterm.Row{}
		}
	}
	return rows[row.Run(rows, row.Blank):]
}

// looksBack reports whether body, a window, does not show the end of the text, because the user has
// scrolled back, or a menu or dialog leaves no space for it. If body shows that the conversation
// was cleared, it begins another document.
func (r *Reader) looksBack(body []row.Line, sp chat.Split) bool {
	below, ok := r.belowBanner(body)
	unlike := func(rows []row.Line) bool { return !r.alt.Shares(r.seg.items[0].First, rows) }
	switch {
	case sp.Scrolled, sp.State == chat.StateAsking && len(row.Trim(body)) < 3 && !r.alt.Meets(body):
		return true
	case r.seg.blank && len(r.seg.items) > 0 && !r.alt.Resizing() && unlike(body): // cleared without a welcome
		r.startOver()
	case !ok:
	case len(below) <= 1 && r.alt.Placed == document.PlacedLookBack:
		return true
	case unlike(below):
		r.startOver()
	}
	return false
}

// wentBy returns the text that has scrolled off the top of the window since the last frame that was
// read. It ignores a multiplexer that scrolls away the whole window, including the chrome, and
// redraws it.
func (r *Reader) wentBy() []row.Line {
	from, blank := 0, 0
	for i, l := range r.altScrolled {
		blank++
		if row.Filled(l) {
			blank = 0
		}
		chrome := strings.ContainsFunc(l.Text, unicode.IsLetter) &&
			slices.ContainsFunc(r.chrome, func(c row.Line) bool { return c.Text == l.Text })
		if blank > 2 || chrome {
			from = i + 1
		}
	}
	return r.altScrolled[from:]
}

// finishes reports whether body continues the first text of an incomplete frame: that text begins
// as body does there, and ends like a row of the window that was shown before, with the same width.
// The rows below it were older.
func finishes(body, held, shown []row.Line) bool {
	i := row.SkipBlank(held, 0)
	if i >= min(len(body), len(held)) {
		return false
	}
	drawn := row.CommonStart(body[i].Text, held[i].Text)
	rest := held[i].Text[len(drawn):]
	return rest == "" || strings.TrimSpace(drawn) != "" && slices.ContainsFunc(shown, func(l row.Line) bool {
		return strings.HasSuffix(l.Text, rest) && row.Width(l.Text) == row.Width(held[i].Text)
	})
}

// mostlyBlank reports whether most rows of a screen are blank, as after a clear. If a long prompt
// or a menu leaves no space for the conversation, the screen is full.
func mostlyBlank(lines []row.Line) bool {
	filled := 0
	for _, l := range lines {
		if row.Filled(l) {
			filled++
		}
	}
	return 2*filled < len(lines)
}

// startOver begins a new document of an agent, because nothing of the old one is left on the
// screen.
func (r *Reader) startOver() {
	r.flush(math.MaxInt)
	var first string
	if i := slices.IndexFunc(r.seg.items, func(it chat.Item) bool { return it.Role == session.RoleUser }); i >= 0 &&
		r.seg.past == 0 {
		first = words(r.seg.items[i].Text)
	}
	r.alt.Clear()
	r.reopen(r.seg.agent, true, 0)
	r.seg.first = first
}

// pinned reports whether a prompt is pinned above the rows of a window. Claude Code pins it when
// the user scrolls back. Near the end nothing else shows that, and rows are missing there.
func (r *Reader) pinned(body []row.Line) bool {
	return slices.ContainsFunc(r.seg.items, func(it chat.Item) bool {
		return it.Role == session.RoleUser && it.First < len(r.alt.Lines) && r.alt.Lines[it.First].Text == body[0].Text
	}) && r.alt.Pinned(body)
}

// cutRow is a row without the columns from a scroll bar on.
type cutRow struct {
	*vterm.Row
	cols int
}

// upTo returns the columns of lines up to a scroll bar, or up to other things beside the
// conversation. It reuses the results for rows of the previous frame, so that they are the same
// lines.
func (r *Reader) upTo(lines []row.Line, cols int) []row.Line {
	r.cutRows[0], r.cutRows[1] = r.cutRows[1], r.cutRows[0]
	clear(r.cutRows[0])
	body := make([]row.Line, len(lines))
	for i, l := range lines {
		key := cutRow{l.Row, cols}
		cut, ok := r.cutRows[1][key]
		if !ok {
			if cut = l; !textAt(l, cols) {
				cut = row.CutLine(l, 0, cols)
			}
		}
		r.cutRows[0][key], body[i] = cut, cut
	}
	return body
}

// beside returns rows of the conversation without what is beside it.
func (r *Reader) beside(rows []row.Line, sp chat.Split) []row.Line {
	if sp.Right > 0 {
		return r.upTo(rows, sp.Right)
	}
	return rows
}

// textAt reports whether a row has text in its last column, if that is column col, where a scroll
// bar would be: a symbol of category So. An agent on the main screen inside a terminal multiplexer
// has no scroll bar: only the multiplexer itself is on the alternate screen.
func textAt(l row.Line, col int) bool {
	last, _ := utf8.DecodeLastRuneInString(l.Text)
	return col == l.Cols-1 && row.Extent(l.Row) == l.Cols && !unicode.Is(unicode.So, last)
}
