package extractor

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// read parses what is new in an agent's document, and passes it to the log.
func (r *Reader) read(d *document.Document, settled bool) {
	s := &r.seg
	if d.Dirty >= len(d.Lines) && (!settled || s.settled && s.state == s.readState) {
		return
	}
	if r.show(d, len(d.Lines), settled, false) {
		r.forget(d)
	}
}

// flush parses the deferred lines of an agent, up to line end.
func (r *Reader) flush(end int) {
	if d := r.drawn(); r.seg.waiting > 0 {
		r.show(d, min(end, len(d.Lines)), false, true)
	}
}

// show parses what is new in an agent's document up to line end, and passes it to the log, unless
// it should be deferred.
func (r *Reader) show(d *document.Document, end int, settled, now bool) bool {
	s := &r.seg
	// drawn over the conversation, without a wipe
	if len(s.items) > 0 && d.Dirty <= s.items[0].First && !s.cleared && r.clears(d) {
		r.reopen(s.agent, s.alt, s.start)
	}
	k, from, headless := s.resume(d.Dirty)
	if !settled && !now && r.defers(end-from) {
		return false
	}
	lines := d.Lines[min(from, end):end]
	s.waiting, s.readState, s.settled = 0, s.state, settled
	s.items = append(s.items[:k], shift(r.parse(lines, headless, s.past+k == 0), from)...)
	s.clearedOnce()
	d.Clean()
	r.parsed(s.past+k, s.items[k:])
	s.cleared = r.clears(d)
	if s.wiped && s.cleared && !s.wasCleared {
		r.clear()
	}
	if settled && s.chrome { // otherwise the screen is not drawn yet
		r.judgeWipe()
	}
	v := &session.View{Document: s.document, From: s.past + k, Past: s.past, Reprint: s.reprint, Settled: settled}
	for i := range s.items[k:] {
		it := &s.items[k+i]
		v.Items = append(v.Items, session.Sighting{Message: it.Message, Event: it.Event,
			Open: it.Open && s.state != chat.StateIdle, Shortened: it.Shortened})
	}
	r.steps = append(r.steps, Step{View: v})
	return true
}

// resume returns the index of the item from which to parse again if lines have changed from dirty
// on, and its first line. headless means that its first rows were never on the screen, which may
// have become known from what is above.
func (s *segment) resume(dirty int) (k, from int, headless bool) {
	k = max(0, firstFrom(s.items, dirty)-2) // the items before may end differently now
	for k > 0 && s.items[k].First == s.items[k].End {
		k-- // an item without lines of its own belongs to the previous one
	}
	if k == 0 {
		return 0, s.start, false
	}
	return k, s.items[k].First, s.items[k].Headless
}

// clearedOnce drops an agent's message about a clear that the empty screen has already shown,
// before any message of the user.
func (s *segment) clearedOnce() {
	first := slices.IndexFunc(s.items, func(it chat.Item) bool {
		return it.Role == session.RoleUser ||
			it.Event == session.EventClear
	})
	if s.emptied && first >= 0 && s.items[first].Event != "" {
		s.items = slices.Delete(s.items, first, first+1)
	}
}

// longRead is the number of lines from which a read is deferred until enough has changed.
const longRead = 400

// defers reports whether reading n lines should be deferred, given how much has changed: the cost
// of many small changes must not grow with the length of the message that they are in.
func (r *Reader) defers(n int) bool {
	s := &r.seg
	stopped := s.state != chat.StateBusy && s.state != s.readState
	return n > longRead && s.waiting*16 < n && !stopped
}

// change changes an agent's document, and returns how many of its lines are then new.
func (r *Reader) change(d *document.Document, do func()) int {
	unread := d.Dirty
	if r.seg.waiting > 0 { // deferred lines are not new now
		d.Clean()
	}
	do()
	n := len(d.Lines) - d.Dirty
	d.Dirty = min(d.Dirty, unread)
	r.seg.waiting += n
	return n
}

// A document with more than maxTape lines is cut to keepTape.
const (
	maxTape  = 20000
	keepTape = 10000
)

// forget drops lines that have left the window long ago, up to the start of an item. If an item
// itself is longer, it drops lines from its middle.
func (r *Reader) forget(d *document.Document) {
	if len(d.Lines) <= maxTape {
		return
	}
	s := &r.seg
	cut := min(len(d.Lines)-keepTape, d.Base)
	n := firstFrom(s.items, cut+1)
	if n > 0 { // keep the item that would be cut
		n--
		cut = s.items[n].First
	}
	s.past += n
	s.items = shift(slices.Clone(s.items[n:]), -cut)
	s.start = max(0, s.start-cut)
	d.Forget(cut)
	if len(d.Lines) > maxTape && len(s.items) > 0 {
		it := &s.items[0]
		by := d.LeaveOut(it.First+keepTape/2, min(it.End, d.Base)-keepTape/2)
		it.End -= by
		shift(s.items[1:], -by)
	}
}

// parse reads the items off an agent's lines. headless: the first rows of the item on the first
// line were never on the screen. top: that is the first line of the conversation.
func (r *Reader) parse(lines []row.Line, headless, top bool) []chat.Item {
	parse := r.seg.agent.Parse
	if top && r.seg.agent.ParseTop != nil {
		parse = r.seg.agent.ParseTop
	}
	items := parse(lines)
	for i := range items {
		items[i].Headless = items[i].Headless || headless && items[i].First == 0
		items[i].Agent = r.seg.agent.Name
		truncate(&items[i], lines)
	}
	for i := len(items) - 2; i >= 0; i-- {
		if drawnAgain(&items[i], &items[i+1]) {
			items = slices.Delete(items, i, i+1)
		}
	}
	return items
}

// drawnAgain reports whether an item repeats the prompt above it as a whole, after the end of that
// prompt was lost.
func drawnAgain(above, it *chat.Item) bool {
	return above.TruncatedAt == session.TruncatedTail && above.Role == session.RoleUser && it.Role == above.Role &&
		strings.HasPrefix(it.Text, above.Text)
}

// truncate records which of the item's lines are missing.
func truncate(it *chat.Item, lines []row.Line) {
	own := lines[it.First:it.End]
	if it.Headless {
		it.Truncate(session.TruncatedHead)
	}
	n, gap := document.LeftOut(own), row.AnyLost(own[min(1, len(own)):])
	if it.Role == session.RoleUser {
		for _, m := range pasteNote().FindAllStringSubmatch(it.Text, -1) {
			more, _ := strconv.Atoi(m[1] + m[2]) // at most one of the two is set
			n, gap = n+more, true
		}
	}
	it.OmittedLines = n
	if n > 0 || gap {
		it.Truncate(session.TruncatedMiddle)
	}
	if next := row.SkipBlank(lines, it.End); next < len(lines) && row.AnyLost(lines[it.End:next+1]) {
		it.Truncate(session.TruncatedTail)
	}
	if it.Tool != nil && it.Truncated {
		it.Tool.Truncated = true
	}
}

// pasteNote matches the placeholder for a long text that the user pasted: `[Pasted text #1 +39
// lines]`, `[Pasted Text: 14 lines]`, `[Pasted Content 4096 chars]`.
var pasteNote = lazy.Regexp(`\[Pasted (?:text #\d+ \+(\d+) lines|Text: (\d+) lines[^\]]*|Content \d+ chars[^\]]*)\]`)

// firstFrom returns the index of the first item that begins on a line or below it.
func firstFrom(items []chat.Item, line int) int {
	n, _ := slices.BinarySearchFunc(items, line, func(it chat.Item, line int) int { return it.First - line })
	return n
}

func shift(items []chat.Item, by int) []chat.Item {
	for i := range items {
		items[i].First += by
		items[i].End += by
	}
	return items
}

// judgeWipe decides, once the screen is quiet again, whether a wipe has redrawn the conversation or
// cleared it. It does not decide while a busy agent shows no item yet, or while a command is typed:
// some agents draw only its menu then, and a command that does not clear does not count. If the
// first prompt is in the input box, the user went back to it.
func (r *Reader) judgeWipe() {
	s := &r.seg
	before := s.before
	if len(before) == 0 {
		s.wiped = false
		return
	}
	typed := r.typed()
	if strings.HasPrefix(typed, "/") {
		s.command = typed
		return
	}
	if len(s.items) == 0 && s.state == chat.StateBusy {
		return
	}
	s.wiped, s.before = false, nil
	if s.first != "" && s.command == "" && words(typed) == s.first || !mayClear(s.command) {
		return
	}
	for _, it := range s.items {
		if it.Event == session.EventClear || row.Starts(it.Text, "/compact", "Conversation rewound.") {
			return // the conversation continues, shortened
		}
		if before[it.Text] {
			return
		}
	}
	r.clear()
}

// mayClear reports whether a command, or what Enter may complete it to, starts another
// conversation. It does not know the user's own commands.
func mayClear(command string) bool {
	name, _, _ := strings.Cut(command, " ")
	return slices.ContainsFunc([]string{"/clear", "/new", "/reset", "/resume", "/chat", "/session"}, func(c string) bool {
		return strings.HasPrefix(c, name) || strings.HasPrefix(name, c)
	})
}

// typed returns the input in the agent's input box.
func (r *Reader) typed() string {
	if r.seg.agent.Box == nil {
		return ""
	}
	b, _ := r.seg.agent.Box(r.window.Lines(r.seen.Lines))
	return b.Text()
}

// clear ends the conversation: the document contains a new one. An agent that draws no banner for
// it continues below the old one, on the main screen.
func (r *Reader) clear() {
	below := !r.seg.alt && !r.bannerIn(r.main.Lines[r.seg.start:])
	r.steps = append(r.steps, Step{Event: session.EventClear, Agent: r.seg.agent.Name, Below: below})
	r.seg.reprint, r.seg.wiped, r.seg.before = false, false, nil
}

// clears reports whether a command that cleared the conversation is above the segment's first
// item.
func (r *Reader) clears(d *document.Document) bool {
	s := &r.seg
	end := len(d.Lines)
	if len(s.items) > 0 {
		end = min(end, s.items[0].First+1)
	}
	return slices.ContainsFunc(d.Lines[min(s.start, end):end], s.agent.clears)
}

// words returns a text without line breaks, because the input box may wrap it elsewhere.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// users returns the texts of the user's messages in the segment's last conversation.
func (s *segment) users() map[string]bool {
	texts := map[string]bool{}
	maps.Copy(texts, s.before)
	for _, it := range s.items {
		switch {
		case it.Event == session.EventClear:
			clear(texts)
		case it.Role == session.RoleUser:
			texts[it.Text] = true
		}
	}
	return texts
}
