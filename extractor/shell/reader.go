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
	folder  string            // that the shell is in above the document, as it says (OSC 7)
	entered *Command          // that may have wiped the screen
	lead    document.LongText // what was printed while neither an agent nor a prompt was seen, up to the rows of the document
	long    bool              // there is some
	part    part
}

// part is what lies between two agents.
type part struct {
	commands []Command // read so far; their lines count from the document's first
	old      []Command // those of them that the last frame read again, as they were before
	typing   int       // the line on which a command begins that is being typed
	learned  int       // what was known of prompts when they were read
	past     int       // commands before those, whose lines the document no longer holds
}

// Marked says that the shell itself says where its prompts end (OSC 133;B).
func (r *Reader) Marked() {
	if !r.prompts.marked {
		r.prompts.marked = true
		r.prompts.learned++
	}
}

// Seen reports whether an agent or a prompt was ever seen.
func (r *Reader) Seen() bool { return r.AgentSeen || r.prompts.known() || r.prompts.marked }

// Waits reports whether the shell waits for a command on a row that the cursor is on.
func (r *Reader) Waits(rw *vterm.Row, cursorX int) bool { return r.prompts.waits(rw, cursorX) }

// Begin begins the part of a document from a line on.
func (r *Reader) Begin(start int) { r.Start, r.part = start, part{} }

// End ends the part at hand: something else is drawn on the document.
func (r *Reader) End(d *document.Document) {
	r.folder = lastFolder(d.Lines, r.folder)
	r.freeze()
}

// Wipe ends the document: the screen was erased. It reports whether a command runs, which goes on
// in the next document.
func (r *Reader) Wipe(d *document.Document) bool {
	if r.entered == nil {
		r.entered = r.lastCommand(d)
	}
	if !r.Seen() {
		r.lead.Add(d.Lines[:min(d.Base, len(d.Lines))])
	}
	r.folder = lastFolder(d.Lines, r.folder)
	running := r.running()
	if running == nil {
		r.freeze()
		return false
	}
	r.Start = 0
	r.part = part{past: r.part.past + len(r.part.commands) - 1, commands: running, learned: r.part.learned}
	return true
}

// running returns the command that runs, as it goes on at the top of an empty document; the others
// end. It is nil if none runs.
func (r *Reader) running() []Command {
	n := len(r.part.commands) - 1
	if n < 0 || !r.part.commands[n].Open {
		return nil
	}
	for _, c := range r.part.commands[:n] {
		c.printed.freeze()
	}
	c := r.part.commands[n]
	c.printed.commit(min(c.End, len(c.printed.doc.Lines)))
	return []Command{c.above()}
}

// above returns the command as it is on a document that begins below its command line.
func (c Command) above() Command {
	c.First, c.out, c.End = -1, -1, 0
	c.printed.from, c.printed.end, c.printed.shown = 0, 0, 0
	return c
}

// lastCommand returns the command at the last prompt, entered or not.
func (r *Reader) lastCommand(d *document.Document) *Command {
	from := r.Start
	if n := len(r.part.commands); n > 0 {
		from = max(from, r.part.commands[n-1].End)
	}
	lines := d.Lines[min(from, len(d.Lines)):]
	s := scanner{folder: r.folder}
	s.read(append(lines[:len(lines):len(lines)], row.Line{Row: &vterm.Row{}}), 0, &r.prompts)
	if len(s.cmds) == 0 {
		return nil
	}
	return &s.cmds[len(s.cmds)-1]
}

// Look looks at a frame whose rows are on the document. rw is the row that the cursor is on.
func (r *Reader) Look(d *document.Document, rw *vterm.Row, cursorX int, settled bool) {
	r.wipedBy(d)
	if _, marked := markOf(rw, vterm.MarkInput); settled && !marked {
		last := ""
		if n := len(r.part.commands); n > 0 {
			last = r.part.commands[n-1].Text
		}
		r.prompts.learn(rw, cursorX, last)
	}
}

// wipedBy takes up a command that wiped the screen (clear) before it was seen to be entered. Where
// the prompt still holds it, the shell has only drawn it again (Ctrl+L).
func (r *Reader) wipedBy(d *document.Document) {
	if r.entered == nil || len(d.Lines) == 0 {
		return
	}
	if _, typed, ok := r.prompts.split(d.Lines[0]); !ok || !strings.HasPrefix(r.entered.Text, typed) || typed == "" {
		c := *r.entered
		c.Open, c.printed = true, &Output{doc: d}
		r.part.commands = []Command{c.above()}
	}
	r.entered = nil
}

// Read reads what is new on a document, and returns the commands that it has read again; nil if
// nothing is new.
func (r *Reader) Read(d *document.Document, settled bool) *session.View {
	s := &r.part
	learned := s.learned != r.prompts.learned
	if d.Dirty >= len(d.Lines) && !settled && !learned {
		return nil
	}
	s.learned = r.prompts.learned
	from, n, open := r.resume(d.Dirty, learned)
	old := append(s.old[:0], s.commands[n:]...)
	s.old = old
	k := n
	if open {
		k--
	}
	scan := scanner{cmds: s.commands[:n], open: open, folder: r.folder}
	scan.read(d.Lines, from, &r.prompts)
	s.commands, s.typing = scan.cmds, scan.typing
	for i := k; i < len(s.commands); i++ {
		s.commands[i].print(d, old)
	}
	for i := range old {
		if !slices.ContainsFunc(s.commands[k:], func(c Command) bool { return c.printed == old[i].printed }) {
			old[i].printed.gone()
		}
	}
	d.Clean()
	v := &session.View{From: s.past + k, Past: s.past, Settled: settled}
	v.Items = make([]session.Sighting, 0, len(s.commands)-k)
	for i := range s.commands[k:] {
		c := &s.commands[k+i]
		v.Items = append(v.Items, session.Sighting{Message: c.Message, Printed: c.printed, Open: c.Open})
	}
	return v
}

// resume returns the line from which to read a document that is new from line dirty on, and how
// many of the commands stay; if open, the output of the last of those goes on there.
func (r *Reader) resume(dirty int, learned bool) (from, n int, open bool) {
	s := &r.part
	n = len(s.commands)
	from = max(min(dirty-2, s.typing), r.Start) // a prompt may have a first line above
	if learned {
		from = r.Start
		if n > 1 {
			from = max(from, s.commands[n-2].First)
		}
	}
	for n > 0 && s.commands[n-1].First >= from {
		n--
	}
	if n == 0 {
		return from, 0, false
	}
	c := &s.commands[n-1]
	switch {
	case c.printed.from > c.out:
		from = max(from, c.printed.from)
	case from <= c.out:
		from = c.First
		n--
		if n == 0 {
			return from, 0, false
		}
		c = &s.commands[n-1]
	}
	return from, n, c.Open || from <= c.End
}

// print notes which lines of a document a command has printed. old are the commands as they were.
func (c *Command) print(d *document.Document, old []Command) {
	for i := range old {
		if o := &old[i]; c.printed == nil && o.First == c.First && o.out == c.out && o.Text == c.Text {
			c.printed = o.printed
		}
	}
	if c.printed == nil {
		c.printed = &Output{doc: d, from: c.out, end: c.out, shown: c.out}
	}
	c.printed.extend(c.End, c.more, c.joined, d.Dirty)
}

// Finish reads the document up to a line, at which an agent begins, and returns what Read does.
// What the command that started the agent seems to have printed was the agent, half drawn.
func (r *Reader) Finish(d *document.Document, at int) *session.View {
	lines := d.Lines
	d.Lines = append(lines[:at:at], row.Line{Row: &vterm.Row{}}) // below the command: it was entered
	v := r.Read(d, true)
	if n := len(r.part.commands); len(v.Items) > 0 {
		r.part.commands[n-1].printed.clear()
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
	cut = min(cut, s.typing)
	for _, c := range s.commands {
		if c.First < cut && c.out >= cut {
			cut = c.First
		}
	}
	cut = max(0, cut)
	n := 0
	for n < len(s.commands) && !s.commands[n].Open && s.commands[n].End <= cut-2 {
		s.commands[n].printed.freeze()
		n++
	}
	s.past += n
	s.commands = slices.Delete(s.commands, 0, n)
	r.folder = lastFolder(d.Lines[:cut], r.folder)
	if !r.Seen() {
		r.lead.Add(d.Lines[:cut])
		r.long = true
	}
	for i := range s.commands {
		c := &s.commands[i]
		c.printed.commit(min(cut, c.End))
		c.printed.moved(cut)
		c.First, c.End, c.out = c.First-cut, c.End-cut, c.out-cut
	}
	r.Start, s.typing = max(0, r.Start-cut), s.typing-cut
	d.Forget(cut)
}

// freeze puts together what the commands have printed, before their document goes another way.
func (r *Reader) freeze() {
	for _, c := range r.part.commands {
		c.printed.freeze()
	}
}

// Plain returns all that a program has printed which is neither an agent nor a shell, as far as it
// was too much for the terminal to keep; ok reports whether it was.
func (r *Reader) Plain(d *document.Document) (text string, gap session.Gap, ok bool) {
	if !r.long {
		return "", session.Gap{}, false
	}
	p := Output{text: r.lead, doc: d, end: len(d.Lines)}
	text, gap = p.Text()
	return text, gap, true
}
