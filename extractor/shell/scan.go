package shell

import (
	"cmp"
	"strconv"
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
	began   time.Duration // when the output begun, or the prompt was drawn
	timed   bool          // the former
	printed *Output
}

// running returns the last of commands, and whether it runs.
func running(commands []Command) (c *Command, ok bool) {
	if n := len(commands); n > 0 {
		return &commands[n-1], commands[n-1].Open
	}
	return &Command{}, false
}

// maxTyped bounds the rows of one command line, so that what follows a quote that is never closed
// is read as output.
const maxTyped = 1000

// read reads the lines from a line on. A command that is not entered yet (nothing is below it) is
// none, nor is one that was given up with ^C, or at whose prompt the shell has shown completions:
// it has drawn the prompt again below, with the text.
func (s *part) read(lines []row.Line, from int, p *prompts, folder string) {
	s.typing = len(lines)
	for i := from; i < len(lines); {
		s.done(lines, i)
		at, ok := p.split(lines[i])
		if !ok {
			i++
			continue
		}
		if c, ok := running(s.commands); ok {
			k, col := promptStart(lines, i, c.out, at)
			c.close(lines, k, col)
		}
		c := Command{Item: chat.Item{Message: session.Message{Role: session.RoleShell}, First: i, Rule: "shell prompt", Open: true}}
		e := entered(lines, i)
		text, next := typed(lines, i, at.typed, e.output)
		c.Text, i = cmp.Or(e.line, text), next
		unused := e.output < 0 && at.prompt == p.outputs // a background job has written what is below
		if e.output >= 0 {
			p.outputs = at.prompt
		}
		s.typing = len(lines)
		switch {
		case i == len(lines), unused:
			s.typing = c.First
		case strings.HasSuffix(c.Text, "^C"), strings.HasPrefix(e.again, c.Text): // or there is no text
		default:
			c.Cwd = lastFolder(lines[:c.First+1], folder)
			c.out, c.began, c.timed = i, e.began, e.output >= 0
			s.commands = append(s.commands, c)
		}
	}
	if c, ok := running(s.commands); ok {
		c.End, c.more = len(lines), ""
	}
}

// done ends the command that runs if the shell says so on line i, with its exit status.
func (s *part) done(lines []row.Line, i int) {
	m, ok := lines[i].Mark(vterm.MarkDone)
	c, runs := running(s.commands)
	if !ok || !runs || m.At < c.began {
		return
	}
	status, _, _ := strings.Cut(m.Text, ";")
	if n, err := strconv.Atoi(status); err == nil {
		c.ExitStatus = &n
	}
	if c.timed {
		seconds := float64((m.At - c.began).Round(time.Millisecond).Milliseconds()) / 1000
		c.Duration = &seconds
	}
	c.close(lines, i, m.Col)
}

// close ends the output of a command at a column of line i: what is before that is output.
func (c *Command) close(lines []row.Line, i, col int) {
	c.End, c.Open, c.more, c.joined = max(i, c.out), false, columns(lines[i].Row, 0, col), lines[i].Wrapped
}

// typed puts the command on line i together with the rows that it was wrapped to and the lines that
// were typed at continuation prompts; next is the line behind it. output is the line on which a
// shell says that its output begins, else -1.
func typed(lines []row.Line, i int, command string, output int) (_ string, next int) {
	end := min(len(lines), i+maxTyped)
	if output >= 0 {
		end = output
	}
	rest, next := wrapped(lines[:end], i)
	command = strings.TrimSpace(withoutRight(command+rest, lines[next-1]))
	for next < end && (output >= 0 || unfinished(command)) {
		line := lines[next].Text
		text := continuation().ReplaceAllString(line, "$1")
		if text == line && output < 0 { // no continuation
			break
		}
		rest, next = wrapped(lines[:end], next)
		command += "\n" + text + rest
	}
	return command, next
}

// wrapped returns what the row on line i goes on with on the rows below it, and the line behind
// those. Some shells (zsh, fish) wrap what is typed by themselves, where a row is full.
func wrapped(lines []row.Line, i int) (rest string, next int) {
	full := func(l row.Line) bool {
		return row.Extent(l.Row)+l.Blanks >= l.Cols && withoutRight(l.Text, l) == l.Text
	}
	for i++; i < len(lines) && (lines[i].Wrapped || full(lines[i-1]) && lines[i].Text != ""); i++ {
		rest += row.Blanks(lines[i-1].Blanks) + lines[i].Text
	}
	return rest, i
}

// withoutRight cuts off a prompt that the shell shows at the window's right edge.
func withoutRight(command string, l row.Line) string {
	if i := strings.LastIndex(command, "   "); i >= 0 && row.Extent(l.Row) >= l.Cols-2 {
		return command[:i]
	}
	return command
}

// unfinished reports whether a shell would ask for more of a command.
func unfinished(command string) bool {
	if m := hereDocument().FindStringSubmatch(command); m != nil {
		word := strings.Trim(strings.TrimPrefix(m[1], "-"), ` '"\`)
		return command[strings.LastIndexByte(command, '\n')+1:] != word
	}
	if !quoted().MatchString(command) || goesOn().MatchString(command) {
		return true
	}
	depth := 0
	for _, w := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" ;\n\t", r) }) {
		depth += depths[w]
	}
	return depth > 0
}
