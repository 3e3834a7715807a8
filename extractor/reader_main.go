package extractor

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// readMain reads a frame of the main screen: the shell, and agents that draw into the scrolling
// text.
func (r *Reader) readMain(f Frame) {
	if r.seg.alt && !r.leaveAlt(&f) {
		return
	}
	if r.seg.tape == 0 {
		r.open(nil, false, 0)
	}
	if f.Wiped {
		r.wipe()
	}
	s := r.screen(f)
	if f.Resized {
		r.calm.note(r)
		r.rewrap(s.Lines)
		r.resized = redrawFrames
		r.trace.skip("the window was just resized")
		return
	}
	scrolled := r.scrolled(f)
	left := append(r.left, scrolled...)
	r.left = nil
	if f.Torn && r.seg.agent != nil {
		r.wait(left)
		r.trace.skip("so much has scrolled out that the screen may be half drawn")
		return
	}
	end := len(row.Trim(s.Lines))
	if r.seg.agent != nil && r.promptAt(s, end) {
		r.flush(&r.main, len(r.main.lines))
		r.main.advance(left, s.Lines[:end])
		if len(left) > len(s.Lines) { // more has gone by than any frame has shown
			r.show(&r.main, r.main.base+s.CursorY, false, true)
		}
		r.leave()
		r.open(nil, false, r.main.base+s.CursorY)
		r.main.dirty = 0
	}
	if r.seg.agent == nil {
		r.readShell(s, left, max(end, s.CursorY+1), f.Settled)
		return
	}
	r.readInline(s, left, end, len(scrolled) > 0, f.Settled)
}

// maxLeft is how many rows wait at most for a frame in which an agent's screen can be read.
const maxLeft = keepTape / 2

// wait keeps rows that have left the screen for the next frame that can be read. If there are too
// many, they go onto the tape; it is read as it is only when it is full, for a read costs as much
// as the tape is long.
func (r *Reader) wait(left []row.Line) {
	r.left = left
	if len(left) < maxLeft {
		return
	}
	r.left = nil
	r.change(&r.main, func() {
		r.main.advance(left, nil)
		r.again(false)
	})
	r.seg.state = chat.StateBusy
	if len(r.main.lines) > maxTape {
		r.read(&r.main, false)
	}
}

// scrolled returns the rows that left the top of the screen since the last frame, after the last
// wipe.
func (r *Reader) scrolled(f Frame) []row.Line {
	var out []row.Line
	for _, h := range f.History {
		switch h.Kind {
		case vterm.Scrolled:
			out = append(out, r.line(h.Row))
		case vterm.Cleared, vterm.Erased:
			if f.Wiped {
				out = out[:0]
			}
		}
	}
	return out
}

// wipe begins a new tape: the screen was erased, and what is printed now need not be new. A shell
// command that runs goes on.
func (r *Reader) wipe() {
	s := r.seg
	var running []shellCommand
	if s.agent == nil {
		running = s.running()
		if r.entered == nil {
			r.entered = r.lastCommand()
		}
		if !r.Seen() {
			r.lead.add(r.main.lines[:min(r.main.base, len(r.main.lines))])
		}
		r.folder = lastFolder(r.main.lines, r.folder)
	}
	if running == nil {
		r.seg.freeze()
	}
	r.flush(&r.main, len(r.main.lines))
	r.main, r.left = tape{}, nil
	if running != nil {
		past := s.past + len(s.commands) - 1
		r.seg = segment{tape: s.tape, past: past, commands: running, learned: s.learned}
		return
	}
	if s.agent == nil {
		r.open(nil, false, 0)
		return
	}
	r.reopen(s.agent, false, 0)
}

// running returns the shell's command that runs, as it goes on at the top of an empty tape; the
// others end. It is nil if none runs.
func (s *segment) running() []shellCommand {
	n := len(s.commands) - 1
	if n < 0 || !s.commands[n].Open {
		return nil
	}
	for _, c := range s.commands[:n] {
		c.printed.freeze()
	}
	c := s.commands[n]
	c.printed.commit(min(c.End, len(c.printed.tape.lines)))
	return []shellCommand{c.above()}
}

// above returns the command as it is on a tape that begins below its command line.
func (c shellCommand) above() shellCommand {
	c.First, c.out, c.End = -1, -1, 0
	c.printed.from, c.printed.end, c.printed.shown = 0, 0, 0
	return c
}

// lastCommand returns the command at the last prompt, entered or not.
func (r *Reader) lastCommand() *shellCommand {
	from := r.seg.start
	if n := len(r.seg.commands); n > 0 {
		from = max(from, r.seg.commands[n-1].End)
	}
	lines := r.main.lines[min(from, len(r.main.lines)):]
	var s shellScan
	s.folder = r.folder
	s.read(append(lines[:len(lines):len(lines)], row.Line{Row: &vterm.Row{}}), 0, &r.prompt)
	if len(s.cmds) == 0 {
		return nil
	}
	return &s.cmds[len(s.cmds)-1]
}

// wipedBy takes up a command that wiped the screen (clear) before it was seen to be entered. Where
// the prompt still holds it, the shell has only drawn it again (Ctrl+L).
func (r *Reader) wipedBy() {
	if r.entered == nil || len(r.main.lines) == 0 {
		return
	}
	if _, typed, ok := r.prompt.split(r.main.lines[0]); !ok || !strings.HasPrefix(r.entered.Text, typed) || typed == "" {
		c := *r.entered
		c.Open, c.printed = true, &printed{tape: &r.main}
		r.seg.commands = []shellCommand{c.above()}
	}
	r.entered = nil
}

// promptAt reports whether the shell waits for a command on the last line of the screen.
func (r *Reader) promptAt(s chat.Screen, end int) bool {
	if end == 0 || s.CursorY != end-1 {
		return false
	}
	return r.prompt.waits(s.Lines[s.CursorY].Row, s.CursorX)
}

// readShell reads a frame outside of agents, and notices when one starts.
func (r *Reader) readShell(s chat.Screen, left []row.Line, end int, settled bool) {
	end = min(end, len(s.Lines))
	r.main.advance(left, s.Lines[:end])
	r.wipedBy()
	if _, marked := markOf(s.Lines[s.CursorY].Row, vterm.MarkInput); settled && !marked {
		r.prompt.learn(s.Lines[s.CursorY].Row, s.CursorX, r.seg.last())
	}
	from := max(r.seg.start, min(r.main.dirty, r.main.base+end)-40, 0)
	if from < len(r.main.lines) && r.main.dirty < len(r.main.lines) {
		if p, b, at, _ := r.banner(r.main.lines[from:]); p != nil {
			r.takeOver(p, b, from+at)
			r.readInline(s, nil, len(row.Trim(s.Lines)), true, settled)
			return
		}
	}
	r.read(&r.main, settled)
	r.stranger(s, settled)
}

// stranger tells of a question that somebody asks who is not known, as agents do before they show
// who they are, and of its end.
func (r *Reader) stranger(s chat.Screen, settled bool) {
	if !settled || !r.asked && !question(s) {
		return
	}
	r.asked = question(s)
	state := chat.StateIdle
	if r.asked {
		state = chat.StateAsking
	}
	r.steps = append(r.steps, Step{State: state})
}

// takeOver ends the shell's part of the tape at an agent's banner. What the command that started
// the agent seems to have printed was the agent, half drawn.
func (r *Reader) takeOver(p *Profile, b chat.Banner, at int) {
	lines := r.main.lines
	r.main.lines = append(lines[:at:at], row.Line{Row: &vterm.Row{}}) // below the command: it was entered
	r.read(&r.main, true)
	if v := r.steps[len(r.steps)-1].View; v != nil && len(v.Items) > 0 {
		r.seg.commands[len(r.seg.commands)-1].printed.clear()
	}
	r.main.lines = lines
	r.enter(p, b, false, at)
	r.main.dirty = 0
}

// readInline reads a frame of an agent that draws on the main screen, from which rows may just have
// scrolled out.
func (r *Reader) readInline(s chat.Screen, left []row.Line, end int, scrolled, settled bool) {
	sp := r.split(s)
	switch {
	case sp.OK && sp.Overlay, !sp.OK && (!settled || r.resized > 0 && r.calm.resizes > 1):
		r.trace.unreadable(sp)
		r.state(sp)
		r.wait(left)
		if settled && r.resized > 0 {
			r.resized--
		}
		return
	case sp.OK:
		end = min(sp.Bottom, end)
	}
	r.trace.split(chat.Split{State: sp.State}, end)
	body := s.Lines[:end]
	placed := PlacedScrolled
	var above []row.Line
	switch {
	case !sp.OK:
	case r.resized > 0 && r.calm.restore(r, &above, &body):
		left, placed = nil, PlacedWrapped
	case r.resized > 0 && r.redrawn(&left, &body):
		placed = PlacedWrapped
	case !scrolled:
		if at, ok := r.main.repainted(left, body); ok && at > r.seg.start {
			left = left[:max(0, at-r.main.base)] // the others are in the window again
			r.main.base = min(r.main.base, at)
			placed = PlacedRedrawn
		}
	}
	if settled && r.resized > 0 {
		r.resized--
	}
	r.seg.chrome = r.seg.chrome || sp.OK
	fresh := r.change(&r.main, func() {
		if above != nil {
			r.main.replace(0, above)
		}
		r.main.advance(left, body)
		r.again(settled)
	})
	r.main.placed = placed
	if sp.State == chat.StateIdle && fresh > 0 {
		sp.State = chat.StateBusy // text comes in: not every agent shows that it works meanwhile
	}
	r.seg.state = sp.State
	r.read(&r.main, settled)
	r.state(sp)
}

// again notices the agent's banner below its own conversation: the conversation was cleared, or
// another agent runs.
func (r *Reader) again(settled bool) {
	t, s := &r.main, &r.seg
	if t.dirty >= len(t.lines) {
		return
	}
	for from := max(s.start, t.dirty-10); from < len(t.lines); {
		p, b, at, n := r.banner(t.lines[from:])
		if p == nil {
			return
		}
		at += from
		from = at + max(n, 1)
		switch {
		case at <= s.start:
		case p != s.agent:
			r.flush(t, at)
			r.enter(p, b, false, at)
			t.dirty = 0
		case s.wiped: // what is printed again begins with the last banner: above it are conversations cleared before
			s.start = at
			t.dirty = 0
		case r.resized > 0 && r.calm.resizes > 1 && !r.calm.over && r.calm.tape == s.tape: // torn
		case len(s.users()) > 0: // redrawn from its top, row over row: after a clear, or a resize
			r.flush(t, at)
			r.reopen(p, false, at)
			t.dirty = 0
		}
	}
}

// split parts the agent's screen, and looks for its questions.
func (r *Reader) split(s chat.Screen) chat.Split {
	sp := r.seg.agent.Split(s)
	r.shown = sp.OK && !sp.Overlay
	if asks, _ := asksIn(s, sp); asks {
		sp.State = chat.StateAsking
	}
	return sp
}

// state tells what the agent does. Where something covers its screen, only a question counts.
func (r *Reader) state(sp chat.Split) {
	if sp.State == chat.StateAsking || sp.OK && !sp.Overlay && sp.State != chat.StateUnknown {
		r.steps = append(r.steps, Step{State: sp.State, Agent: r.seg.agent.Name})
	}
}

// lettersBetween counts the letters of lines[from:to].
func lettersBetween(lines []row.Line, from, to int) int {
	n := 0
	for i := from; i < to && i < len(lines); i++ {
		n += len(row.Letters(lines[i].Text))
	}
	return n
}

// skipLetters returns the first line behind n letters from line from on.
func skipLetters(lines []row.Line, from, n int) int {
	for from < len(lines) && n > 0 {
		n -= len(row.Letters(lines[from].Text))
		from++
	}
	return from
}
