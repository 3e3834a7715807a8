package extractor

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// startAlt detects an agent on the alternate screen: by its banner or, if that was never on the
// screen, by its chrome below a prompt.
func (r *Reader) startAlt(s chat.Screen) bool {
	p, b, _, _ := r.banner(s.Lines)
	if p != nil && !lives(p, s) {
		return false
	}
	late := p == nil
	if late {
		p = r.talking(s)
	}
	if p == nil {
		return false
	}
	r.beginAlt(p, b, 0, late)
	return true
}

// beginAlt begins a run of an agent on the alternate screen, at a row. late means that the
// beginning was never on the screen.
func (r *Reader) beginAlt(p *Profile, b chat.Banner, y int, late bool) {
	if r.inMux() { // it was started by its shell
		r.finishMux()
	} else if r.seg.agent == noAgent {
		if v := r.shell.Started(&r.main); v != nil && len(v.Items) > 0 {
			r.showCommands(v)
		}
	}
	r.enter(p, b, true, y)
	r.alt = document.Document{}
	if late {
		r.alt.Late()
	}
}

// goesOn returns the agent on the main screen whose conversation began before the recording: no
// shell and no agent was seen before. Output of a program that positions the cursor on single cells
// may lack cells that were already there, except in rows that have scrolled.
func (r *Reader) goesOn(s chat.Screen, f Frame) *Profile {
	if !f.Settled || r.Seen() || f.Placed && r.main.Base == 0 {
		return nil
	}
	return r.talking(s)
}

// talking returns the agent whose screen this is, in the middle of a conversation, or nil.
func (r *Reader) talking(s chat.Screen) *Profile {
	for _, p := range r.profiles {
		if talks(p, talk(s, p.Split(s))) && lives(p, s) {
			return p
		}
	}
	return nil
}

// lives reports whether an agent is on the screen, and not output of another program: its input is
// there, and the cursor is not after the last text, where a shell or a pager waits. Colours show
// the same.
func lives(p *Profile, s chat.Screen) bool {
	return !p.Mono || p.Split(s).OK && (!s.CursorVisible || s.CursorY+1 < len(row.Trim(s.Lines)))
}

// talks reports whether rows belong to a conversation with an agent.
func talks(p *Profile, rows []row.Line) bool {
	items := p.Parse(rows)
	return slices.ContainsFunc(items, func(it chat.Item) bool { return it.Role == session.RoleUser })
}

// talk returns the rows of a screen with the conversation, if there is one.
func talk(s chat.Screen, sp chat.Split) []row.Line {
	if sp.Overlay {
		return nil
	}
	return s.Lines[sp.Top:max(sp.Top, min(sp.Bottom, len(s.Lines)))]
}

// belowBanner returns what is below the agent's welcome in a window, or below a command that
// clears, which has at most one row of output. ok is false if there is neither, or nothing was said
// before. Of a welcome that is too tall for the window, only the last rows are there.
func (r *Reader) belowBanner(body []row.Line) (below []row.Line, ok bool) {
	if len(r.seg.items) == 0 {
		return nil, false
	}
	for at := range min(3, len(body)) {
		if p, _, n := r.bannerOn(body[at:]); p == r.seg.agent {
			return row.Trim(body[at+n:]), true
		}
	}
	if at := row.SkipBlank(body, 0); at >= len(body)-2 && at < len(body) && r.seg.agent.clears(body[at]) {
		return body[at+1:], true
	}
	return r.alt.BelowEnd(r.seg.start, r.seg.items[0].First, body)
}

// leaveAlt reads the main screen's first frames after an agent's alternate one. It returns false if
// the frame is finished: nothing is printed yet, and more may follow.
func (r *Reader) leaveAlt(f *Frame) bool {
	if p := r.seg.agent; p.Farewell {
		s := r.screen(*f)
		r.main.Left = append(r.main.Left, r.scrolled(*f)...)
		f.History = nil
		end := len(row.Trim(s.Lines))
		if q, _, at, _ := r.banner(slices.Concat(r.main.Left, s.Lines[:end])); q == p {
			at += r.main.Base
			r.main.Advance(s.Lines[:end])
			r.reopen(p, false, at)
			r.main.Dirty = min(r.main.Dirty, at)
			r.readInline(s, end, false, f.Settled)
			return false
		}
		if !f.Settled && len(r.main.Left) <= maxLeft && !r.promptAt(s, end) {
			return false
		}
	}
	r.leave()
	r.open(noAgent, false, len(row.Trim(r.main.Lines)))
	return true
}
