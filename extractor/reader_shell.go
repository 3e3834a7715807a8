package extractor

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/session"
)

// The shell's part of the tape keeps this many rows above the window: those that a resize may wrap
// again. Rows above them leave the tape when there are enough.
const (
	shellRows = 512
	shellCut  = 1024
)

// readCommands reads what is new on the shell's part of the tape, and shows it to the log.
func (r *Reader) readCommands(t *tape, settled bool) {
	s := &r.seg
	learned := s.learned != r.prompt.learned
	if t.dirty >= len(t.lines) && !settled && !learned {
		return
	}
	s.learned = r.prompt.learned
	from, n, open := s.resume(t.dirty, learned)
	old := append(s.old[:0], s.commands[n:]...)
	s.old = old
	k := n
	if open {
		k--
	}
	scan := shellScan{cmds: s.commands[:n], open: open, folder: r.folder}
	scan.read(t.lines, from, &r.prompt)
	s.commands, s.typing = scan.cmds, scan.typing
	for i := k; i < len(s.commands); i++ {
		s.commands[i].print(t, old)
	}
	for i := range old {
		if !slices.ContainsFunc(s.commands[k:], func(d shellCommand) bool { return d.printed == old[i].printed }) {
			old[i].printed.gone()
		}
	}
	t.clean()
	if r.trace != nil {
		items := make([]chat.Item, 0, len(s.commands)-k)
		for _, c := range s.commands[k:] {
			items = append(items, c.Item)
		}
		r.trace.parsed(t.base, s.past+k, items)
	}
	v := &session.View{Tape: s.tape, From: s.past + k, Past: s.past, Reprint: s.reprint, Settled: settled}
	v.Items = make([]session.Sighting, 0, len(s.commands)-k)
	for i := range s.commands[k:] {
		c := &s.commands[k+i]
		v.Items = append(v.Items, session.Sighting{Message: c.Message, Printed: c.printed, Open: c.Open})
	}
	r.steps = append(r.steps, Step{View: v})
	r.forgetCommands(t)
}

// resume returns the line from which to read a tape that is new from line dirty on, and
// how many of the commands stay; if open, the output of the last of those goes on there.
func (s *segment) resume(dirty int, learned bool) (from, n int, open bool) {
	n = len(s.commands)
	from = max(min(dirty-2, s.typing), s.start) // a prompt may have a first line above
	if learned {
		from = s.start
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

// print notes which lines of a tape a command has printed. old are the commands as they were.
func (c *shellCommand) print(t *tape, old []shellCommand) {
	for i := range old {
		if o := &old[i]; c.printed == nil && o.First == c.First && o.out == c.out && o.Text == c.Text {
			c.printed = o.printed
		}
	}
	if c.printed == nil {
		c.printed = &printed{tape: t, from: c.out, end: c.out, shown: c.out}
	}
	c.printed.extend(c.End, c.more, c.joined, t.dirty)
}

// forgetCommands lets go of rows that the window cannot change any more.
func (r *Reader) forgetCommands(t *tape) {
	s := &r.seg
	cut := t.base - shellRows
	if cut < shellCut {
		return
	}
	cut = min(cut, s.typing)
	for _, c := range s.commands {
		if c.First < cut && c.out >= cut {
			cut = c.First
		}
	}
	n := 0
	for n < len(s.commands) && !s.commands[n].Open && s.commands[n].End <= cut-2 {
		s.commands[n].printed.freeze()
		n++
	}
	s.past += n
	s.commands = slices.Delete(s.commands, 0, n)
	r.folder = lastFolder(t.lines[:max(0, cut)], r.folder)
	if !r.Seen() {
		r.lead.add(t.lines[:max(0, cut)])
		r.long = true
	}
	for i := range s.commands {
		c := &s.commands[i]
		c.printed.commit(min(cut, c.End))
		c.printed.moved(cut)
		c.First, c.End, c.out = c.First-cut, c.End-cut, c.out-cut
	}
	s.start, s.typing = max(0, s.start-cut), s.typing-cut
	t.forget(cut)
}

// last returns the text of the shell's last command.
func (s *segment) last() string {
	if len(s.commands) == 0 {
		return ""
	}
	return s.commands[len(s.commands)-1].Text
}

// freeze puts together what the segment's commands have printed, before its tape goes another way.
func (s *segment) freeze() {
	for _, c := range s.commands {
		c.printed.freeze()
	}
}

// Plain returns all that a program has printed which is neither an agent nor a shell, as far as it
// was too much for the terminal to keep; ok reports whether it was.
func (r *Reader) Plain() (text string, gap session.Gap, ok bool) {
	if !r.long {
		return "", session.Gap{}, false
	}
	p := printed{text: r.lead, tape: &r.main, end: len(r.main.lines)}
	text, gap = p.Text()
	return text, gap, true
}
