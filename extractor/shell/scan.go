package shell

import (
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Command is a command on a document.
type Command struct {
	chat.Item
	out     int           // the first line of its output
	more    string        // output that is before the next prompt, on that prompt's row,
	joined  bool          // which continues the row above
	began   time.Duration // when the prompt was drawn, or the output begun
	running bool          // the latter
	printed *Output
}

// maxTyped bounds the rows of one command line, so that what follows a quote that is never closed
// is read as output.
const maxTyped = 1000

// scanner is the state of reading commands off shell lines.
type scanner struct {
	cmds   []Command
	open   bool   // the output of the last of cmds goes on
	folder string // that the shell is in above the lines
	typing int    // the line on which a command begins that is still being typed, behind the last line if there is none
}

// read reads the lines from a line on. A command that is not entered yet (nothing is below it) is
// none, nor is one that was given up with ^C.
func (s *scanner) read(lines []row.Line, from int, p *prompts) {
	s.typing = len(lines)
	for i := from; i < len(lines); {
		if lines[i].Marks != nil {
			s.marks(lines, i)
		}
		prompt, text, ok := p.split(lines[i])
		if !ok {
			i++
			continue
		}
		s.end(lines, i, prompt, p)
		first, e := i, entered(lines, i)
		text, i = typed(lines, i, text, e.output)
		if e.line != "" {
			text = e.line
		}
		unused := p.unused(e, prompt)
		if i == len(lines) || unused && e.next < 0 {
			s.typing = min(s.typing, first)
		}
		if text == "" || strings.HasSuffix(text, "^C") || i == len(lines) || unused || p.redrawn(lines, e, text) {
			continue
		}
		item := chat.Item{Message: session.Message{Role: session.RoleShell, Text: text}, First: first, Rule: "shell prompt", Open: true}
		item.Cwd = s.folderAt(lines, first)
		s.cmds = append(s.cmds, Command{Item: item, out: i, began: began(lines[first])})
		s.open = true
	}
	if s.open {
		c := &s.cmds[len(s.cmds)-1]
		c.End, c.Open, c.more = len(lines), true, ""
	}
}

// marks takes into account what a shell says on line i of the command that runs, and of its folder.
func (s *scanner) marks(lines []row.Line, i int) {
	if s.open {
		c := &s.cmds[len(s.cmds)-1]
		c.start(lines[i])
		if c.done(lines[i]) {
			m, _ := markOf(lines[i].Row, vterm.MarkDone)
			s.close(i, columns(lines[i].Row, 0, m.Col), lines[i].Wrapped)
		}
	}
}

// folderAt returns the folder that the shell is in at line i, behind the last command.
func (s *scanner) folderAt(lines []row.Line, i int) string {
	above, from := s.folder, 0
	if n := len(s.cmds); n > 0 {
		above, from = s.cmds[n-1].Cwd, s.cmds[n-1].First+1
	}
	return lastFolder(lines[max(0, from):i+1], above)
}

// end ends the output of the command that runs at the prompt whose last line is line i.
func (s *scanner) end(lines []row.Line, i int, prompt string, p *prompts) {
	if !s.open {
		return
	}
	if k, col := promptStart(lines, i); k >= 0 && k >= s.cmds[len(s.cmds)-1].out {
		s.close(k, columns(lines[k].Row, 0, col), lines[k].Wrapped)
		return
	}
	s.close(p.withoutHead(lines, i), p.outputBefore(prompt), lines[i].Wrapped)
}

// close ends the output of the command that runs at a line. more is output on that line, which is
// joined to the line above or not.
func (s *scanner) close(end int, more string, joined bool) {
	c := &s.cmds[len(s.cmds)-1]
	c.End, c.Open, c.more, c.joined = max(end, c.out), false, more, joined
	s.open = false
}

// withoutSign cuts off the sign with which a shell shows that output did not end its line: an
// inverse % or # of zsh, ⏎ of fish.
func withoutSign(output string, lines []row.Line) string {
	lines = row.Trim(lines)
	if len(lines) == 0 || len(lines[len(lines)-1].Runs) == 0 {
		return output
	}
	runs := lines[len(lines)-1].Runs
	sign := runs[len(runs)-1]
	if t := sign.Text; t == "⏎" || sign.Style.Inverse && (t == "%" || t == "#") {
		return strings.TrimSuffix(output, t)
	}
	return output
}

// typed puts the command on line i together with the rows that it was wrapped to and the lines that
// were typed at continuation prompts; next is the line behind it. output is the line on which a
// shell says that its output begins, else -1.
func typed(lines []row.Line, i int, command string, output int) (_ string, next int) {
	end := min(len(lines), i+maxTyped)
	if output >= 0 {
		end = output
	}
	prev := lines[i]
	var b strings.Builder
	b.WriteString(command)
	for i++; i < end && (lines[i].Wrapped || wrapsItself(prev, lines[i])); i++ {
		b.WriteString(row.Blanks(prev.Blanks) + lines[i].Text)
		prev = lines[i]
	}
	command = strings.TrimSpace(withoutRight(b.String(), prev))
	word, here := hereWord(command)
	for rest := ""; i < end && (output >= 0 || here && rest != word || !here && unfinished(command)); {
		rest = lines[i].Text
		if m := continuation().FindStringSubmatch(rest); m != nil {
			rest = m[1]
		} else if output < 0 {
			break
		}
		b.Reset()
		b.WriteString(command + "\n" + rest)
		for i++; i < end && lines[i].Wrapped; i++ {
			b.WriteString(row.Blanks(lines[i-1].Blanks) + lines[i].Text)
		}
		command = b.String()
	}
	return command, i
}

// wrapsItself reports whether a shell that wraps what is typed by itself (zsh, fish) went on with
// row b: row a is full. Where a command just fits, the cursor stood on the next row, and its output
// begins below that.
func wrapsItself(a, b row.Line) bool {
	return a.Cols > 0 && row.Extent(a.Row)+a.Blanks >= a.Cols && b.Text != "" && withoutRight(a.Text, a) == a.Text
}

// withoutRight cuts off a prompt that the shell shows at the window's right edge.
func withoutRight(command string, l row.Line) string {
	if l.Cols == 0 || row.Extent(l.Row) < l.Cols-2 {
		return command
	}
	if i := strings.LastIndex(command, "   "); i >= 0 {
		return command[:i]
	}
	return command
}

// unfinished reports whether a shell would ask for more of a command.
func unfinished(command string) bool {
	if word, ok := hereWord(command); ok {
		return command[strings.LastIndexByte(command, '\n')+1:] != word
	}
	if !quoted().MatchString(command) || goesOn().MatchString(command) || compound().MatchString(command) && !compoundBody().MatchString(command) {
		return true
	}
	depth := 0
	for _, w := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" ;\n\t", r) }) {
		depth += depths[w]
	}
	return depth > 0
}

// hereWord is the word that ends a command's here document.
func hereWord(command string) (string, bool) {
	m := hereDocument().FindStringSubmatch(command)
	if m == nil {
		return "", false
	}
	word := strings.Trim(strings.TrimPrefix(m[1], "-"), ` '"\`)
	return word, word != ""
}
