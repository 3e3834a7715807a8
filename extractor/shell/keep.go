package shell

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// unused are lines that are in no command: a line that was typed and not entered, or completions.
type unused struct {
	from, to int
	prompt   string // above which they are
	marked   bool   // the shell says where that ends
}

// unused notes that lines from up to, not including, to are in no command.
func (s *part) unused(from, to int, at prompted) {
	s.gone = append(s.gone, unused{from, to, at.prompt, at.marked})
}

// shown is a prompt that was read.
type shown struct {
	text string
	id   int  // of the first
	came bool // again, or the cursor rested at it
}

// maxShown bounds the prompts that are remembered.
const maxShown = 64

// came notes that a prompt was read. id tells it from others with the same text; 0 is one at which
// the cursor rests.
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

// proven reports whether a prompt is one: it came again, perhaps with another piece within, or the
// cursor rested at it. A mark alone may be anywhere.
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

// rests notes that the cursor rests on line at, and reports whether that may be a prompt. A row on
// which the cursor has rested further left has typed text.
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

// keep adds to the outputs what marks in wrong places have taken out of them: prompts that are
// none, and lines that are in no command.
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

// fill lets the output of the last command go on up to a column of line to if text is between its
// end, which is in a column of line from, and there.
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

// used reports whether line i was typed or shown at a prompt, and is in no command for that.
func (s *part) used(i int, p *prompts) bool {
	return slices.ContainsFunc(s.gone, func(u unused) bool {
		return u.from <= i && i < u.to && p.proven(u.prompt, u.marked)
	})
}
