package extractor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Frame is the terminal at a moment between two redraws, with what happened since the frame before.
type Frame struct {
	*vterm.Snapshot
	History []vterm.HistoryRow // what left the main screen since the last frame
	Wiped   bool               // the main screen was erased before this frame was drawn
	Resized bool               // the window's size just changed, nothing has been drawn since
	Redrawn bool               // all that is on the alternate screen was drawn since the last resize
	Settled bool               // nothing has been written for a while
	Torn    bool               // so much has left the screen that it cannot wait: the screen is in the middle of being drawn
}

// Step is one thing that a frame tells the terminal log, in order.
type Step struct {
	Event string // an event of the agent; else View holds
	Agent string
	Data  map[string]any
	View  *session.View // without its time and offset
	State chat.State    // with Event == "": the agent's state, where View is nil
}

// Reader reads one terminal's frames in order. It is not safe for concurrent use.
type Reader struct {
	// Trace, if set, is called at the end of each Read and Close.
	Trace func(Trace)
	trace *trace // of the frame at hand, if Trace is set

	main, alt tape
	seg       segment
	tapes     int // tapes so far
	prompt    shellPrompt
	folder    string             // that the shell is in, as it says (OSC 7)
	left      []row.Line         // rows that left the screen while it was unreadable
	drawn     map[*vterm.Row]int // widths of the rows that were drawn before a resize
	cols      int
	window    []row.Line    // of the last frame of the main screen
	altWindow []row.Line    // likewise, of the alternate screen
	entered   *shellCommand // that may have wiped the screen
	lead      longText      // what was printed while neither an agent nor a shell was seen, up to the rows of the tape
	long      bool          // there is some
	cut       cutRows
	resized   int // an agent on the main screen may not yet have drawn its text for the new width
	calm      calm
	bye       farewell
	steps     []Step
	agents    int    // agents seen
	version   string // of the last one, as its banner says
	shown     bool
	asked     bool // nobody known asked, in the last settled frame
}

// segment is the part of a tape that is being read: one run of an agent, or the shell between.
type segment struct {
	agent      *Profile       // nil: the shell
	alt        bool           // it is on the alternate screen
	tape       int            // the number of its tape
	start      int            // its first line
	items      []chat.Item    // of an agent, read so far; their lines count from the tape's first
	commands   []shellCommand // likewise, of the shell
	old        []shellCommand // those of them that the last frame read again, as they were before
	typing     int            // the line on which a command begins that is being typed
	learned    int            // what was known of prompts when they were read
	past       int            // items before those, whose lines the tape no longer holds
	reprint    bool           // it may show again what was read before
	before     []string       // the user's messages on the tape before a wipe, until it is known what the wipe was
	wiped      bool
	cleared    bool       // it begins with a command that cleared the conversation
	wasCleared bool       // the segment before the wipe did
	chrome     bool       // its input was seen since the wipe
	state      chat.State // of the agent in the frame at hand: nothing grows while it is idle
	waiting    int        // lines that have changed since the last read
	readState  chat.State // at the last read
	quiet      chat.State // likewise, if all was quiet then
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

// Widths returns how wide the agent that runs takes characters to be.
func (r *Reader) Widths() vterm.Widths {
	if r.seg.agent == nil {
		return vterm.Graphemes
	}
	return r.seg.agent.Widths
}

// Shown reports whether the last frame showed the chrome of the agent that runs, such as its input
// box.
func (r *Reader) Shown() bool { return r.seg.agent != nil && r.shown }

// Seen reports whether an agent or a shell prompt was ever seen.
func (r *Reader) Seen() bool { return r.agents > 0 || r.prompt.known() || r.prompt.marked }

// Marked says that the shell itself says where its prompts end (OSC 133;B).
func (r *Reader) Marked() {
	if !r.prompt.marked {
		r.prompt.marked = true
		r.prompt.learned++
	}
}

// Read reads a frame and returns what it tells the log. The steps are valid until the next call.
func (r *Reader) Read(f Frame) []Step {
	r.steps = r.steps[:0]
	if r.Trace != nil {
		r.trace = &trace{}
		r.trace.split(chat.Split{}, len(f.Lines))
		defer func() { r.report(r.screen(f)) }()
	}
	switch {
	case f.Resized:
		r.noteWidths(f)
	case f.Redrawn:
		r.drawn = nil
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
	if r.Trace != nil {
		r.trace = &trace{}
		defer func() { r.report(chat.Screen{}) }()
	}
	r.flush(&r.main, len(r.main.lines))
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

func (r *Reader) line(rw *vterm.Row) row.Line {
	if len(r.drawn) > 0 {
		if c, ok := r.drawn[rw]; ok && rw.Text != "" {
			return row.Line{Row: rw, Cols: c}
		}
	}
	return row.Line{Row: rw, Cols: r.cols}
}

// screen returns the window of a frame. Its lines are valid until the next frame.
func (r *Reader) screen(f Frame) chat.Screen {
	w := &r.window
	if f.Alt {
		w = &r.altWindow
	}
	*w = slices.Grow((*w)[:0], len(f.Lines))[:len(f.Lines)]
	lines := *w
	for y, row := range f.Lines {
		if l := r.line(row); lines[y].Row != row || lines[y].Cols != l.Cols {
			lines[y] = l
		}
	}
	return chat.Screen{Lines: lines, CursorX: f.CursorX, CursorY: f.CursorY, CursorVisible: f.Visible, Alt: f.Alt, Title: f.Title}
}

// open begins a segment at a line of its tape.
func (r *Reader) open(agent *Profile, alt bool, start int) {
	if r.seg.agent == nil && r.seg.tape > 0 {
		r.folder = lastFolder(r.main.lines, r.folder)
		r.seg.freeze()
	}
	r.tapes++
	r.seg = segment{agent: agent, alt: alt, tape: r.tapes, start: start}
}

// reopen begins a segment that may show again what the agent's segment before it has shown.
func (r *Reader) reopen(agent *Profile, alt bool, start int) {
	before, cleared := r.seg.users(), r.seg.cleared || r.seg.wiped && r.seg.wasCleared
	r.open(agent, alt, start)
	r.seg.reprint, r.seg.wiped, r.seg.before, r.seg.wasCleared = true, true, before, cleared
}

// enter begins a run of an agent.
func (r *Reader) enter(p *Profile, b chat.Banner, alt bool, start int) {
	r.leave()
	r.open(p, alt, start)
	r.agents++
	r.version = b.Version
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
		if r.seg.alt {
			r.flush(&r.alt, len(r.alt.lines))
		}
		r.emit(session.EventCLIExit, r.seg.agent.Name, nil)
		r.seg.agent = nil
	}
}

// banner finds the first banner in lines; the agent that runs is tried first.
func (r *Reader) banner(lines []row.Line) (p *Profile, b chat.Banner, at, n int) {
	for i := range lines {
		if l := &lines[i]; !l.Judged {
			l.Judged, l.Begins = true, begins(l.Text)
		}
		if !lines[i].Begins {
			continue
		}
		for _, p := range profiles {
			if b, n := p.Banner(lines[i:]); n > 0 {
				return p, b, i, n
			}
		}
	}
	return nil, chat.Banner{}, 0, 0
}

// begins reports whether some agent's banner may begin on a row with this text.
func begins(text string) bool {
	return text != "" && slices.ContainsFunc(profiles, func(p *Profile) bool { return p.Begins(text) })
}

// read parses what is new on a tape and shows it to the log.
func (r *Reader) read(t *tape, settled bool) {
	s := &r.seg
	if s.agent == nil {
		r.readCommands(t, settled)
		return
	}
	if t.dirty >= len(t.lines) && (!settled || s.quiet == s.state && s.quiet != chat.StateUnknown && !s.wiped) {
		return
	}
	if r.show(t, len(t.lines), settled, false) {
		r.forget(t)
	}
}

// flush reads what of an agent's lines, up to line end, was put off.
func (r *Reader) flush(t *tape, end int) {
	if r.seg.agent != nil && r.seg.waiting > 0 {
		r.show(t, min(end, len(t.lines)), false, true)
	}
}

// show parses what is new on an agent's tape up to line end, and shows it to the log, unless it is
// better put off.
func (r *Reader) show(t *tape, end int, settled, now bool) bool {
	s := &r.seg
	if len(s.items) > 0 && t.dirty <= s.items[0].First && !s.cleared && !s.wiped && r.clears(t) { // drawn over the conversation, without a wipe
		r.reopen(s.agent, s.alt, s.start)
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
	if !settled && !now && r.defers(t, end-from) {
		return false
	}
	lines := t.lines[min(from, end):end]
	s.waiting, s.readState = 0, s.state
	s.quiet = chat.StateUnknown
	if settled {
		s.quiet = s.state
	}
	s.items = append(s.items[:k], shift(r.parse(lines), from)...)
	t.clean()
	r.trace.parsed(t.base, s.past+k, s.items[k:])
	s.cleared = s.cleared || r.clears(t)
	if s.wiped && s.cleared && !s.wasCleared {
		r.clear()
	}
	if settled && s.wiped && (s.chrome || len(row.Trim(t.lines)) > 0) { // a blank screen is not yet drawn
		r.judgeWipe()
	}
	v := &session.View{Tape: s.tape, From: s.past + k, Past: s.past, Reprint: s.reprint, Settled: settled}
	for i := range s.items[k:] {
		it := &s.items[k+i]
		v.Items = append(v.Items, session.Sighting{Message: it.Message, Event: it.Event, Open: it.Open && s.state != chat.StateIdle})
	}
	r.steps = append(r.steps, Step{View: v})
	return true
}

// longRead is from how many lines on a read waits until enough has changed.
const longRead = 400

// defers reports whether n lines are too many to be read now, for what has changed: the cost of
// many small changes must not grow with the length of the message that they are in.
func (r *Reader) defers(t *tape, n int) bool {
	s := &r.seg
	stopped := s.state != chat.StateBusy && s.state != s.readState
	return n > longRead && s.waiting*16 < n && !stopped
}

// change changes an agent's tape, and returns how many of its lines are new then.
func (r *Reader) change(t *tape, do func()) int {
	unread := t.dirty
	if r.seg.waiting > 0 { // what was put off is not new now
		t.clean()
	}
	do()
	n := len(t.lines) - t.dirty
	t.dirty = min(t.dirty, unread)
	r.seg.waiting += n
	return n
}

// A tape longer than maxTape lines is cut down to keepTape.
const (
	maxTape  = 20000
	keepTape = 10000
)

// forget drops what has long left the window, up to the start of an item. Of an item that is longer
// itself, lines in the middle are left out.
func (r *Reader) forget(t *tape) {
	if len(t.lines) <= maxTape {
		return
	}
	s := &r.seg
	cut := min(len(t.lines)-keepTape, t.base)
	n := len(s.items)
	for n > 0 && s.items[n-1].First > cut {
		n--
	}
	if n > 0 { // the item that the cut would go through stays
		n--
		cut = min(cut, s.items[n].First)
	}
	s.past += n
	s.items = shift(append([]chat.Item(nil), s.items[n:]...), -cut)
	s.start = max(0, s.start-cut)
	t.forget(cut)
	r.calm = calm{}
	if len(t.lines) > maxTape && len(s.items) > 0 {
		r.shorten(t, &s.items[0])
	}
}

// shorten leaves lines out of the middle of the first item of a tape.
func (r *Reader) shorten(t *tape, it *chat.Item) {
	from := it.First + keepTape/2
	to := min(it.End, t.base) - keepTape/2
	by := t.leaveOut(from, to)
	it.End -= by
	for i := range r.seg.items[1:] {
		r.seg.items[i+1].First -= by
		r.seg.items[i+1].End -= by
	}
}

// parse reads the items off an agent's lines.
func (r *Reader) parse(lines []row.Line) []chat.Item {
	items := r.seg.agent.Parse(lines, true)
	for i := range items {
		items[i].Agent = r.seg.agent.Name
		truncate(&items[i], lines)
	}
	return items
}

// truncate notes which of the item's lines are missing among those that it was read off.
func truncate(it *chat.Item, lines []row.Line) {
	if it.Event != "" {
		return
	}
	own := lines[it.First:it.End]
	if it.Headless {
		it.Truncate(session.TruncatedHead)
	}
	n := leftOut(own)
	folded := false
	if it.Role == session.RoleUser {
		var more int
		more, folded = foldedPaste(it.Text)
		n += more
	}
	if n > 0 || folded {
		it.OmittedLines = n
		it.Truncate(session.TruncatedMiddle)
	}
	if len(own) > 1 && slices.ContainsFunc(own[1:], func(l row.Line) bool { return l.Lost }) {
		it.Truncate(session.TruncatedMiddle)
	}
	if next := row.SkipBlank(lines, it.End); next < len(lines) && slices.ContainsFunc(lines[it.End:next+1], func(l row.Line) bool { return l.Lost }) {
		it.Truncate(session.TruncatedTail)
	}
	if it.Tool != nil && it.Truncated {
		it.Tool.Truncated = true
	}
}

// pasteNote is what agents show of a long text that the user pasted: `[Pasted text #1 +39 lines]`,
// `[Pasted Text: 14 lines]`, `[Pasted Content 4096 chars]`.
var pasteNote = regexp.MustCompile(`\[Pasted (?:text #\d+ \+(\d+) lines|Text: (\d+) lines[^\]]*|Content \d+ chars[^\]]*)\]`)

// foldedPaste reports whether a prompt holds such notes, and how many lines they represent.
func foldedPaste(text string) (lines int, ok bool) {
	if !strings.Contains(text, "[Pasted ") {
		return 0, false
	}
	for _, m := range pasteNote.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1] + m[2]) // one of the two, or none
		lines, ok = lines+n, true
	}
	return lines, ok
}

func shift(items []chat.Item, by int) []chat.Item {
	for i := range items {
		items[i].First += by
		items[i].End += by
	}
	return items
}

// judgeWipe decides, once the screen is quiet again, what a wipe was: the agent printed its
// conversation again, or the conversation was cleared.
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
	r.clear()
}

// clear ends the conversation: what is on the tape is a new one.
func (r *Reader) clear() {
	r.emit(session.EventClear, r.seg.agent.Name, nil)
	r.seg.reprint, r.seg.wiped, r.seg.before = false, false, nil
}

// clears reports whether a command that cleared the conversation is above the segment's first
// item.
func (r *Reader) clears(t *tape) bool {
	s := &r.seg
	if s.agent.Clears == nil || s.past > 0 {
		return false
	}
	end := len(t.lines)
	if len(s.items) > 0 {
		end = min(end, s.items[0].First+1)
	}
	return slices.ContainsFunc(t.lines[min(s.start, end):end], s.agent.Clears)
}

// users returns the texts of the user's messages in the segment, each once: an agent may wipe often
// before all is quiet.
func (s *segment) users() []string {
	texts := s.before
	for _, it := range s.items {
		if it.Role == session.RoleUser && !slices.Contains(texts, it.Text) {
			texts = append(texts, it.Text)
		}
	}
	return texts
}
