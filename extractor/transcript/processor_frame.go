package transcript

import (
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// cue is called by the terminal within Write, before an erase or a switch of screens, and after a
// complete frame. What follows in the same write becomes another frame, so that the result does not
// depend on how writes are split.
func (p *Processor) cue(c vterm.Cue) {
	switch c.Kind {
	case vterm.CueFrame, vterm.CueAlt:
		p.whole = c.Kind == vterm.CueFrame
		p.frame(p.last, false)
		p.whole = false
	case vterm.CueReads:
		if p.reader.Agent() == "" {
			p.typed(p.term.Snapshot(), false, false)
		}
	case vterm.CueHistory:
		p.read(p.last, false, true)
	case vterm.CueErase:
		if p.term.Alt() {
			p.frame(p.last, false)
			p.erased = true
		} else if !p.wiped {
			filled := p.filled()
			if filled > 0 {
				p.frame(p.last, false)
			}
			// Agents draw from the top row on without a wipe, and a shell redraws a prompt there.
			p.wiped = c.N != 0 || filled > 1 && p.reader.Seen() && p.reader.Agent() == "" && !p.readsHome()
		}
	}
	p.dirty = true
}

// readsHome reports whether a shell has just begun to read at the top, because it redraws a prompt.
func (p *Processor) readsHome() bool {
	n, on := p.term.Reads()
	m, ok := p.term.Snapshot().Lines[0].Mark(vterm.MarkReads)
	return on && ok && m.N == n
}

// filled returns the number of rows of the screen that have text.
func (p *Processor) filled() int {
	n := 0
	for _, r := range p.term.Snapshot().Lines {
		if r.Text != "" {
			n++
		}
	}
	return n
}

// still reads the screen after a moment without output.
func (p *Processor) still(at time.Duration, settled bool) {
	if p.reader.Agent() == "" {
		p.typed(p.term.Snapshot(), true, settled)
	}
	p.frame(at, settled)
	p.typed(p.term.Snapshot(), true, settled) // an agent may have ended
}

// typed marks the start of the line that a shell reads.
func (p *Processor) typed(s *vterm.Snapshot, still, settled bool) {
	n, on := p.term.Reads()
	if x, y, ok := p.reader.Typed(s, n, on, still, settled); ok {
		p.term.SetTyped(x, y)
	}
}

// frame reads the screen.
func (p *Processor) frame(at time.Duration, settled bool) { p.read(at, settled, false) }

// read reads the screen. torn means that it may be drawn only partly.
func (p *Processor) read(at time.Duration, settled, torn bool) {
	p.begin(at)
	defer p.end()
	p.dirty, p.settled = false, settled
	s := p.term.Snapshot()
	if s.Alt && p.cutOff(at, settled) {
		p.reader.Skip(extractor.Frame{Snapshot: s}, "the program has not drawn for the new size yet")
		return
	}
	steps := p.reader.Read(extractor.Frame{Snapshot: s, History: p.term.TakeHistory(),
		AltScrolled: p.term.TakeAltScrolled(), Wiped: p.wiped, Redrawn: s.Alt &&
			p.erased, Settled: settled, Whole: p.whole, Placed: p.term.Addressed(), Torn: torn})
	if p.wiped && !s.Alt {
		p.refreshed(at)
		p.wiped = false
	}
	p.term.SetWidths(p.reader.Widths(p.term.Reads()))
	p.apply(steps, at)
	if settled {
		p.readUsage(s, at, false)
	}
}

// readUsage reads the token usage that the agent prints. closing means that no more frames follow.
func (p *Processor) readUsage(s *vterm.Snapshot, at time.Duration, closing bool) {
	if len(p.agents) == 0 {
		return
	}
	p.usage.Read(s, closing || p.reader.Agent() == "", p.opt.Started.Add(at))
}

// cutOff reports whether the rows of the alternate screen may be left from a resize, or laid out
// for the width before it.
func (p *Processor) cutOff(at time.Duration, settled bool) bool {
	since := at - p.resized
	return p.resized >= 0 && (since < redrawTime || !p.erased && !settled && since < eraseTime)
}

// refreshed records that the screen was erased, once for several erases in a row.
func (p *Processor) refreshed(at time.Duration) {
	if e := p.log.Last(); e != nil && e.Event == session.EventScreenRefresh {
		return
	}
	p.log.Event(session.EventScreenRefresh, p.reader.Agent(), nil, at, p.burst)
}
