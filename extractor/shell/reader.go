// Package shell reads the commands that are typed at a shell's prompts, and what they print, off
// the rows of a document.
package shell

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// A document keeps this many rows above the window: those that a resize may wrap again. Rows above
// them leave it when there are enough.
const (
	shellRows = 512
	shellCut  = 1024
)

// Reader reads the commands of a terminal's shells. The zero Reader knows no prompt yet.
type Reader struct {
	// AgentSeen is set where an agent was seen, so that what is printed is no plain program's.
	AgentSeen bool
	// Start is the first line of the part of the document that is the shell's.
	Start int

	prompts prompts
	reading reading
	folder  string            // that the shell is in above the document, as it says (OSC 7)
	lead    document.LongText // printed above the document's rows while neither an agent nor a prompt was seen
	part    part
}

// part is what lies between two agents.
type part struct {
	commands []Command // read so far; their lines count from the document's first
	typing   int       // the line on which a command begins that is being typed
	learned  int       // what was known of prompts when they were read
	past     int       // commands before those, whose lines the document no longer holds
	start    int       // see Reader.Start
	later    bool      // an agent has run before: what it has printed last is no motd
	free     int       // the first line that neither a command nor a prompt has, else -1
	gone     []unused  // lines of the document that belong to no command
	unsure   bool      // the only command was not seen to be entered, but may have wiped the screen (clear)
}

// Seen reports whether an agent or a prompt was ever seen.
func (r *Reader) Seen() bool { return r.AgentSeen || r.prompts.known() || r.prompts.entered }

// Waits reports whether the shell waits for a command on a row that the cursor is on.
func (r *Reader) Waits(rw *vterm.Row, cursorX int) bool { return r.prompts.waits(rw, cursorX) }

// Alone looks at a row that is alone on a quiet screen, with the cursor on it.
func (r *Reader) Alone(rw *vterm.Row, cursorX int) { r.prompts.alone(rw, cursorX) }

// Runs returns the first word of the command that runs, or "", and the first line below it.
func (r *Reader) Runs() (program string, at int) {
	c, ok := running(r.part.commands)
	if !ok {
		return "", 0
	}
	program, _, _ = strings.Cut(c.Text, " ")
	return program, max(0, c.out)
}

// Begin begins the part of a document from a line on. unmarked says that its rows have no marks.
func (r *Reader) Begin(start int, unmarked bool) {
	r.prompts.unmarked, r.prompts.resting = unmarked, nil
	r.Start, r.part = start, part{free: -1, later: r.AgentSeen}
}

// End ends the part at hand: something else is drawn on the document.
func (r *Reader) End(d *document.Document) { r.drop(len(r.part.commands), d.Lines) }

// Wipe ends the document, because the screen was erased. runs reports whether a command is running;
// it continues in the next document. v is the view of the document if it was uncertain until now,
// else nil.
func (r *Reader) Wipe(d *document.Document) (v *session.View, runs bool) {
	r.printed(d.Lines[:min(d.Base, len(d.Lines))])
	s := &r.part
	_, runs = running(s.commands)
	if !runs {
		s.unsure = true
		learned := r.prompts.learned
		r.prompts.typed(d.Lines) // a command has wiped the screen, most probably
		d.Lines = andBlank(d.Lines)
		read := r.Read(d, true)
		if _, runs = running(s.commands); learned != r.prompts.learned {
			v = read
			if runs {
				v.Items = v.Items[:len(v.Items)-1]
			}
		}
	}
	past := len(s.commands)
	if runs {
		past--
	}
	r.drop(past, d.Lines)
	return v, runs
}

// andBlank returns lines and a blank one below them: what is typed there counts as entered.
func andBlank(lines []row.Line) []row.Line {
	return append(slices.Clip(lines), row.Line{Row: &vterm.Row{}})
}

// Look looks at a frame whose rows are on the document. rw is the row that the cursor is on, and at
// its line there.
func (r *Reader) Look(d *document.Document, rw *vterm.Row, at, cursorX int, settled bool) {
	lines := d.Lines
	if r.part.unsure {
		at, _ := r.prompts.split([]row.Line{{Row: rw}}, 0, 0)
		text := r.part.commands[0].Text
		again := slices.ContainsFunc(lines[:min(len(lines), maxPromptRows)], func(l row.Line) bool {
			return strings.HasSuffix(l.Text, text)
		})
		if again || at.typed != "" && strings.HasPrefix(text, at.typed) {
			r.part.commands = nil // the shell has only drawn the prompt again (Ctrl+L)
		}
		r.part.unsure = false
	}
	if settled && r.prompts.rests(rw, cursorX, at) {
		r.part.restsBelow(lines, at, cursorX, &r.prompts)
	}
	if settled && !slices.ContainsFunc(rw.Marks, func(m vterm.Mark) bool {
		return m.Kind == vterm.MarkInput || m.Kind == vterm.MarkTyped || m.Kind == vterm.MarkReads
	}) {
		last, _ := running(r.part.commands)
		r.prompts.learn(rw, cursorX, lines, at, last.Text)
	}
}

// Read reads what is new on a document, and returns the commands that it has read again; nil if
// nothing is new.
func (r *Reader) Read(d *document.Document, settled bool) *session.View {
	s := &r.part
	if d.Dirty >= len(d.Lines) && !settled {
		return nil
	}
	dirty := d.Dirty
	again, all := s.learned != r.prompts.learned, r.prompts.rowsLearned
	from, n := r.resume(dirty)
	old := slices.Clone(s.commands[n:])
	s.commands = s.commands[:n]
	k := n
	if n > 0 && !s.commands[n-1].closed {
		k--
	}
	if all {
		k = 0
	}
	s.start = min(r.Start, len(d.Lines))
	s.read(d.Lines, from, &r.prompts, r.folder)
	for _, o := range old {
		if i := slices.IndexFunc(s.commands, func(c Command) bool { return c.First == o.First }); i >= 0 {
			s.commands[i].printed = o.printed
		} else {
			o.printed.gone()
		}
	}
	d.Clean()
	v := &session.View{From: s.past + k, Past: s.past, Again: again, Settled: settled}
	v.Items = make([]session.Sighting, len(s.commands)-k)
	for i := range v.Items {
		c := &s.commands[k+i]
		if c.printed == nil {
			c.printed = &Output{doc: d}
			if s.past+k+i == 0 && c.Rule == noCommand { // what has left the document was above it
				c.printed.text.Copy(&r.lead)
			}
		}
		c.printed.extend(c, dirty)
		v.Items[i] = session.Sighting{Message: c.Message, Printed: c.printed, Open: c.Open}
	}
	return v
}

// resume returns the line from which to read a document that is new from line dirty on, and how
// many of the commands stay. If the last of those runs, its output goes on there.
func (r *Reader) resume(dirty int) (from, n int) {
	commands := r.part.commands
	n = len(commands)
	from = max(min(dirty-2, r.part.typing), r.Start) // a prompt may have a first line above
	if r.part.learned != r.prompts.learned {
		r.part.learned = r.prompts.learned
		from = r.Start
		if n > 1 && !r.prompts.rowsLearned {
			from = max(from, commands[n-2].First)
		}
		r.prompts.rowsLearned = false
	}
	for n > 0 && commands[n-1].out > from {
		n--
		from = max(r.Start, min(from, commands[n].First))
	}
	if n > 0 && commands[n-1].End >= from {
		commands[n-1].reopen(from)
	}
	return from, n
}

// reopen lets the output of a command go on where a document is read again from a line on.
func (c *Command) reopen(from int) {
	if c.closed = false; c.ended >= from {
		c.ended, c.endN, c.ExitStatus, c.Duration = -1, 0, nil, nil
	}
	c.Open = c.ended < 0 && c.Rule != noCommand
}

// Close reads what is there when the recording ends, with the cursor on row rw.
func (r *Reader) Close(d *document.Document, rw *vterm.Row, cursorX int) *session.View {
	p := &r.prompts
	if p.final = true; p.pending || p.marked {
		p.learned++
		p.rowsLearned = true
	}
	if !r.Seen() {
		p.cameBack(rw, cursorX, d.Lines)
	}
	none := r.Seen() && len(r.part.commands) == 0
	if p.learned == r.part.learned && !none {
		return nil
	}
	v := r.Read(d, true)
	if none && len(v.Items) == 0 {
		return nil
	}
	return v
}

// Started reads the document where an agent has started on the alternate screen, and returns what
// Read does; nil if that has read all.
func (r *Reader) Started(d *document.Document) *session.View {
	learned := r.prompts.learned
	if r.prompts.typed(d.Lines); learned == r.prompts.learned {
		return nil
	}
	lines := d.Lines
	d.Lines = andBlank(lines)
	v := r.Read(d, true)
	d.Lines = lines
	return v
}

// Finish reads the document up to a line, at which an agent begins, and returns what Read does.
// What the command that started the agent seems to have printed was the agent, half drawn.
func (r *Reader) Finish(d *document.Document, at int) *session.View {
	lines := d.Lines
	r.prompts.typed(lines[:at])
	if r.prompts.final = true; r.prompts.pending {
		r.prompts.learned++
	}
	d.Lines = andBlank(lines[:at])
	v := r.Read(d, true)
	if c, ok := running(r.part.commands); ok {
		c.End, c.more = max(0, c.out), ""
		c.printed.extend(c, at)
	}
	d.Lines = lines
	return v
}

// Items returns the commands of the document from a number on, as Read has read them, and how many
// are past.
func (r *Reader) Items(from int) (items []chat.Item, past int) {
	for _, c := range r.part.commands[max(0, from-r.part.past):] {
		items = append(items, c.Item)
	}
	return items, r.part.past
}

// Forget lets go of rows that the window cannot change any more.
func (r *Reader) Forget(d *document.Document) {
	s := &r.part
	cut := d.Base - shellRows
	if cut < shellCut {
		return
	}
	if p := &r.prompts; p.pending { // what is above the first prompt is read before it leaves
		p.pending, p.final, p.rowsLearned = false, true, true
		p.learned++
		return
	}
	cut = min(cut, s.typing)
	r.printed(d.Lines[:cut])
	n, _ := slices.BinarySearchFunc(s.commands, cut-1, func(c Command, at int) int { return c.End - at })
	r.drop(n, d.Lines[:cut])
	d.Forget(cut)
}

// printed keeps what leaves the document while neither an agent nor a prompt was seen.
func (r *Reader) printed(lines []row.Line) {
	if !r.Seen() {
		r.lead.Add(lines)
	}
}

// drop lets go of the first n commands, which print no more, and of the first lines of the
// document.
func (r *Reader) drop(n int, lines []row.Line) {
	s, cut := &r.part, len(lines)
	r.prompts.drop(lines)
	if s.free >= 0 {
		s.free = max(0, s.free-cut)
	}
	for _, c := range s.commands[:n] {
		c.printed.freeze()
	}
	s.commands = slices.Delete(s.commands, 0, n)
	for i := range s.commands {
		c := &s.commands[i]
		c.printed.forget(cut)
		c.First, c.End, c.out, c.ended = c.First-cut, c.End-cut, c.out-cut, max(c.ended-cut, min(c.ended, 0))
		c.start -= cut
	}
	s.gone = slices.DeleteFunc(s.gone, func(u unused) bool { return u.to <= cut })
	for i := range s.gone {
		s.gone[i].from, s.gone[i].to = s.gone[i].from-cut, s.gone[i].to-cut
	}
	s.past += n
	s.typing -= cut
	r.Start = max(0, r.Start-cut)
	r.folder = lastFolder(lines, r.folder)
}

// Plain returns all that a program has printed which is neither an agent nor a shell, and what is
// left out of it.
func (r *Reader) Plain(d *document.Document) (text string, gap session.Gap) {
	p := Output{text: r.lead, doc: d, end: len(d.Lines)}
	return p.Text()
}
