package extractor

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/extractor/shell"
	"github.com/ptyrec/ptyrec/extractor/unknown"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Frame is the state of the terminal between two redraws, with what has happened since the previous
// frame.
type Frame struct {
	*vterm.Snapshot
	History     []vterm.HistoryRow // rows that have left the main screen since the last frame
	AltScrolled []*vterm.Row       // rows that have scrolled off the top of the alternate screen since the last frame
	Wiped       bool               // the main screen was erased before this frame was drawn
	Resized     bool               // the window's size just changed, and nothing has been drawn since
	Redrawn     bool               // the whole alternate screen was redrawn since the last resize
	Settled     bool               // nothing has been written for a while
	Whole       bool               // the program has marked the end of its redraw
	Placed      bool               // the program positions the cursor on cells, so it may draw single cells of a row
	// So much has left the screen that reading cannot wait, although the screen is being drawn.
	Torn bool
}

// Step is a change of the terminal log. Steps are in order.
type Step struct {
	Event string // an event of the agent; if empty, View or State is set
	Agent string
	Data  map[string]any
	// With EventClear: if the agent prints everything again, the new conversation begins above, at
	// its banner.
	Below bool
	View  *session.View // without its time and offset
	State chat.State    // the agent's state, if Event is "" and View is nil
}

// Reader reads the frames of one terminal in order. It must not be used concurrently.
type Reader struct {
	// Trace, if set, is called at the end of each Read and Close.
	Trace func(Trace)
	// Shown reports whether the last frame showed the chrome of the running agent, such as its
	// input box.
	Shown bool
	// HalfDrawn reports whether the last frame was incomplete, and should not be settled soon.
	HalfDrawn bool

	trace Trace // of the current frame

	seen        picture // the last frame
	main, alt   document.Document
	window      document.Window
	lag         document.Lag
	cutRows     [2]map[cutRow]row.Line // of the last frame and of the one before
	shell       shell.Reader
	seg         segment
	steps       []Step
	last        *Profile // the agent that ran last
	version     string   // the version that its banner showed
	lastBanner  seenBanner
	held        []row.Line   // rows of an incomplete frame since the last one that was read
	chrome      []row.Line   // rows below the conversation in the last frame that was read
	altScrolled []row.Line   // rows that have scrolled off the top of the alternate screen since then
	skipped     [][]row.Line // rows of frames that were not read after a resize, since the last one that was read
	mux         mux
	asked       bool // nobody known asked, in the last settled frame
	profiles    []*Profile
	unknown     *unknown.Reader // of the program that no profile describes
}

// picture is the input from a frame, except what has left the main screen.
type picture struct {
	*vterm.Snapshot
	resized, redrawn bool
}

// seenBanner is a banner that was found.
type seenBanner struct {
	agent *Profile
	says  chat.Banner
	n     int          // number of its rows
	rows  []*vterm.Row // its rows, and the one below if there was one
}

// segment is the part of a document that is being read: one run of an agent, or the shell in
// between.
type segment struct {
	agent    *Profile        // noAgent for the shell
	alt      bool            // whether it is on the alternate screen
	document int             // number of its document
	start    int             // its first line
	items    []chat.Item     // items of an agent so far; their lines count from the document's first
	past     int             // number of items before those, whose lines are no longer in the document
	reprint  bool            // it may repeat what was read before
	before   map[string]bool // the user's messages in the document before a wipe, until the wipe is classified
	first    string          // the first prompt in the document before a wipe, if nothing was above it
	wiped    bool
	command  string // typed while the classification of the wipe was deferred
	welcomed bool   // a frame showed that the agent waits, and nothing else
	// A frame since the last one that was read showed that the agent waits, and nothing of the
	// conversation.
	blank      bool
	emptied    bool       // it begins where the screen showed nothing of the previous one
	cleared    bool       // it begins with a command that cleared the conversation
	wasCleared bool       // the segment before the wipe did
	chrome     bool       // its input was seen since the wipe
	welcome    []row.Line // the welcome at the time of the first message, at this width
	state      chat.State // state of the agent in the current frame; nothing grows while it is idle
	waiting    int        // number of lines that have changed since the last read
	readState  chat.State // at the last read
	settled    bool       // nothing was being drawn then
	rests      bool       // the cursor was below the conversation in the last settled frame
	ruled      bool       // on the alternate screen, it was also below a rule
	panel      int        // width of the panel beside the conversation, in columns
	synced     bool       // the agent says when a redraw is complete
}

// NewReader returns a Reader for an empty terminal.
func NewReader() *Reader {
	return &Reader{
		cutRows: [2]map[cutRow]row.Line{{}, {}}, seg: segment{agent: noAgent, document: 1},
		profiles: profiles, unknown: &unknown.Reader{},
	}
}

// Blind makes the Reader read every agent as one that nobody has described, so that the scorer can
// tell how well that works. It is called before the first frame.
func (r *Reader) Blind() { r.profiles = nil }

// Agent returns the name of the agent that runs, or "".
func (r *Reader) Agent() string { return r.seg.agent.Name }

// Widths returns how the running agent computes the width of characters; the shell, while it reads
// a command. n and on are those of vterm.Term.Reads.
func (r *Reader) Widths(n int, on bool) vterm.Widths {
	if r.seg.agent == noAgent && r.shell.Edits(n, on) {
		return vterm.Runes
	}
	return r.seg.agent.Widths
}

// Seen reports whether an agent or a shell prompt was ever seen.
func (r *Reader) Seen() bool { return r.shell.Seen() }

// Typed returns where the line that a program reads begins on a screen, for the caller to mark it:
// see shell.Reader.
func (r *Reader) Typed(s *vterm.Snapshot, n int, on, still, settled bool) (x, y int, ok bool) {
	if r.seg.agent != noAgent {
		if r.Shown {
			r.shell.Foreign(n)
		}
		return 0, 0, false
	}
	return r.shell.Typed(s, n, on, still, settled)
}

// Plain returns the whole output of a program on a terminal without an agent or a shell, and what
// was left out of it.
func (r *Reader) Plain() (text string, gap session.Gap) { return r.shell.Plain(&r.main) }

// Read reads a frame and returns the changes of the log. The steps are valid until the next call.
func (r *Reader) Read(f Frame) []Step {
	r.steps, r.trace.Parsed = r.steps[:0], nil
	r.seg.synced = r.seg.synced || f.Whole
	before := r.seen
	r.seen = picture{f.Snapshot, f.Resized, f.Redrawn}
	if !f.Alt || f.Settled || r.seen != before { // otherwise nothing has changed: agents end redraws that change nothing
		r.trace, r.Shown = Trace{}, false
		r.trace.split(chat.Split{}, 0, len(f.Lines))
		r.window.Next(f.Lines, f.Cols, f.Resized, f.Redrawn)
		if f.Alt {
			r.readAlt(f)
		} else {
			r.readMain(f)
		}
	}
	r.report(f)
	return r.steps
}

// maxSkipped is the maximum number of frames to keep that were not read.
const maxSkipped = 64

// Skip reports to Trace that a frame is not read, and why.
func (r *Reader) Skip(f Frame, why string) {
	r.skip(r.screen(f))
	r.trace = Trace{Skipped: why}
	r.report(f)
}

// Close ends the reading after the program has exited. The steps are valid until the next call.
func (r *Reader) Close() []Step {
	r.steps, r.trace, r.Shown = r.steps[:0], Trace{}, false
	if r.seg.agent == noAgent {
		r.closeShell()
	}
	r.leave()
	r.report(Frame{Snapshot: &vterm.Snapshot{}})
	return r.steps
}

// screen returns the window of a frame. Its lines are valid until the next frame.
func (r *Reader) screen(f Frame) chat.Screen {
	return screenOf(f.Snapshot, r.window.Lines(f.Lines))
}

// skip keeps the conversation on a screen that is not read.
func (r *Reader) skip(s chat.Screen) {
	if r.seg.agent != noAgent && r.seg.alt {
		sp := r.seg.agent.Split(s)
		r.keep(r.beside(talk(s, sp), sp))
	}
}

// keep keeps rows of a frame that is not read.
func (r *Reader) keep(rows []row.Line) {
	if row.Run(rows, row.Blank) < len(rows) {
		r.skipped = append(r.skipped, slices.Clone(rows))
		r.skipped = r.skipped[max(0, len(r.skipped)-maxSkipped):]
	}
}

// open begins a segment at a line of its document.
func (r *Reader) open(agent *Profile, alt bool, start int) {
	r.shell.End(r.drawn())
	if agent == noAgent {
		r.unknown = &unknown.Reader{}
		r.shell.Begin(start, alt)
	}
	r.main.Settle()
	r.held, r.altScrolled, r.skipped = nil, nil, nil
	r.seg = segment{agent: agent, alt: alt, document: r.seg.document + 1, start: start}
}

// reopen begins a segment that may repeat what the agent's previous segment has shown.
func (r *Reader) reopen(agent *Profile, alt bool, start int) {
	before, cleared := r.seg.users(), r.seg.cleared || r.seg.wasCleared
	r.open(agent, alt, start)
	r.seg.reprint, r.seg.wiped, r.seg.before, r.seg.wasCleared = true, true, before, cleared
}

// drawn returns the document on which the agent or the shell draws.
func (r *Reader) drawn() *document.Document {
	if r.seg.alt {
		return &r.alt
	}
	return &r.main
}

// enter begins a run of an agent, or continues one that was stopped.
func (r *Reader) enter(p *Profile, b chat.Banner, alt bool, start int) {
	again := r.continues(p)
	r.leave()
	r.open(p, alt, start)
	r.shell.AgentSeen, r.last = true, p
	if again {
		r.seg.reprint = true
		return
	}
	r.version = b.Version
	data := map[string]any{"version": b.Version, "model": b.Model, "cwd": b.Cwd}
	maps.DeleteFunc(data, func(_ string, v any) bool { return v == "" })
	r.steps = append(r.steps, Step{Event: session.EventNewSession, Agent: p.Name, Data: data})
}

// continues reports whether the shell continues the agent p, which ran last, with fg or the number
// of a job. The agent then redraws its conversation.
func (r *Reader) continues(p *Profile) bool {
	program, _ := r.shell.Runs()
	return r.seg.agent == noAgent && r.last != nil && r.last.Name == p.Name &&
		(program == "fg" || strings.HasPrefix(program, "%"))
}

// leave ends the run of an agent, if one is running.
func (r *Reader) leave() {
	if r.seg.agent != noAgent {
		r.flush(math.MaxInt)
		r.steps = append(r.steps, Step{Event: session.EventCLIExit, Agent: r.seg.agent.Name})
		r.seg.agent = noAgent
	}
}

// halfDrawn reports whether the cursor is within the conversation, which ends above row bottom,
// although it was below it when the screen was last quiet. An agent whose cursor rests in the input
// puts it there at the end of a redraw; over a slow connection, the screen is visible before that.
// On the alternate screen, where menus are drawn over the conversation, the cursor must also be
// below the rule above the input if it was before, unless the agent marks the end of a redraw. In a
// dialog and in a welcome that fills the screen, the cursor may be anywhere.
func (r *Reader) halfDrawn(s chat.Screen, state chat.State, bottom int, settled bool) bool {
	below := s.CursorY >= bottom
	ruled := below && s.Alt && !r.seg.synced &&
		slices.ContainsFunc(s.Lines[min(bottom, len(s.Lines)):min(s.CursorY, len(s.Lines))], row.IsRuled)
	if settled {
		r.seg.rests, r.seg.ruled = below, ruled
	}
	drawn := below && (ruled || !r.seg.ruled || r.seg.synced)
	r.HalfDrawn = r.seg.rests && !drawn && state != chat.StateAsking && bottom < len(s.Lines)
	return r.HalfDrawn
}

// banner finds the first banner in lines. The running agent is tried first.
func (r *Reader) banner(lines []row.Line) (p *Profile, b chat.Banner, at, n int) {
	for i := range lines {
		if l := &lines[i]; !l.Judged {
			l.Judged, l.Begins = true, r.begins(l.Text)
		}
		if !lines[i].Begins {
			continue
		}
		if p, b, n := r.bannerOn(lines[i:]); n > 0 {
			return p, b, i, n
		}
	}
	return nil, chat.Banner{}, 0, 0
}

// bannerOn parses the banner that begins with the first of lines. While its rows and the row below
// them are unchanged, it returns the cached result; no banner begins on those other rows.
func (r *Reader) bannerOn(lines []row.Line) (*Profile, chat.Banner, int) {
	last := &r.lastBanner
	if at := slices.Index(last.rows[:last.n], lines[0].Row); at > 0 {
		return nil, chat.Banner{}, 0
	} else if slices.EqualFunc(last.rows, lines[:min(last.n+1, len(lines))], func(rw *vterm.Row,
		l row.Line) bool {
		return rw == l.Row
	}) {
		return last.agent, last.says, last.n
	}
	for _, p := range r.profiles {
		b, n := p.Banner(lines)
		if n == 0 {
			continue
		}
		last.agent, last.says, last.n, last.rows = p, b, n, last.rows[:0]
		for _, l := range lines[:min(n+1, len(lines))] {
			last.rows = append(last.rows, l.Row)
		}
		return p, b, n
	}
	return nil, chat.Banner{}, 0
}

// begins reports whether some agent's banner may begin on a row with this text.
func (r *Reader) begins(text string) bool {
	for _, p := range r.profiles {
		if p.Begins(text) {
			return true
		}
	}
	return false
}
