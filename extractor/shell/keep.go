package shell

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// unused is a range of lines that belong to no command: text that was typed but not entered, or a
// list of completions.
type unused struct {
	from, to int    // lines [from, to)
	prompt   string // the prompt at which they were typed or shown
	marked   bool   // a mark of the shell says where that prompt ends
}

// has reports whether line i is one of them.
func (u *unused) has(i int) bool { return u.from <= i && i < u.to }

// unused notes that the lines [from, to) belong to no command.
func (s *part) unused(from, to int, at prompted) {
	s.gone = append(s.gone, unused{from, to, at.prompt, at.marked})
}

// shown is the text of a prompt that was read.
type shown struct {
	text string
	id   int  // id of the first prompt with this text
	came bool // another prompt had this text, or the cursor rested behind it
}

// maxShown bounds the prompts that are remembered.
const maxShown = 64

// came notes that a prompt was read. Its id tells it from other prompts with the same text. The id
// is 0 if the cursor rests at the prompt.
func (p *prompts) came(text string, id int) {
	i := slices.IndexFunc(p.shown, func(s shown) bool { return s.text == text })
	if i < 0 {
		p.shown = append(p.shown[max(0, len(p.shown)+1-maxShown):], shown{text: text, id: id})
		i = len(p.shown) - 1
	}
	if s := &p.shown[i]; id == 0 || s.id != 0 && s.id != id {
		s.came = true
	} else {
		s.id = id
	}
}

// proven reports whether text that a mark calls a prompt is one: it came again, perhaps with a
// piece that differs, or the cursor rested behind it. The mark alone proves nothing, as it may be
// misplaced.
func (p *prompts) proven(prompt string, marked bool) bool {
	if !marked || strings.TrimSpace(prompt) == "" {
		return true
	}
	i := slices.IndexFunc(p.shown, func(s shown) bool { return s.text == prompt })
	return i < 0 || p.shown[i].came || slices.ContainsFunc(p.shown, func(s shown) bool {
		return s.id != p.shown[i].id && strings.TrimSpace(commonEnd(s.text, prompt)) != "" &&
			alike(s.text, nil, prompt, nil)
	})
}

// rests notes that the cursor rests on line at, and reports whether the text to its left may be a
// prompt. If the cursor rested further left on that line before, part of the text was typed.
func (p *prompts) rests(r *vterm.Row, cursorX, at int) bool {
	typed := p.rested.line == at && p.rested.cols < cursorX && p.rested.cols > 0
	if !typed {
		p.rested.line, p.rested.cols = at, cursorX
	}
	if m, ok := r.Mark(vterm.MarkInput); ok && !typed && m.Col == cursorX && columns(r, cursorX, rowEnd) == "" {
		p.came(columns(r, 0, cursorX), 0)
	}
	return !typed
}

// restsBelow looks at the rows above line i, on which the cursor rests. If the shell says where the
// prompt begins, or that the command above has ended, those rows may belong to the prompt. They are
// looked at here, as a shell may draw a prompt again in fewer rows when a command is entered.
func (s *part) restsBelow(lines []row.Line, i, cursorX int, p *prompts) {
	if i >= len(lines) || columns(lines[i].Row, cursorX, rowEnd) != "" {
		return
	}
	last := s.last()
	at := prompted{input: cursorX, prompt: columns(lines[i].Row, 0, cursorX)}
	top := max(last.out, s.start, i-maxPromptRows, 0)
	told, col := markedStart(lines, i, top, at)
	if told < 0 && last.ended >= top && last.ended <= i && !last.closed {
		told, col = i-last.ended, last.endCol
	}
	if told < 1 || at.prompt == "" {
		return
	}
	p.rowsAbove(lines, i, top, at, told, col, s.past+len(s.commands)+1)
}

// keep puts text back into the outputs that misplaced marks have taken out: prompts that are not
// proven, and lines that belong to no command.
func (s *part) keep(lines []row.Line, p *prompts) {
	commands := s.commands
	s.commands = nil
	end, col := s.start, 0
	for _, c := range commands {
		to, toCol := c.start, c.col
		if !p.proven(c.prompt, c.marked) {
			to, toCol = c.First, c.input
		}
		s.fill(lines, end, col, to, toCol, p)
		s.commands = append(s.commands, c)
		end, col = c.End, row.Width(c.more)
		if !c.closed {
			end, col = len(lines), 0
		}
	}
	s.fill(lines, end, col, len(lines), 0, p)
}

// fill extends the output of the last command if there is text after it. The output ends in column
// col of line from; it is extended up to column toCol of line to.
func (s *part) fill(lines []row.Line, from, col, to, toCol int, p *prompts) {
	to = min(to, len(lines))
	for i := max(from, 0); i < to || i == to && toCol > 0; i++ {
		begin, end := 0, rowEnd
		if i == from {
			begin = col
		}
		if i == to {
			end = max(begin, toCol)
		}
		if columns(lines[i].Row, begin, end) == "" || s.used(i, p) {
			continue
		}
		if len(s.commands) == 0 {
			if s.later || s.past > 0 {
				return
			}
			s.add(lines, i, Command{out: i, start: i}, "", "")
			s.last().Rule = noCommand
		}
		c := s.last()
		if to < len(lines) {
			c.close(lines, to, toCol)
		} else {
			c.End, c.more = to, ""
		}
		return
	}
}

// used reports whether line i is in no command because it was typed or shown at a proven prompt.
func (s *part) used(i int, p *prompts) bool {
	return slices.ContainsFunc(s.gone, func(u unused) bool {
		return u.has(i) && p.proven(u.prompt, u.marked)
	})
}
