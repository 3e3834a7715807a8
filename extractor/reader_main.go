package extractor

import (
	"math"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// readMain reads a frame of the main screen: the shell, and agents that draw into the scrolling
// text.
func (r *Reader) readMain(f Frame) {
	if r.seg.alt && !r.leaveAlt(&f) {
		return
	}
	if f.Wiped {
		r.wipe()
	}
	s := r.screen(f)
	if f.Resized {
		r.main.Resized(document.MainFrames)
		start := &r.seg.start
		if r.seg.agent == noAgent {
			start = &r.shell.Start
		}
		*start = r.main.Rewrap(s.Lines, *start)
		r.trace.Skipped = "the window was just resized"
		return
	}
	scrolled := r.scrolled(f)
	r.main.Left = append(r.main.Left, scrolled...)
	end := len(row.Trim(s.Lines))
	if r.seg.agent != noAgent {
		switch {
		case f.Torn:
			r.wait()
			r.trace.Skipped = "so much has scrolled out that the screen may be half drawn"
			return
		case !r.promptAt(s, end):
			r.readInline(s, end, len(scrolled) > 0, f.Settled)
			return
		}
		r.leaveFor(s, end)
	}
	r.readShell(s, max(end, s.CursorY+1), f)
}

// leaveFor ends the run of an agent when the shell waits for a command again.
func (r *Reader) leaveFor(s chat.Screen, end int) {
	r.flush(math.MaxInt)
	left := len(r.main.Left)
	r.main.Advance(s.Lines[:end])
	if left > len(s.Lines) { // more rows have scrolled by than any frame has shown
		r.show(&r.main, r.main.Base+s.CursorY, false, true)
	}
	r.leave()
	r.open(noAgent, false, r.main.Base+s.CursorY)
	r.main.Dirty = 0
}

// maxLeft is the maximum number of rows that wait for a frame in which the agent's screen can be
// read.
const maxLeft = keepTape / 2

// wait keeps the rows that have left the screen until a frame can be read. If there are too many,
// they are added to the document. The document is then read only when it is full, because the cost
// of a read grows with its length.
func (r *Reader) wait() {
	if len(r.main.Left) < maxLeft {
		return
	}
	r.change(&r.main, func() {
		r.main.Advance(nil)
		r.again()
	})
	r.seg.state = chat.StateBusy
	if len(r.main.Lines) > maxTape {
		r.read(&r.main, false)
	}
}

// scrolled returns the rows that left the top of the screen since the last frame, after the last
// wipe.
func (r *Reader) scrolled(f Frame) []row.Line {
	var out []row.Line
	for _, h := range f.History {
		if h.Kind == vterm.Scrolled {
			out = append(out, r.window.Line(h.Row))
		} else if f.Wiped {
			out = nil
		}
	}
	return out
}

// wipe begins a new document: the screen was erased, and what is printed now may be a repetition. A
// running shell command continues.
func (r *Reader) wipe() {
	if r.seg.agent != noAgent {
		r.flush(math.MaxInt)
		r.main.Wipe()
		r.reopen(r.seg.agent, false, 0)
		return
	}
	v, goesOn := r.shell.Wipe(&r.main)
	if v != nil && len(v.Items) > 0 {
		r.showCommands(v)
	}
	r.main.Wipe()
	if !goesOn {
		r.open(noAgent, false, 0)
	}
}

// promptAt reports whether the shell waits for a command on the last line of the screen.
func (r *Reader) promptAt(s chat.Screen, end int) bool {
	return s.CursorY == end-1 && r.shell.Waits(s.Lines[s.CursorY].Row, s.CursorX)
}

// readShell reads a frame outside of agents, and detects when one starts.
func (r *Reader) readShell(s chat.Screen, end int, f Frame) {
	end, settled := min(end, len(s.Lines)), f.Settled
	if end < len(s.Lines) {
		if _, entered := s.Lines[end].Mark(vterm.MarkEnter); entered { // the cursor may be elsewhere
			end++
		}
	}
	r.main.Advance(s.Lines[:end])
	r.shell.Look(&r.main, s.Lines[s.CursorY].Row, r.main.Base+s.CursorY, s.CursorX, settled && f.Visible)
	from := min(max(r.shell.Start, min(r.main.Dirty, r.main.Base+end)-40), len(r.main.Lines))
	if p, b, at, _ := r.banner(r.main.Lines[from:]); p != nil && lives(p, s) {
		r.showCommands(r.shell.Finish(&r.main, from+at))
		r.startInline(p, b, from+at, s, settled)
		return
	}
	if p, at, _ := r.started(s, settled); p != nil {
		r.showCommands(r.shell.Finish(&r.main, at))
		r.startInline(p, chat.Banner{}, at, s, settled)
		return
	}
	if p := r.goesOn(s, f); p != nil {
		r.main.Late()
		r.startInline(p, chat.Banner{}, 0, s, settled)
		return
	}
	if p := r.answers(s, settled); p != nil {
		_, at := r.shell.Runs()
		at = max(at, r.shell.Start)
		r.main.Dirty = min(r.main.Dirty, at) // what looked like commands was typed to the program
		r.showCommands(r.shell.Finish(&r.main, at))
		r.startInline(p, chat.Banner{}, at, s, settled)
		return
	}
	r.readCommands(settled)
	r.stranger(s, settled)
}

// answers returns how a program is read that no profile describes, once it has answered.
func (r *Reader) answers(s chat.Screen, settled bool) *Profile {
	if !r.unknown.See(s, settled) || r.talking(s) != nil {
		return nil
	}
	return &Profile{&chat.Agent{Name: session.UnknownAgent}, r.unknown.Look()}
}

// readCommands reads what is new of the shell's commands.
func (r *Reader) readCommands(settled bool) {
	d := r.drawn()
	if v := r.shell.Read(d, settled); v != nil {
		r.showCommands(v)
		r.shell.Forget(d)
	}
}

// closeShell reads the rest of the shell's document at the end.
func (r *Reader) closeShell() {
	if r.seg.alt || r.seen.Snapshot == nil || r.seen.Alt {
		return
	}
	if v := r.shell.Close(&r.main, r.seen.Lines[r.seen.CursorY], r.seen.CursorX); v != nil && r.Seen() {
		r.showCommands(v)
	}
}

// started returns the agent that the shell's command has started, if its welcome cannot be read
// because earlier input is among its rows. at and y are the document's first line below the
// command, and the screen's first row.
func (r *Reader) started(s chat.Screen, settled bool) (p *Profile, at, y int) {
	if !settled {
		return nil, 0, 0
	}
	program, at := r.shell.Runs()
	y = 1 + row.Last(s.Lines, func(l row.Line) bool { return at > 0 && l.Text == r.drawn().Lines[at-1].Text })
	for _, p := range r.profiles {
		if p.Name != program {
			continue
		}
		if rows := talk(s, p.Split(s)); y < len(rows) && talks(p, rows[y:]) {
			return p, at, y
		}
	}
	return nil, 0, 0
}

// startInline begins a run of an agent on a line of the main screen's document.
func (r *Reader) startInline(p *Profile, b chat.Banner, at int, s chat.Screen, settled bool) {
	r.enter(p, b, false, at)
	r.main.Dirty = 0
	r.readInline(s, len(row.Trim(s.Lines)), true, settled)
}

// showCommands passes the shell's commands to the log.
func (r *Reader) showCommands(v *session.View) {
	v.Document = r.seg.document
	items, _ := r.shell.Items(v.From)
	r.parsed(v.From, items)
	r.steps = append(r.steps, Step{View: v})
}

// stranger adds steps for the beginning and the end of a question of an unknown program. Agents may
// ask before they show their banner.
func (r *Reader) stranger(s chat.Screen, settled bool) {
	if !settled {
		return
	}
	before := r.asked
	r.asked = question(s)
	switch {
	case r.asked:
		r.steps = append(r.steps, Step{State: chat.StateAsking})
	case before:
		r.steps = append(r.steps, Step{State: chat.StateIdle})
	}
}

// readInline reads a frame of an agent on the main screen, from which rows may just have scrolled
// out.
func (r *Reader) readInline(s chat.Screen, end int, scrolled, settled bool) {
	r.look(s, settled)
	sp := r.split(s)
	if sp.OK {
		end = min(sp.Bottom, end)
	}
	switch {
	case sp.Overlay || !sp.OK && !settled:
		r.HalfDrawn = !sp.OK
		r.trace.Skipped = unreadable(sp)
		r.state(sp)
		r.wait()
		return
	case r.bannerIn(r.main.Left) && r.main.Torn(r.seg.start, s.Lines[:end]):
		r.trace.Skipped = "the agent prints all again, for a size that the window no longer has"
		r.wait()
		return
	case sp.OK && r.halfDrawn(s, sp.State, end, settled):
		r.trace.Skipped = drawing
		r.wait()
		return
	}
	r.trace.split(sp, 0, end) // what is above row Top was already in the document
	r.seg.chrome = sp.OK
	fresh := r.change(&r.main, func() {
		r.main.Draw(s.Lines[:end], r.seg.start, scrolled)
		r.again()
	})
	if settled {
		r.main.Waited()
	}
	if sp.State == chat.StateIdle && fresh > 0 {
		sp.State = chat.StateBusy // text arrives, and not every agent shows that it is working
	}
	r.seg.state = sp.State
	r.read(&r.main, settled)
	r.state(sp)
}

// bannerIn reports whether an agent's banner is among lines.
func (r *Reader) bannerIn(lines []row.Line) bool {
	p, _, _, _ := r.banner(lines)
	return p != nil
}

// again detects a banner below the agent's conversation: the conversation was cleared or is printed
// again, or another agent runs. In a terminal multiplexer, an agent on the main screen is drawn on
// the alternate one.
func (r *Reader) again() {
	d, s := r.drawn(), &r.seg
	from := max(s.start, d.Dirty-10)
	if s.alt { // a window that begins with the banner may be misplaced
		from = 1 + row.SkipBlank(d.Lines, max(s.start, d.Base))
	}
	for from < len(d.Lines) {
		p, b, at, n := r.banner(d.Lines[from:])
		if p == nil {
			return
		}
		at += from
		from = at + n
		switch {
		case at <= s.start:
		case p != s.agent:
			r.flush(at)
			r.enter(p, b, s.alt, at)
			d.Dirty = 0
		case s.wiped: // what is printed again begins with the last banner; earlier conversations are above it
			s.start = at
			d.Dirty = 0
		case s.alt && firstFrom(s.items, at) == 0: // nothing of the conversation is above
		case len(s.users()) > 0: // redrawn from the top, row by row, after a clear or a resize
			r.flush(at)
			r.reopen(p, s.alt, at)
			d.Dirty = 0
		}
	}
}

// look shows a frame to an agent's look that keeps a state.
func (r *Reader) look(s chat.Screen, settled bool) {
	if see := r.seg.agent.See; see != nil && see(s, settled) {
		d := r.drawn()
		d.Dirty = min(d.Dirty, d.Base)
	}
}

// split parts the screen of the agent that runs.
func (r *Reader) split(s chat.Screen) chat.Split {
	sp, _ := split(r.seg.agent.Look, s)
	r.Shown = sp.OK && !sp.Overlay && r.seg.agent.See == nil // what may be an input area proves nothing
	return sp
}

// state reports the agent's state. If something covers its screen, only a question counts.
func (r *Reader) state(sp chat.Split) {
	if sp.State == chat.StateAsking || !sp.Overlay && sp.State != chat.StateUnknown {
		r.steps = append(r.steps, Step{State: sp.State, Agent: r.seg.agent.Name})
	}
}
