package extractor

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Frame is the terminal at a moment between two redraws, with what happened since the frame before.
type Frame struct {
	*vterm.Snapshot
	History []vterm.HistoryRow // what left the main screen since the last frame
	Wiped   bool               // the main screen was erased before this frame was drawn
	Resized bool               // the window's size just changed, nothing has been drawn since
	Settled bool               // nothing has been written for a while
}

// Step is one thing that a frame tells the terminal log, in order.
type Step struct {
	Event string // an event of the agent; else View holds
	Agent string
	Data  map[string]any
	View  *session.View // without its time and offset
	State State         // with Event == "": the agent's state, where View is nil
}

// Explanation says which lines of a tape became what: the items hold lines [First, End) from the tape's first, and
// lines between them were taken for chrome.
type Explanation struct {
	Agent string // "" in the shell
	Tape  int
	From  int // the number of the first line
	Lines []Line
	Items []Item
}

// Reader reads one terminal's frames in order. It is not safe for concurrent use.
type Reader struct {
	// Explain is called for all that is read; nil: nobody wants to know.
	Explain func(Explanation)

	main, alt tape
	seg       segment
	tapes     int // tapes so far
	prompt    shellPrompt
	left      []Line             // rows that left the screen while it was unreadable
	drawn     map[*vterm.Row]int // widths of the rows that were drawn before a resize
	cols      int
	entered   *Item // a shell command that may have wiped the screen
	cut       cutRows
	resized   int // an agent on the main screen may not yet have drawn its text for the new width
	bye       farewell
	steps     []Step
	agents    int // agents seen
	shown     bool
}

// segment is the part of a tape that is being read: one run of an agent, or the shell between.
type segment struct {
	agent   *Profile // nil: the shell
	alt     bool     // it stands on the alternate screen
	tape    int      // the number of its tape
	start   int      // its first line
	items   []Item   // read so far; their lines count from the tape's first
	past    int      // items before those, whose lines the tape no longer holds
	reprint bool     // it may show again what was read before
	before  []string // the user's messages on the tape before a wipe, until it is known what the wipe was
	wiped   bool
	chrome  bool  // its input was seen since the wipe
	state   State // of the agent in the frame at hand: nothing grows while it is idle
}

// NewReader returns a Reader for a terminal that shows nothing yet.
func NewReader() *Reader { return &Reader{} }

// Agent returns the name of the agent that runs, or "".
func (r *Reader) Agent() string {
	if r.seg.agent == nil {
		return ""
	}
	return r.seg.agent.Name
}

// Shown reports whether the last frame showed the chrome of the agent that runs, such as its input box.
func (r *Reader) Shown() bool { return r.seg.agent != nil && r.shown }

// Seen tells whether an agent or a shell prompt was ever seen.
func (r *Reader) Seen() bool { return r.agents > 0 || r.prompt.known() }

// Prompt tells that a shell's prompt stands before the column cursorX of a row, as the shell itself says (OSC 133;B).
func (r *Reader) Prompt(row *vterm.Row, cursorX int) { r.prompt.learnMarked(row, cursorX) }

// Read reads a frame and returns what it tells the log. The steps are valid until the next call.
func (r *Reader) Read(f Frame) []Step {
	r.steps = r.steps[:0]
	if f.Resized {
		r.noteWidths(f)
	}
	r.cols, r.shown = f.Cols, false
	switch {
	case f.Alt:
		r.readAlt(f)
	default:
		r.readMain(f)
	}
	return r.steps
}

// Close ends the reading: the program is gone. The steps are valid until the next call.
func (r *Reader) Close() []Step {
	r.steps = r.steps[:0]
	r.leave()
	return r.steps
}

func (r *Reader) emit(event, agent string, data map[string]any) {
	r.steps = append(r.steps, Step{Event: event, Agent: agent, Data: data})
}

// noteWidths remembers at which width the rows were drawn that a resize found on the screen.
func (r *Reader) noteWidths(f Frame) {
	drawn := make(map[*vterm.Row]int, len(f.Lines))
	for _, row := range f.Lines {
		drawn[row] = r.cols
		if c, ok := r.drawn[row]; ok {
			drawn[row] = c
		}
	}
	r.drawn = drawn
}

func (r *Reader) line(row *vterm.Row) Line {
	if c, ok := r.drawn[row]; ok && row.Text != "" {
		return Line{Row: row, Cols: c}
	}
	return Line{Row: row, Cols: r.cols}
}

func (r *Reader) lines(rows []*vterm.Row) []Line {
	out := make([]Line, len(rows))
	for i, row := range rows {
		out[i] = r.line(row)
	}
	return out
}

func (r *Reader) screen(f Frame) Screen {
	return Screen{Lines: r.lines(f.Lines), CursorX: f.CursorX, CursorY: f.CursorY, CursorVisible: f.Visible, Alt: f.Alt, Title: f.Title}
}

// open begins a segment at a line of its tape.
func (r *Reader) open(agent *Profile, alt bool, start int) {
	r.tapes++
	r.seg = segment{agent: agent, alt: alt, tape: r.tapes, start: start}
}

// enter begins a run of an agent.
func (r *Reader) enter(p *Profile, b Banner, alt bool, start int) {
	r.leave()
	r.open(p, alt, start)
	r.agents++
	data := map[string]any{}
	for k, v := range map[string]string{"version": b.Version, "model": b.Model, "cwd": b.Cwd} {
		if v != "" {
			data[k] = v
		}
	}
	r.emit(session.EventNewSession, p.Name, data)
}

// leave ends the run of an agent, if one runs.
func (r *Reader) leave() {
	if r.seg.agent != nil {
		r.emit(session.EventCLIExit, r.seg.agent.Name, nil)
		r.seg.agent = nil
	}
}

// banner finds the first banner in lines; the agent that runs is tried first.
func (r *Reader) banner(lines []Line) (p *Profile, b Banner, at, n int) {
	for i := range lines {
		if lines[i].Text == "" {
			continue
		}
		for _, p := range profiles {
			if b, n := p.Banner(lines[i:]); n > 0 {
				return p, b, i, n
			}
		}
	}
	return nil, Banner{}, 0, 0
}

// read parses what is new on a tape and shows it to the log.
func (r *Reader) read(t *tape, settled bool) {
	s := &r.seg
	if t.dirty >= len(t.lines) && !settled {
		return
	}
	k := len(s.items)
	for k > 0 && s.items[k-1].First >= t.dirty {
		k--
	}
	k = max(0, k-2) // the items before may end differently now
	for k > 0 && s.items[k].First == s.items[k].End {
		k-- // an item without lines of its own is part of the one before
	}
	from := s.start
	if k > 0 {
		from = s.items[k].First
	}
	s.items = append(s.items[:k:k], shift(r.parse(t.lines[min(from, len(t.lines)):]), from)...)
	t.clean()
	if r.Explain != nil {
		r.Explain(Explanation{Agent: r.Agent(), Tape: s.tape, From: from, Lines: t.lines[min(from, len(t.lines)):], Items: s.items[k:]})
	}
	if settled && s.wiped && (s.chrome || len(trim(t.lines)) > 0) { // a blank screen is not yet drawn
		r.judgeWipe()
	}
	v := &session.View{Tape: s.tape, From: s.past + k, Past: s.past, Reprint: s.reprint, Settled: settled}
	for i := range s.items[k:] {
		it := &s.items[k+i]
		v.Items = append(v.Items, session.Sighting{Message: it.Message, Event: it.Event, Open: it.Open && s.state != StateIdle})
	}
	r.steps = append(r.steps, Step{View: v})
	r.forget(t)
}

// A tape longer than maxTape lines is cut down to keepTape.
const (
	maxTape  = 20000
	keepTape = 10000
)

// forget cuts off what has long left the window, between two items if it can. One item of more lines keeps its head.
func (r *Reader) forget(t *tape) {
	if len(t.lines) <= maxTape {
		return
	}
	s := &r.seg
	cut := min(len(t.lines)-keepTape, t.base)
	n := len(s.items)
	for n > 0 && s.items[n-1].First >= cut {
		n--
	}
	if n > 1 && s.items[n-1].First > keepTape/2 {
		n--
		cut = s.items[n].First
	}
	s.past += n
	s.items = shift(append([]Item(nil), s.items[n:]...), -cut)
	s.start = max(0, s.start-cut)
	t.forget(cut)
}

// parse reads the items off lines of the segment.
func (r *Reader) parse(lines []Line) []Item {
	if r.seg.agent == nil {
		return parseShell(lines, &r.prompt)
	}
	items := r.seg.agent.Parse(lines, true)
	for i := range items {
		items[i].Agent = r.seg.agent.Name
	}
	return items
}

func shift(items []Item, by int) []Item {
	for i := range items {
		items[i].First += by
		items[i].End += by
	}
	return items
}

// judgeWipe decides, once the screen is quiet again, what a wipe was: the agent printed its conversation again, or
// the conversation was cleared.
func (r *Reader) judgeWipe() {
	s := &r.seg
	before := s.before
	s.wiped, s.before = false, nil
	if len(before) == 0 {
		return
	}
	for _, it := range s.items {
		if it.Event == session.EventClear || it.Role == session.RoleCommand && strings.HasPrefix(it.Text, "/compact") {
			return // compacted: it goes on, shortened
		}
		if it.Role != session.RoleUser {
			continue
		}
		for _, text := range before {
			if it.Text == text {
				return
			}
		}
	}
	r.emit(session.EventClear, s.agent.Name, nil)
	s.reprint = false
}

// users returns the texts of the user's messages in the segment, each once: an agent may wipe often before all is quiet.
func (s *segment) users() []string {
	texts := s.before
	for _, it := range s.items {
		if it.Role == session.RoleUser && !slices.Contains(texts, it.Text) {
			texts = append(texts, it.Text)
		}
	}
	return texts
}
