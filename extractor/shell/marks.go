package shell

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// rowEnd is the column behind a row, however long that is.
const rowEnd = -1

// columns is what is written in a row's columns from up to, not including, to, without blanks at
// its end.
func columns(r *vterm.Row, from, to int) string {
	return strings.TrimRight(row.Text(row.Spans(r, from, to, nil)), " ")
}

// prompted is a row with a prompt.
type prompted struct {
	col           int // where the prompt begins, behind output that did not end its line
	input         int // where it ends, and what is typed begins
	prompt, typed string
	n             int           // the number of the mark that says so, 0 if none does
	at            time.Duration // of that mark
	again         bool          // the prompt is drawn again below, with what is typed
	marked        bool          // a mark that may be in a wrong place says so
	pasted        bool          // the shell says with bracketed paste when the command is entered
}

// newer returns the mark of a kind that a line has, if it has a later number than n.
func newer(l row.Line, kind vterm.MarkKind, n int) (m vterm.Mark, ok bool) {
	m, ok = l.Mark(kind)
	return m, ok && m.N > n
}

// split parts line i into its prompt and what is typed behind it: where the shell says that a
// prompt ends, else by what prompts were seen to look like. Marks up to number n were read before.
func (p *prompts) split(lines []row.Line, i, n int) (at prompted, ok bool) {
	l := lines[i]
	if len(l.Marks) > 0 {
		if m, ok := newer(l, vterm.MarkInput, n); ok {
			p.mark()
			_, pasted := newer(l, vterm.MarkTyped, n)
			at := markedAt(l.Row, m, pasted)
			at.marked = true
			return at, true
		}
		if m, ok := newer(l, vterm.MarkTyped, n); ok && !repl(columns(l.Row, 0, m.Col)) {
			p.mark()
			return p.corrected(l.Row, markedAt(l.Row, m, true)), true
		}
		if m, ok := newer(l, vterm.MarkReads, n); ok {
			if prompt, cols := drawnAgain(lines[i:], m); prompt != "" {
				at := markedAt(l.Row, m, true)
				at.col, at.input, at.prompt, at.again = m.Col, m.Col+cols, prompt, true
				return at, true
			}
		}
		if m, ok := newer(l, vterm.MarkReads, n); ok && !typedBelow(lines[i:], m) && enters(lines[i:], m.N) {
			p.mark()
			return p.guess(l.Row, m), true
		}
	}
	if p.marked && !p.known() {
		return prompted{}, false
	}
	f, prompt := p.find(l.Row, p.unmarked)
	if prompt == "" || l.Wrapped && f.col == 0 && !f.look.wrapped {
		return prompted{}, false
	}
	return prompted{col: f.col, input: row.Width(prompt), prompt: prompt,
		typed: strings.TrimSpace((l.Text + " ")[len(prompt):])}, true
}

func markedAt(r *vterm.Row, m vterm.Mark, pasted bool) prompted {
	return prompted{
		input: m.Col, prompt: columns(r, 0, m.Col), typed: strings.TrimSpace(columns(r, m.Col, rowEnd)),
		n: m.N, at: m.At, pasted: pasted,
	}
}

// corrected returns at with the end of the known prompt that the row begins with, if there is one.
// The mark may be of another prompt, which the shell showed for a search in its history.
func (p *prompts) corrected(r *vterm.Row, at prompted) prompted {
	for _, k := range p.kinds {
		if k.text == at.prompt {
			return at
		}
	}
	for _, k := range p.kinds {
		if k.text != "" && k.id != 0 && strings.HasPrefix(at.prompt, k.text) {
			at.prompt, at.input = k.text, min(k.input, row.Extent(r))
			at.typed = strings.TrimSpace(columns(r, at.input, rowEnd))
			return at
		}
	}
	return at
}

// guess returns the prompt on a row where a shell began to read, if no frame showed the prompt
// without typed text. It takes the known prompt that the row begins with.
func (p *prompts) guess(r *vterm.Row, m vterm.Mark) prompted {
	at := markedAt(r, m, true)
	at.col = m.Col
	text := columns(r, m.Col, rowEnd)
	for _, k := range p.kinds {
		if rest, ok := strings.CutPrefix(text, k.text); ok && k.text != "" && k.id != 0 {
			at.prompt, at.typed = k.text, strings.TrimSpace(rest)
			at.input = m.Col + k.input
			return at
		}
	}
	return at
}

// repl reports whether a prompt is that of a program which is no shell.
func repl(prompt string) bool { return prompt != ">" && replPrompt().MatchString(prompt) }

// drawnAgain returns the prompt on the first of lines, and its width, if the shell draws it again
// on a line below, as it does below completions.
func drawnAgain(lines []row.Line, reads vterm.Mark) (prompt string, cols int) {
	text := columns(lines[0].Row, reads.Col, rowEnd)
	for _, l := range lines[1:min(len(lines), maxTyped)] {
		if m, ok := l.Mark(vterm.MarkTyped); ok && m.N >= reads.N {
			prompt = columns(l.Row, 0, m.Col)
			if m.N == reads.N && strings.HasPrefix(text, prompt) {
				return prompt, m.Col
			}
			break
		}
	}
	return "", 0
}

// again reports whether the prompt that begins with the first of lines is drawn again below.
func again(lines []row.Line, reads vterm.Mark) bool {
	prompt, _ := drawnAgain(lines, reads)
	return prompt != ""
}

// typedBelow reports whether a prompt that begins with the first of lines has more rows: what is
// typed begins on a line below.
func typedBelow(lines []row.Line, reads vterm.Mark) bool {
	for _, l := range lines[:min(len(lines), maxTyped)] {
		if m, ok := l.Mark(vterm.MarkTyped); ok && m.N >= reads.N {
			return m.N == reads.N
		}
	}
	return false
}

// enters reports whether a mark says that Enter was pressed after mark n, before the next prompt.
func enters(lines []row.Line, n int) bool {
	for i, l := range lines[:min(len(lines), maxTyped)] {
		if m, ok := newer(l, vterm.MarkReads, n); ok && i > 0 {
			e, ok := newer(l, vterm.MarkEnter, n)
			return ok && e.N < m.N
		}
		if _, ok := newer(l, vterm.MarkEnter, n); ok {
			return true
		}
	}
	return false
}

// promptStart finds the first line of the prompt whose last line is line i. Output above it begins
// on line out. It returns that line, and the prompt with the column in which it begins there. sure
// is false if it may begin further up.
func (p *prompts) promptStart(lines []row.Line, i, out int, at prompted, id int) (_ int, _ prompted, sure bool) {
	top := max(0, out, i-maxPromptRows)
	told, col := markedStart(lines, i, top, at)
	if wrap := i; told < 0 && at.col == 0 && lines[i].Wrapped { // it is longer than a row
		for wrap > top && lines[wrap].Wrapped {
			wrap--
		}
		told = i - wrap
	}
	if at.n > 0 {
		id = at.n
	}
	if told == 0 && col > 0 {
		at.prompt = columns(lines[i].Row, col, at.input)
	}
	n, sure := p.rowsAbove(lines, i, out, at, told, col, id)
	n = min(n, i-max(0, min(out, i))) // other prompts of this kind had more
	switch {
	case n == told:
		at.col = col
	case n > 0:
		at.col = 0
	}
	return i - n, at, sure
}

// markedStart looks for a mark at which the prompt on line i begins, up to line top. It returns how
// many rows above line i the mark is, and its column; rows is -1 if there is no such mark.
func markedStart(lines []row.Line, i, top int, at prompted) (rows, col int) {
	for k := i; k >= top; k-- {
		l := lines[k]
		if m, ok := l.Mark(vterm.MarkPrompt); ok && (k < i || m.Col <= at.input) {
			return i - k, m.Col
		}
		if !at.pasted {
			continue
		}
		if m, ok := l.Mark(vterm.MarkReads); ok && m.N <= at.n &&
			(k < i || m.Col < at.input) && !entersOn(l, m.N) && !again(lines[k:i+1], m) {
			return i - k, m.Col
		}
		if m, ok := l.Mark(vterm.MarkDrawn); ok && m.N == at.n-1 {
			if i > k || m.Col > 0 { // in column 0 it may be output that was erased
				return i - k, m.Col
			}
			break
		}
	}
	return -1, 0
}

// entersOn reports whether the line that is read from mark n on is entered on the same row.
func entersOn(l row.Line, n int) bool {
	_, ok := newer(l, vterm.MarkEnter, n)
	return ok
}

// entry is what a shell says of the command that is typed at a line.
type entry struct {
	line   string        // the command itself
	output int           // the line on which its output begins, else -1
	col    int           // the column
	typed  int           // the line behind those that were typed on, and
	right  int           // the column at which what was typed ends on the last of them, else -1
	n      int           // the number of the last mark that was read
	began  time.Duration // when it began, or the prompt was drawn
	timed  bool          // the former
	again  string        // what is typed at the next prompt, if that is above any output
}

// entered returns what a shell says of the command that is typed at line i.
func entered(lines []row.Line, i int, at prompted) entry {
	e := entry{output: -1, right: -1, n: at.n, began: at.at}
	if at.n == 0 {
		return e
	}
	for k := i; k < min(len(lines), i+1+maxTyped); k++ {
		l := lines[k]
		if len(l.Marks) == 0 {
			continue
		}
		enter, isEnter := newer(l, vterm.MarkEnter, at.n)
		next := nextPrompt(l, at.n, k > i)
		if isEnter && e.output < 0 && (next.N == 0 || enter.N < next.N) {
			e.enter(enter, k, k > i)
		}
		c, ok := outputOn(l, at, k == i)
		first := next.N == 0 || c.N < next.N || next.Kind == vterm.MarkReads && !isEnter
		if ok && first && (e.output < 0 || k <= e.output) {
			e.begin(c, l, k)
			return e
		}
		if next.N > 0 {
			if next.Kind == vterm.MarkInput && e.output < 0 {
				e.again = columns(l.Row, next.Col, rowEnd)
			}
			return e
		}
		if e.output >= 0 && k >= e.output {
			return e
		}
	}
	return e
}

// outputOn returns the mark on l at which the output begins of the command typed at a prompt. first
// reports whether l is the prompt's own line: a mark to the left of the typed text is misplaced
// there, and does not count.
func outputOn(l row.Line, at prompted, first bool) (m vterm.Mark, ok bool) {
	m, ok = newer(l, vterm.MarkOutput, at.n)
	return m, ok && !(first && m.Col <= at.input && at.typed != "")
}

// enter notes that Enter was pressed on line k. below says whether that is below the prompt's line.
func (e *entry) enter(m vterm.Mark, k int, below bool) {
	e.output, e.typed, e.right, e.n = k+1, k+1, m.Col, m.N
	if m.Col == 0 && below {
		e.output, e.typed, e.right = k, k, -1
	}
}

// begin notes that the command's output begins on line k.
func (e *entry) begin(m vterm.Mark, l row.Line, k int) {
	e.line, e.began, e.timed, e.n = cmdline(m), m.At, true, m.N
	switch {
	case m.Col == 0:
		e.output, e.col, e.typed = k, 0, k
	case columns(l.Row, m.Col, rowEnd) == "":
		e.output, e.typed, e.right = k+1, k+1, m.Col
	default:
		e.output, e.col, e.typed, e.right = k, m.Col, k+1, m.Col
	}
}

// nextPrompt returns the first mark of another prompt that a line has after mark n.
func nextPrompt(l row.Line, n int, below bool) (next vterm.Mark) {
	for _, kind := range [...]vterm.MarkKind{vterm.MarkInput, vterm.MarkReads} {
		if m, ok := newer(l, kind, n); ok && below && (next.N == 0 || m.N < next.N) {
			next = m
		}
	}
	return next
}

// cmdline returns the command that the mark of its output has (fish, kitty's integrations), or "":
// what background jobs write between its keys is no part of it.
func cmdline(m vterm.Mark) string {
	_, value, _ := strings.Cut(";"+m.Text, ";cmdline_url=")
	value, _, _ = strings.Cut(value, ";")
	command, _ := url.PathUnescape(value) // "" on an error
	return strings.TrimSpace(printable(command, "\n\t"))
}

// printable drops what is no character, and control characters but those in keep.
func printable(text, keep string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune(keep, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// lastFolder returns the folder that a shell says it is in behind lines, "" if what it says cannot
// be read; above is the one above them.
func lastFolder(lines []row.Line, above string) string {
	for _, l := range slices.Backward(lines) {
		m, _ := l.Mark(vterm.MarkFolder)
		_, place, _ := strings.Cut("\n"+m.Text, "\nfile://")
		if _, path, ok := strings.Cut(place, "/"); ok { // behind the host
			path, _ = url.PathUnescape("/" + path)
			return printable(path, "")
		}
	}
	return above
}
