package extractor

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// readAlt reads a frame of the alternate screen, where nothing scrolls back: what left the window
// exists only in the frames that went by.
func (r *Reader) readAlt(f Frame) {
	if f.Resized {
		r.cut.Note(f.Lines, f.Cols)
		r.storm.Begin(&r.alt)
		r.trace.skip("the window was just resized")
		return
	}
	if r.cut.Remain(f.Lines, f.Cols, f.Settled) {
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
	body := talk(s, sp)
	if body == nil {
		r.trace.unreadable(sp)
		if sp.State == chat.StateAsking {
			r.state(sp)
		}
		return
	}
	r.trace.split(sp, sp.Top+len(body))
	if sp.Right > 0 {
		body = r.beside.cut(body, sp.Right)
	}
	if r.cleared(body) {
		r.flush(&r.alt, len(r.alt.Lines))
		r.alt, r.storm = document.Document{}, document.Storm{}
		r.reopen(r.seg.agent, true, 0)
	}
	if !sp.Scrolled {
		r.change(&r.alt, func() { r.storm.Align(&r.alt, body) })
	}
	r.seg.state, r.seg.chrome = sp.State, true
	r.read(&r.alt, f.Settled)
	r.state(sp)
}

// startAlt notices an agent on the alternate screen: by its banner, or, where a recording begins in
// the middle, by its chrome below a prompt of the user's.
func (r *Reader) startAlt(s chat.Screen, settled bool) bool {
	p, b, at, _ := r.banner(s.Lines)
	if p == nil && settled {
		p, at = talking(s), -1
	}
	if p == nil {
		return false
	}
	r.alt, r.storm = document.Document{}, document.Storm{}
	if at < 0 {
		r.alt.Late()
	}
	r.enter(p, b, true, 0)
	return true
}

// goesOn returns the agent on the main screen whose conversation began before the recording: no
// shell and no agent was seen before. What a program drew with the cursor put on single cells may
// lack those that were there already, except for rows that have scrolled.
func (r *Reader) goesOn(s chat.Screen, f Frame) *Profile {
	if !f.Settled || r.Seen() || f.Placed && r.main.Base == 0 {
		return nil
	}
	return talking(s)
}

// talking returns the agent whose screen this is, in the middle of a conversation, or nil.
func talking(s chat.Screen) *Profile {
	i := slices.IndexFunc(profiles, func(p *Profile) bool { return talks(p, s) })
	if i < 0 {
		return nil
	}
	return profiles[i]
}

// talks reports whether the screen is an agent's, in the middle of a conversation.
func talks(p *Profile, s chat.Screen) bool {
	body := talk(s, p.Split(s))
	return body != nil && slices.ContainsFunc(p.Parse(body, true), func(it chat.Item) bool { return it.Role == session.RoleUser })
}

// talk returns the rows of a screen that hold the conversation; nil if it shows none.
func talk(s chat.Screen, sp chat.Split) []row.Line {
	if !sp.OK || sp.Overlay || sp.Bottom <= sp.Top {
		return nil
	}
	return s.Lines[sp.Top:min(sp.Bottom, len(s.Lines))]
}

// cleared reports whether the window shows the agent's banner and nothing of what stood on the
// document below it.
func (r *Reader) cleared(body []row.Line) bool {
	d, s := &r.alt, &r.seg
	if len(s.items) == 0 || len(d.Lines) == 0 {
		return false
	}
	for at := range min(3, len(body)) {
		if _, n := s.agent.Banner(body[at:]); n > 0 {
			return !d.Shares(s.items[0].First, body[min(len(body), at+n):])
		}
	}
	return false
}

// leaveAlt reads the main screen's first frames after an agent's alternate one. It returns false
// where the frame has been dealt with: nothing is printed yet, and more may come.
func (r *Reader) leaveAlt(f *Frame) bool {
	p := r.seg.agent
	if p == nil || !p.Farewell {
		r.leave()
		r.open(nil, false, len(r.main.Lines))
		return true
	}
	s := r.screen(*f)
	if f.Wiped {
		r.main, r.left, f.Wiped = document.Document{}, nil, false
	}
	r.left = append(r.left, r.scrolled(*f)...)
	end := len(row.Trim(s.Lines))
	q, _, at, _ := r.banner(slices.Concat(r.left, s.Lines[:end]))
	switch {
	case q == p:
		from := r.main.Base
		r.main.Advance(r.left, s.Lines[:end])
		r.left = nil
		r.reopen(p, false, from+at)
		r.main.Dirty = min(r.main.Dirty, from+at)
		r.readInline(s, nil, end, false, f.Settled)
		return false
	case f.Settled || len(r.left) > maxLeft || r.promptAt(s, end):
		r.leave()
		r.open(nil, false, len(r.main.Lines))
		f.History = nil
		return true
	}
	return false
}
