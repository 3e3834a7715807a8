package transcript

import (
	"maps"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// A frame is complete if an agent says so (?2026 l), else after a gap in time: a redraw is written
// in one go, and the pieces that the kernel cuts it into follow at once.
const (
	frameGap = 4 * time.Millisecond
	quiet    = 250 * time.Millisecond

	// Within a redraw, synchronized (?2026) or not, the screen is not quiet, but for an agent that
	// does not end it.
	syncTime = time.Second

	// After a resize of the alternate screen its rows are cut off until the program draws them
	// again. Most programs erase the screen first. What they write before that is still laid
	// out for the old width. Programs that do not erase it have eraseTime.
	redrawTime = 30 * time.Millisecond
	eraseTime  = 500 * time.Millisecond
)

// ProcessorOptions say what a recording is of.
type ProcessorOptions struct {
	Cols, Rows int // the window's size at the start, in cells
	Started    time.Time
	SessionID  string
	Command    []string
	Unknown    bool // every agent is read as one that nobody has described
	Imported   bool // somebody else may have made it: its markers of control are claims

	// Trace, if set, is called after each frame, and for each event between frames.
	Trace func(Trace)
}

// Processor turns the raw events of a recording, live or replayed, into a terminal log. It knows
// time only from the events that it is fed: the same events give the same log. It is not safe for
// concurrent use.
type Processor struct {
	opt    ProcessorOptions
	term   *vterm.Term
	reader *extractor.Reader
	log    *Log

	now     time.Duration // of the frame at hand
	fed     time.Duration // of the last event
	last    time.Duration // of the last output
	resized time.Duration // of the last resize, or -1
	erased  bool          // the alternate screen was erased since then
	offset  int64         // bytes of output so far
	burst   int64         // where the output at hand began that came without a gap
	dirty   bool          // output since the last frame
	settled bool          // the last frame was taken when all was quiet
	whole   bool          // the program says that the frame at hand is complete
	usage   extractor.UsageReader
	wiped   bool // the main screen was erased since the last frame
	cols    int
	rows    int

	agents []session.Agent
	known  known
	title  title // by the entries that Forget has dropped
	status status
	frames int
	trace  *Trace         // of the frame at hand, if ProcessorOptions.Trace is set
	view   int            // the steps with a View of that frame that were applied
	exit   *session.Event // the child's; Close logs it, behind what the agent's end leads to
	closed bool
}

// scrollback is how many rows are kept above the screen. The reader gets each as it leaves: they
// are there for a window that grows.
const scrollback = 1000

// NewProcessor returns a Processor for a recording that begins.
func NewProcessor(o ProcessorOptions) *Processor {
	p := &Processor{opt: o, reader: extractor.NewReader(), log: NewLog(o.SessionID, o.Started), settled: true, resized: -1, cols: o.Cols, rows: o.Rows}
	if o.Unknown {
		p.reader.Blind()
	}
	if o.Trace != nil {
		p.watch()
	}
	p.term = vterm.New(vterm.Options{Cols: o.Cols, Rows: o.Rows, Scrollback: scrollback, OnCue: p.cue})
	return p
}

// Feed processes the next event. Events must come in order of time. Those of the same time may be
// pieces of one, so nothing becomes due between them.
func (p *Processor) Feed(e session.Event) {
	if e.At != p.fed {
		p.Tick(e.At)
		p.fed = e.At
	}
	switch e.Kind {
	case session.Output:
		if e.At-p.last >= frameGap {
			p.burst = p.offset
		}
		p.last, p.dirty, p.settled = e.At, true, false
		p.term.SetTime(e.At)
		_, _ = p.term.Write(e.Data) // never fails
		p.offset += int64(len(e.Data))
	case session.Resize:
		p.resize(e)
	case session.Marker:
		p.mark(e)
	case session.Exit:
		exit := e // else each event would go to the heap
		p.exit = &exit
	}
}

// mark logs what a marker records.
func (p *Processor) mark(e session.Event) {
	event, data, ok := session.ReadControlMark(e.Data)
	switch text, _ := data["text"].(string); {
	case !ok:
	case event == session.EventPrompt:
		p.known.match(p.log.Entries())
		p.known.add(text, p.opt.Started.Add(e.At))
	case p.opt.Imported:
		claim := maps.Clone(data)
		if claim == nil {
			claim = map[string]any{}
		}
		claim["event"] = event
		p.log.Event(session.EventImported, "", claim, e.At, p.offset)
	default:
		p.log.Event(event, "", data, e.At, p.offset)
	}
}

// Tick tells the Processor the time: after a while without output a frame is complete, and later
// the screen is quiet. In a live session it must be called when Due says.
func (p *Processor) Tick(at time.Duration) {
	for {
		due, what := p.next()
		if what == nil || due > at {
			return
		}
		what(p, due)
	}
}

// Due returns when Tick will have something to do if no event comes before. ok is false if it will
// have nothing to do.
func (p *Processor) Due() (at time.Duration, ok bool) {
	at, what := p.next()
	return at, what != nil
}

// next returns what is done next without an event, and when. what is nil if that is nothing.
func (p *Processor) next() (due time.Duration, what func(p *Processor, due time.Duration)) {
	gap, still, state := p.last+frameGap, p.last+quiet, p.status.due()
	synced := p.term.Modes().SynchronizedOutput
	if synced || p.reader.HalfDrawn {
		still = p.last + syncTime
	}
	whole := p.dirty && !synced // a frame, after a gap
	switch {
	case p.status.changing() && (!p.dirty || state <= gap) && (p.settled || state < still):
		return state, func(p *Processor, _ time.Duration) { p.status.log(p.log, p.offset) }
	case whole:
		return gap, func(p *Processor, _ time.Duration) { p.still(p.last, false) }
	case !p.settled:
		return still, func(p *Processor, due time.Duration) { p.still(due, true) }
	}
	return 0, nil
}

// flush takes the current frame, whatever the time.
func (p *Processor) flush(at time.Duration) {
	if p.dirty || !p.settled {
		p.still(at, true)
	}
}

func (p *Processor) resize(e session.Event) {
	if p.dirty {
		p.frame(e.At, false)
	}
	if e.Cols == p.cols && e.Rows == p.rows || e.Cols <= 0 || e.Rows <= 0 {
		return
	}
	p.log.Event(session.EventResize, "", map[string]any{"cols": e.Cols, "rows": e.Rows}, e.At, p.offset)
	p.cols, p.rows = e.Cols, e.Rows
	p.term.Resize(e.Cols, e.Rows)
	p.resized, p.last, p.settled, p.erased = e.At, e.At, false, false
	p.begin(e.At)
	p.apply(p.reader.Read(extractor.Frame{Snapshot: p.term.Snapshot(), History: p.term.TakeHistory(), Resized: true}), e.At)
	p.end()
}

// cue is called by the terminal within Write, before an erase or a switch of screens, and after a
// whole frame. What follows in the same write makes another frame, so that it does not matter how
// the writes were cut.
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
			// Agents draw from the top row on without a wipe, and a shell draws a prompt there again.
			p.wiped = c.N != 0 || filled > 1 && p.reader.Seen() && p.reader.Agent() == "" && !p.readsHome()
		}
	}
	p.dirty = true
}

// readsHome reports whether a shell has just begun to read at the top: it draws a prompt again.
func (p *Processor) readsHome() bool {
	n, on := p.term.Reads()
	m, ok := p.term.Snapshot().Lines[0].Mark(vterm.MarkReads)
	return on && ok && m.N == n
}

// filled counts the rows of the screen that have text.
func (p *Processor) filled() int {
	n := 0
	for _, r := range p.term.Snapshot().Lines {
		if r.Text != "" {
			n++
		}
	}
	return n
}

// still reads the screen, to which nothing was written for a moment.
func (p *Processor) still(at time.Duration, settled bool) {
	if p.reader.Agent() == "" {
		p.typed(p.term.Snapshot(), true, settled)
	}
	p.frame(at, settled)
	p.typed(p.term.Snapshot(), true, settled) // an agent may have ended
}

// typed marks where the line begins that a shell reads.
func (p *Processor) typed(s *vterm.Snapshot, still, settled bool) {
	n, on := p.term.Reads()
	if x, y, ok := p.reader.Typed(s, n, on, still, settled); ok {
		p.term.SetTyped(x, y)
	}
}

// frame reads the screen.
func (p *Processor) frame(at time.Duration, settled bool) { p.read(at, settled, false) }

// read reads the screen. torn means that it may be drawn only in part.
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
	p.term.SetWidths(p.reader.Widths())
	p.apply(steps, at)
	if settled {
		p.readUsage(s, at, false)
	}
}

// readUsage reads what the agent prints of its tokens. closing means that no more frames come.
func (p *Processor) readUsage(s *vterm.Snapshot, at time.Duration, closing bool) {
	if len(p.agents) == 0 {
		return
	}
	p.usage.Read(s, closing || p.reader.Agent() == "", p.opt.Started.Add(at))
}

// Usage returns what the agents printed of the tokens that they used, so far.
func (p *Processor) Usage() []session.Usage { return p.usage.Usage() }

// cutOff reports whether the rows of the alternate screen may be those that a resize left there, or
// be laid out for the width before it.
func (p *Processor) cutOff(at time.Duration, settled bool) bool {
	since := at - p.resized
	return p.resized >= 0 && (since < redrawTime || !p.erased && !settled && since < eraseTime)
}

// refreshed notes that the screen was erased, once for several in a row.
func (p *Processor) refreshed(at time.Duration) {
	if e := p.log.Last(); e != nil && e.Event == session.EventScreenRefresh {
		return
	}
	p.log.Event(session.EventScreenRefresh, p.reader.Agent(), nil, at, p.burst)
}

func (p *Processor) apply(steps []extractor.Step, at time.Duration) {
	for _, s := range steps {
		switch {
		case s.Event != "":
			p.event(s, at)
		case s.View != nil:
			v := *s.View
			v.At, v.Offset = at, p.burst
			p.log.Merge(v)
			p.view++
			p.status.shows(&v)
		default:
			p.status.saw(s.State, s.Agent, at)
		}
	}
}

func (p *Processor) event(s extractor.Step, at time.Duration) {
	if s.Event == session.EventClear {
		p.log.Clear(s.Agent, s.Below, at, p.burst)
		return
	}
	p.log.Event(s.Event, s.Agent, s.Data, at, p.burst)
	switch s.Event {
	case session.EventNewSession:
		p.status.given = false
		p.usage.Begin(s.Agent)
		p.seen(s)
	case session.EventCLIExit:
		p.status = status{}
	}
}

// seen adds an agent to the session's agents.
func (p *Processor) seen(s extractor.Step) {
	str := func(k string) string { v, _ := s.Data[k].(string); return v }
	a := session.Agent{Name: s.Agent, Version: str("version"), Model: str("model")}
	for _, b := range p.agents {
		if a == b {
			return
		}
	}
	p.agents = append(p.agents, a)
}

// Close ends the recording at a time and reads what is still on the screen. Further calls do
// nothing.
func (p *Processor) Close(at time.Duration) {
	if p.closed {
		return
	}
	p.closed = true
	p.Tick(at)
	p.flush(at)
	p.begin(at)
	p.apply(p.reader.Close(), at)
	p.end()
	p.readUsage(p.term.Snapshot(), at, true)
	if !p.reader.Seen() {
		p.plain(at)
	}
	if p.exit != nil {
		p.log.Exited()
		p.log.Event(session.EventExit, "", map[string]any{"status": p.exit.Status}, p.exit.At, p.offset)
	}
	p.log.Finish()
}

// plain logs the output of a program that is no agent and no shell.
func (p *Processor) plain(at time.Duration) {
	output, gap := p.reader.Plain()
	if output == "" {
		return
	}
	m := session.Message{Role: session.RoleShell, Text: strings.Join(p.opt.Command, " "), Output: output,
		Details: session.Details{OmittedLines: gap.Lines}}
	if gap.Bytes > 0 {
		m.Truncate(session.TruncatedMiddle)
	}
	p.log.Merge(session.View{Document: -2, Items: []session.Sighting{{Message: m}}, At: at, Offset: p.offset, Settled: true})
}

// Entries returns the entries in order, without those that Forget has dropped. The caller must not
// change them.
func (p *Processor) Entries() []*session.Entry {
	entries := p.log.Entries()
	p.known.match(entries)
	return p.known.entries(entries)
}

// Changes returns the entries that are new or different since the last call, and the ids of those
// that were taken back.
func (p *Processor) Changes() (changed []*session.Entry, gone []string) {
	changed, gone = p.log.Changes()
	return p.known.changes(p.log.Entries(), changed), gone
}

// Agent returns the name of the running agent, or "".
func (p *Processor) Agent() string { return p.reader.Agent() }

// State returns the newest event of the agent's state, such as session.EventIdle, or "".
func (p *Processor) State() string { return statusEvents[p.status.now] }

// AgentShown reports whether the last frame showed the chrome of the agent that runs, such as its
// input box.
func (p *Processor) AgentShown() bool { return p.reader.Shown }

// Screen returns the screen. The caller must not change it.
func (p *Processor) Screen() *vterm.Term { return p.term }

// Offset returns the bytes of output so far.
func (p *Processor) Offset() int64 { return p.offset }

// LastOutput returns when the last output was, since the start of the recording.
func (p *Processor) LastOutput() time.Duration { return p.last }

// Agents returns the agents seen so far.
func (p *Processor) Agents() []session.Agent { return p.agents }

// Forget lets go of the entries that cannot change any more and that Changes has returned, so that
// a long session takes no more memory than a short one. It returns them in order. From then on
// Entries returns the others.
func (p *Processor) Forget() []*session.Entry {
	forgotten := p.log.Forget()
	entries := p.known.entries(forgotten)
	for _, e := range entries {
		p.title.see(e)
	}
	p.known.forget(forgotten)
	return entries
}

// Title returns the whole first line of the user's first prompt, or of the first shell command.
func (p *Processor) Title() string {
	t := p.title
	for _, e := range p.Entries() {
		if t.see(e); t.asked {
			break
		}
	}
	return t.text
}

// title is what a session is called after.
type title struct {
	text  string
	asked bool // it is a prompt of the user
}

// see takes the next entry into account.
func (t *title) see(e *session.Entry) {
	switch {
	case t.asked:
	case e.Role == session.RoleUser:
		t.text, t.asked = firstLine(e.Text), true
	case e.Role == session.RoleShell && t.text == "":
		t.text = firstLine(e.Text)
	}
}
