package shell

import (
	"cmp"
	"slices"
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
	out     int           // the first line of its output, which begins
	outCol  int           // in this column
	more    string        // output that is before the next prompt, on that prompt's row,
	joined  bool          // which continues the row above
	began   time.Duration // when the output begun, or the prompt was drawn
	timed   bool          // the former
	n       int           // the number of the last mark that was read for its beginning, and
	endN    int           // for its end
	prompt  string        // at which it was typed
	marked  bool          // a mark of the shell says where the prompt ends
	start   int           // first line of the prompt
	col     int           // column in which the prompt begins, on that line
	input   int           // column in which the typed text begins
	ended   int           // the line on which the shell says that it has ended, else -1
	endCol  int           // and the column
	closed  bool          // the next prompt follows
	printed *Output
}

// running returns the last of commands, and whether it runs.
func running(commands []Command) (c *Command, ok bool) {
	if n := len(commands); n > 0 {
		return &commands[n-1], commands[n-1].Open
	}
	return &Command{}, false
}

// noCommand is the rule of what no command has printed.
const noCommand = "output of no command"

// maxTyped bounds the rows of one command line, so that what follows a quote that is never closed
// is read as output.
const maxTyped = 1000

// read reads the lines from a line on. A command that is not entered yet (nothing is below it) is
// none, nor is one that was given up with ^C, or at whose prompt the shell has shown completions:
// it has drawn the prompt again below, with the text.
func (s *part) read(lines []row.Line, from int, p *prompts, folder string) {
	s.typing = len(lines)
	if s.free >= from {
		s.free = -1
	}
	s.gone = slices.DeleteFunc(s.gone, func(u unused) bool { return u.from >= from })

	if len(s.commands) == 0 && s.past == 0 && s.free < 0 && !s.later {
		s.free = s.start
	}
	again := -1
	for i := from; i < len(lines); {
		s.begun(lines, i)
		s.done(lines, i)
		if s.saysCommand(lines[i]) { // and the next prompt may be on the line, too
			s.said(lines, i, p, folder)
		}
		last := s.last()
		at, ok := p.split(lines, i, last.newest())
		if !ok {
			i = s.said(lines, i, p, folder)
			continue
		}
		start, at, sure := p.promptStart(lines, i, max(last.out, s.start), at, s.past+len(s.commands)+1)
		if at.again {
			s.endAbove(lines, start, at.col, sure, p)
			again = start
			i = s.again(lines, i, at, folder)
			continue
		}
		i = s.line(lines, i, start, at, sure, p, folder)
	}
	if again >= 0 && s.typing < len(lines) { // all of it is read again with the line that is typed
		s.typing = min(s.typing, again)
	}
	if p.final {
		s.keep(lines, p)
	}
	s.finish(lines, p)
}

// line reads the command at the prompt on line i, whose first line is start. It returns the line
// below the command.
func (s *part) line(lines []row.Line, i, start int, at prompted, sure bool, p *prompts, folder string) (next int) {
	e := entered(lines, i, at)
	text, next := typed(lines, i, at, e)
	text = cmp.Or(e.line, text)
	s.typing = len(lines)
	if s.continues(start, at, text, e, p) {
		return next
	}
	s.endAbove(lines, start, at.col, sure, p)
	// A background job has written what is below.
	unused := e.output < 0 && at.n > 0 && p.outputs != "" && at.prompt == p.outputs
	if e.timed {
		p.outputs = at.prompt
	}
	switch {
	case e.output < 0 && (next == len(lines) || at.pasted || unused):
		s.typing = start
		if !unused || next == len(lines) || text == "" || strings.HasSuffix(text, "^C") {
			s.unused(start, next, at)
		} else if strings.HasPrefix(e.again, text) {
			s.unused(start, listed(lines, next, at.n, text), at)
		}
	case strings.HasSuffix(text, "^C"), strings.HasPrefix(e.again, text): // or there is no text
		s.free = next
		s.unused(start, next, at)
	default:
		if at.pasted {
			p.met(lines[i].Row, at)
		}
		p.entered = true
		out := next
		if e.col > 0 {
			out = e.output // which begins on the last row of what was typed
		}
		s.add(lines, i, Command{out: out, outCol: e.col, began: e.began, timed: e.timed, n: e.n,
			prompt: at.prompt, marked: at.marked, start: start, col: at.col, input: at.input}, text, folder)
		if out < next {
			s.done(lines, out)
		}
	}
	return next
}

// endAbove ends the output above a prompt that begins at a column of line start. Rows that may
// belong to the prompt are read later, when it is known how many rows it has.
func (s *part) endAbove(lines []row.Line, start, col int, sure bool, p *prompts) {
	p.pending = p.pending || !sure && s.loose(lines, start)
	n := len(s.commands)
	s.end(lines, start, col, sure)
	p.entered = p.entered || len(s.commands) > n
}

// again reads the rows below a prompt on line i that the shell has drawn again further down:
// completions, or an error in the command. It returns the line of the second prompt.
func (s *part) again(lines []row.Line, i int, at prompted, folder string) (next int) {
	end := i + 1
	for end < len(lines)-1 {
		if m, ok := lines[end].Mark(vterm.MarkTyped); ok && m.N == at.n {
			break
		}
		end++
	}
	n := s.last().newest()
	for i < end {
		at.typed = strings.TrimSpace(columns(lines[i].Row, at.input, rowEnd))
		text, out := typed(lines[:end], i, at, entry{output: -1, right: -1})
		stop := out
		for stop < end && !strings.HasPrefix(lines[stop].Text, at.prompt) {
			stop++
		}
		if completes(text, lines[out:stop]) {
			s.unused(i, stop, at)
		} else {
			s.add(lines, i, Command{out: out, n: n, prompt: at.prompt, start: i}, text, folder)
			s.last().close(lines, stop, 0)
		}
		i = stop
	}
	return end
}

// completes reports whether rows list what the last word of a command may go on to.
func completes(command string, rows []row.Line) bool {
	word := command[strings.LastIndexAny(command, " /")+1:]
	for _, l := range rows {
		for _, name := range strings.Fields(l.Text) {
			if !strings.HasPrefix(name, word) {
				return false
			}
		}
	}
	return true
}

// listed returns the line below the completions of a command that begin on line i, above the next
// prompt. n is the number of the prompt's mark.
func listed(lines []row.Line, i, n int, command string) int {
	end := i
	for end < len(lines) && nextPrompt(lines[end], n, true).N == 0 {
		end++
	}
	if completes(command, lines[i:end]) {
		return end
	}
	return i
}

// newest returns the number of the last mark that was read for a command.
func (c *Command) newest() int { return max(c.n, c.endN) }

// last returns the last command; an empty one if there is none.
func (s *part) last() *Command {
	if n := len(s.commands); n > 0 {
		return &s.commands[n-1]
	}
	return &Command{ended: -1}
}

// add adds a command that was typed on line i.
func (s *part) add(lines []row.Line, i int, c Command, text, folder string) {
	c.Item = chat.Item{Message: session.Message{Role: session.RoleShell, Text: text}, First: i, Rule: "shell prompt",
		Open: true}
	c.Cwd, c.ended = lastFolder(lines[:min(i+1, len(lines))], folder), -1
	s.commands = append(s.commands, c)
}

// end ends the output of the last command at a column of line i, where a prompt begins. What no
// command has printed, as above the first prompt, is kept, too, where it is sure to be none of the
// prompt's rows.
func (s *part) end(lines []row.Line, i, col int, sure bool) {
	first := len(s.commands) == 0 && s.past == 0
	if sure && !(first && s.later) && (s.loose(lines, i) ||
		s.free >= 0 && s.free <= i && columns(lines[i].Row, 0, col) != "") {
		s.add(lines, s.free, Command{out: s.free, n: s.last().newest(), start: s.free}, "", "")
		s.last().Rule = noCommand
	}
	s.free = -1
	if c := s.last(); !c.closed && len(s.commands) > 0 {
		c.close(lines, i, col)
	}
}

// loose reports whether lines above line i have text that is neither a command's nor a prompt's.
func (s *part) loose(lines []row.Line, i int) bool {
	if s.free < 0 {
		return false
	}
	for k := min(s.free, i); k < i; k++ {
		if row.Filled(lines[k]) && !slices.ContainsFunc(s.gone, func(u unused) bool { return u.has(k) }) {
			return true
		}
	}
	return false
}

// finish notes where the output of the last command ends as far as it is there.
func (s *part) finish(lines []row.Line, p *prompts) {
	c := s.last()
	if len(s.commands) == 0 || c.closed {
		return
	}
	c.End, c.more = len(lines), ""
	if end := len(row.Trim(lines)); c.ended >= 0 && end > c.ended { // a prompt may stand below
		if k := p.kindOn(lines[end-1].Text); k != nil {
			rows := k.rows
			if rows < 0 { // it has no other to be compared with
				rows = max(k.told, 0)
			}
			c.End = max(c.ended, end-1-rows)
		}
	}
}

// begun notes when the output of the running command began, if line i, right below the command, has
// a mark of that. It ignores the mark of another command.
func (s *part) begun(lines []row.Line, i int) {
	c, runs := running(s.commands)
	if !runs || c.timed || c.out != i {
		return
	}
	m, ok := newer(lines[i], vterm.MarkOutput, c.n)
	next := nextPrompt(lines[i], c.n, true)
	if text := cmdline(m); ok && (next.N == 0 || m.N < next.N) && (text == "" || text == c.Text) {
		c.began, c.timed, c.n = m.At, true, m.N
	}
}

// done notes that the command that runs has ended, if the shell says so on line i, and its exit
// status.
func (s *part) done(lines []row.Line, i int) {
	c, runs := running(s.commands)
	if !runs || len(lines[i].Marks) == 0 {
		return
	}
	m, ok := newer(lines[i], vterm.MarkDone, c.n)
	if c, begins := newer(lines[i], vterm.MarkOutput, c.n); !ok || begins && c.N < m.N {
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
	c.ended, c.endCol, c.Open, c.endN = i, m.Col, false, m.N
}

// close ends the output of a command at a column of line i: what is before that is output.
func (c *Command) close(lines []row.Line, i, col int) {
	c.End, c.Open, c.closed, c.more, c.joined = max(i, c.out), false, true, columns(lines[i].Row, 0, col), lines[i].Wrapped
	if i == c.out && c.outCol > 0 {
		c.more = columns(lines[i].Row, min(c.outCol, col), col)
	}
}

// continues reports whether what is typed at a prompt goes on with the command above, at a prompt
// for more of it: nothing is between the two.
func (s *part) continues(start int, at prompted, text string, e entry, p *prompts) bool {
	c, runs := running(s.commands)
	if !runs || !at.pasted || c.timed || start != c.out || at.col > 0 || at.prompt == c.prompt || e.output < 0 {
		return false
	}
	if !unfinished(c.Text) && !slices.Contains(p.goesOn, at.prompt) {
		return false
	}
	if !slices.Contains(p.goesOn, at.prompt) {
		p.goesOn = append(p.goesOn[max(0, len(p.goesOn)+1-maxPrompts):], at.prompt)
	}
	if c.Text, c.out, c.n = c.Text+"\n"+text, e.output, e.n; e.line != "" {
		c.Text = e.line
	}
	c.began, c.timed, c.outCol = e.began, e.timed, e.col
	if strings.HasSuffix(text, "^C") {
		s.commands = s.commands[:len(s.commands)-1]
	}
	return true
}

// saysCommand reports whether a line has a mark that says which command's output begins there.
func (s *part) saysCommand(l row.Line) bool {
	if len(l.Marks) == 0 {
		return false
	}
	m, ok := newer(l, vterm.MarkOutput, s.last().newest())
	return ok && cmdline(m) != ""
}

// said reads line i, on which no prompt was found: the shell may say that the output of a command
// begins there. It returns the line to go on with.
func (s *part) said(lines []row.Line, i int, p *prompts, folder string) int {
	c := s.last()
	m, ok := newer(lines[i], vterm.MarkOutput, c.newest())
	text := cmdline(m)
	if !ok || text == "" && c.ended < 0 {
		return i + 1
	}
	if b, typing := newer(lines[i], vterm.MarkInput, c.newest()); typing && b.N < m.N {
		return i + 1
	}
	lo, end := max(s.start, c.out, c.ended), i
	if m.Col > 0 {
		end++
	}
	next, k := c.typedAbove(lines, lo, end, m, text)
	p.mark()
	p.entered = true
	var start, col int
	var sure bool
	switch {
	case k >= 0:
		start, next, sure = p.promptStart(lines, k, lo, next, m.N)
		col = next.col
		s.endAbove(lines, start, col, sure, p)
	case text == "" && end > lo:
		k = end - 1
		start, text = k, strings.TrimSpace(lines[k].Text)
		if k == i {
			text = strings.TrimSpace(columns(lines[k].Row, 0, m.Col))
		}
		s.end(lines, k, 0, true)
	default:
		k = end
		start = min(k, len(lines)-1)
		s.end(lines, start, 0, true)
	}
	n := Command{out: i, outCol: m.Col, began: m.At, timed: true, n: m.N, prompt: next.prompt, start: start, col: col,
		input: next.input}
	if m.Col > 0 && columns(lines[i].Row, m.Col, rowEnd) == "" {
		n.out, n.outCol = i+1, 0
	}
	s.add(lines, min(k, i), n, text, folder)
	s.done(lines, i)
	return i + 1
}

// typedAbove looks for the row between lines lo and end that ends with command, whose output begins
// at mark m. It returns the prompt on that row and the row's line, or -1.
func (c *Command) typedAbove(lines []row.Line, lo, end int, m vterm.Mark, command string) (at prompted, k int) {
	first, _, _ := strings.Cut(command, "\n")
	if first == "" {
		return at, -1
	}
	for k = end - 1; k >= lo && end-k < maxPromptRows; k-- {
		line, rest := lines[k].Text, ""
		if k == end-1 && m.Col > 0 {
			line = columns(lines[k].Row, 0, m.Col)
		}
		if k+1 < end {
			rest, _ = wrapped(lines[:end], k, false)
		}
		head, ok := strings.CutSuffix(withoutRight(line, lines[k])+rest, first)
		if !ok {
			continue
		}
		at.input = row.Width(head)
		if k == c.ended && c.endCol < at.input {
			at.col = c.endCol
		}
		at.prompt = columns(lines[k].Row, at.col, at.input)
		return at, k
	}
	return at, -1
}

// typed puts the command on line i together with the rows that it was wrapped to and the lines that
// were typed at continuation prompts; next is the line behind it.
func typed(lines []row.Line, i int, at prompted, e entry) (_ string, next int) {
	end := min(len(lines), i+maxTyped)
	if e.output >= 0 {
		end = min(end, e.typed)
	}
	cut := func(k int, text string) string { // what is right of what was typed
		if e.right < 0 || k != e.typed-1 {
			return text
		}
		from := 0
		if k == i {
			from = at.input
		}
		return strings.TrimSpace(columns(lines[k].Row, min(from, e.right), e.right))
	}
	rest, next := wrapped(lines[:max(end, i+1)], i, e.output >= 0)
	command := at.typed
	if next == i+1 {
		command = cut(i, command)
		if e.right < 0 {
			command = withoutRight(command, lines[i])
		}
	}
	command = strings.TrimSpace(command + rest)
	for next < end && (e.output >= 0 || unfinished(command)) {
		line := cut(next, lines[next].Text)
		text := continuation().ReplaceAllString(line, "$1")
		switch {
		case at.pasted && e.output >= 0: // typed without such prompts
			text = line
			if row.Indent(text) >= at.input && at.input > 0 {
				text = text[at.input:]
			}
		case text == line && e.output < 0: // no continuation
			if e.output < 0 {
				return command, next
			}
		}
		rest, next = wrapped(lines[:end], next, e.output >= 0)
		command += "\n" + text + rest
	}
	if e.output >= 0 {
		next = max(next, min(e.output, len(lines)))
	}
	if at.pasted {
		command = strings.TrimRight(command, " \n")
	}
	return command, next
}

// wrapped returns what the row on line i goes on with on the rows below it, and the line behind
// those. Some shells (zsh, fish) wrap what is typed by themselves, where a row is full.
// typed says that nothing but what was typed is on the rows.
func wrapped(lines []row.Line, i int, typed bool) (rest string, next int) {
	full := func(l row.Line) bool { return typed || withoutRight(l.Text, l) == l.Text }
	for i++; i < len(lines) && (lines[i].Wrapped || fills(lines[i-1], lines[i]) && full(lines[i-1])); i++ {
		rest += row.Blanks(lines[i-1].Blanks-padding(lines[i-1], lines[i])) + lines[i].Text
	}
	return rest, i
}

// fills reports whether the first character of row l does not fit on the row above.
func fills(above, l row.Line) bool {
	return l.Text != "" && row.Extent(above.Row)+above.Blanks+firstWidth(l) > above.Cols
}

// firstWidth returns how many columns the first character of a row takes.
func firstWidth(l row.Line) int {
	for _, w := range vterm.Clusters(l.Text, vterm.Runes) {
		return w
	}
	return 0
}

// padding returns how many of the blanks at the end of a row the shell has put there, because the
// wide character at the start of row l does not fit. zsh shows such a blank inverse.
func padding(above, l row.Line) int {
	if above.StyleAt(above.Cols-1).Inverse && firstWidth(l) == 2 {
		return 1
	}
	return 0
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
