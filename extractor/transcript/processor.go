package transcript

import (
	"maps"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// A frame is complete when the agent marks it (?2026 l), else after a pause: a redraw is written at
// once, and the pieces into which the kernel splits it follow immediately.
const (
	frameGap = 4 * time.Millisecond
	quiet    = 250 * time.Millisecond

	// syncTime is how long the screen does not count as quiet within a redraw, synchronized (?2026)
	// or not, in case the agent does not end it.
	syncTime = time.Second

	// After a resize of the alternate screen its rows are cut off until the program redraws them.
	// Most programs erase the screen first. What they write before that is still laid out for the
	// old width. Programs that do not erase it have eraseTime.
	redrawTime = 30 * time.Millisecond
	eraseTime  = 500 * time.Millisecond
)

// ProcessorOptions describe a recording.
type ProcessorOptions struct {
	Cols, Rows int // size of the window at the start, in cells
	Started    time.Time
	SessionID  string
	Command    []string
	Unknown    bool // every agent is read as one that nobody has described
	Imported   bool // somebody else may have made it: its markers of control are claims

	// Trace, if set, is called after each frame, and for each event between frames.
	Trace func(Trace)
}

// Processor converts the raw events of a recording, live or replayed, to a terminal log. It knows
// the time only from the events: the same events always result in the same log. It must not be used
// concurrently.
type Processor struct {
	opt    ProcessorOptions
	term   *vterm.Term
	reader *extractor.Reader
	log    *Log

	now     time.Duration // time of the current frame
	fed     time.Duration // time of the last event
	last    time.Duration // time of the last output
	resized time.Duration // time of the last resize, or -1
	erased  bool          // the alternate screen was erased since then
	offset  int64         // number of output bytes so far
	burst   int64         // offset at which the current uninterrupted output began
	dirty   bool          // there was output since the last frame
	settled bool          // the last frame was taken when everything was quiet
	whole   bool          // the program has marked the current frame as complete
	usage   extractor.UsageReader
	wiped   bool // the main screen was erased since the last frame
	cols    int
	rows    int

	agents []session.Agent
	known  known
	title  title // from the entries that Forget has dropped
	status status
	frames int
	trace  *Trace         // of the current frame, if ProcessorOptions.Trace is set
	view   int            // number of steps with a View of that frame that were applied
	exit   *session.Event // of the child; Close logs it after the events at the agent's end
	closed bool
}

// scrollback is the number of rows to keep above the screen, for a window that grows. The reader
// receives each when it leaves the screen.
const scrollback = 1000

// NewProcessor returns a Processor for a recording.
func NewProcessor(o ProcessorOptions) *Processor {
	p := &Processor{opt: o, reader: extractor.NewReader(), log: NewLog(o.SessionID, o.Started), settled: true,
		resized: -1, cols: o.Cols, rows: o.Rows}
	if o.Unknown {
		p.reader.Blind()
	}
	if o.Trace != nil {
		p.watch()
	}
	p.term = vterm.New(vterm.Options{Cols: o.Cols, Rows: o.Rows, Scrollback: scrollback, OnCue: p.cue})
	return p
}

// Feed processes the next event. Times must not decrease. Events with the same time may be pieces
// of one, so nothing becomes due between them.
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
		exit := e // otherwise each event would be allocated on the heap
		p.exit = &exit
	}
}

// mark logs the contents of a marker.
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

// Tick advances the time: after a while without output a frame is complete, and later the screen is
// quiet. In a live session it must be called at the time that Due returns.
func (p *Processor) Tick(at time.Duration) {
	for {
		due, what := p.next()
		if what == nil || due > at {
			return
		}
		what(p, due)
	}
}

// Due returns the time at which Tick must be called if no event comes before. ok is false if it
// need not be called.
func (p *Processor) Due() (at time.Duration, ok bool) {
	at, what := p.next()
	return at, what != nil
}

// next returns what to do next without an event, and when. what is nil if there is nothing to do.
func (p *Processor) next() (due time.Duration, what func(p *Processor, due time.Duration)) {
	gap, still, state := p.last+frameGap, p.last+quiet, p.status.due()
	synced := p.term.Modes().SynchronizedOutput
	if synced || p.reader.HalfDrawn {
		still = p.last + syncTime
	}
	whole := p.dirty && !synced // a frame after a pause
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
	p.apply(p.reader.Read(extractor.Frame{Snapshot: p.term.Snapshot(), History: p.term.TakeHistory(), Resized: true}),
		e.At)
	p.end()
}

// Usage returns the token usage that the agents have printed so far.
func (p *Processor) Usage() []session.Usage { return p.usage.Usage() }

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

// Close ends the recording at a time and reads what is still on the screen. It may be called more
// than once.
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

// plain logs the output of a program that is neither an agent nor a shell.
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
	p.log.Merge(session.View{Document: -2, Items: []session.Sighting{{Message: m}}, At: at, Offset: p.offset,
		Settled: true})
}

// Entries returns the entries in order, without those that Forget has dropped. The caller must not
// change them.
func (p *Processor) Entries() []*session.Entry {
	entries := p.log.Entries()
	p.known.match(entries)
	return p.known.entries(entries)
}

// Changes returns the entries that were added or changed since the last call, and the ids of those
// that were removed.
func (p *Processor) Changes() (changed []*session.Entry, gone []string) {
	changed, gone = p.log.Changes()
	return p.known.changes(p.log.Entries(), changed), gone
}

// Agent returns the name of the running agent, or "".
func (p *Processor) Agent() string { return p.reader.Agent() }

// State returns the newest event about the agent's state, such as session.EventIdle, or "".
func (p *Processor) State() string { return statusEvents[p.status.now] }

// AgentShown reports whether the last frame showed the chrome of the running agent, such as its
// input box.
func (p *Processor) AgentShown() bool { return p.reader.Shown }

// Screen returns the screen. The caller must not change it.
func (p *Processor) Screen() *vterm.Term { return p.term }

// Offset returns the number of output bytes so far.
func (p *Processor) Offset() int64 { return p.offset }

// LastOutput returns the time of the last output, since the start of the recording.
func (p *Processor) LastOutput() time.Duration { return p.last }

// Agents returns the agents seen so far.
func (p *Processor) Agents() []session.Agent { return p.agents }

// Forget drops the entries that cannot change any more and that Changes has returned, so that
// memory does not grow with the session. It returns them in order. After it, Entries returns the
// others.
func (p *Processor) Forget() []*session.Entry {
	forgotten := p.log.Forget()
	entries := p.known.entries(forgotten)
	for _, e := range entries {
		p.title.see(e)
	}
	p.known.forget(forgotten)
	return entries
}
