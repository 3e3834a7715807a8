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
	prompt, typed string
}

// split parts a row into its prompt and what is typed behind it: where the shell says that a prompt
// ends, else by what prompts look like.
func (p *prompts) split(l row.Line) (at prompted, ok bool) {
	if m, ok := l.Mark(vterm.MarkInput); ok {
		p.mark()
		return prompted{0, columns(l.Row, 0, m.Col), strings.TrimSpace(columns(l.Row, m.Col, rowEnd))}, true
	}
	if p.marked && !p.known() {
		return prompted{}, false
	}
	f, prompt := p.find(l.Row)
	if prompt == "" || l.Wrapped && f.col == 0 {
		return prompted{}, false
	}
	return prompted{f.col, prompt, strings.TrimSpace((l.Text + " ")[len(prompt):])}, true
}

// promptStart returns the line, and the column in it, at which the prompt begins whose last line
// is line i, below output that begins on line out: as the shell says, else by what prompts of two
// lines look like.
func promptStart(lines []row.Line, i, out int, at prompted) (line, col int) {
	for k := i; k >= max(0, out, i-maxPromptRows); k-- {
		if m, ok := lines[k].Mark(vterm.MarkPrompt); ok {
			return k, m.Col
		}
	}
	above := max(0, i-1)
	both := at.prompt + "\n" + lines[above].Text
	if framed().MatchString(both) || firstStyled(lines[above].Row) && twoLines().MatchString(both) {
		return above, 0
	}
	return i, at.col
}

// maxPromptRows is how many rows a prompt has at most above its last.
const maxPromptRows = 8

// entry is what a shell says of the command that is typed at a line.
type entry struct {
	line   string        // the command itself
	output int           // the line on which its output begins, else -1
	began  time.Duration // when it began, or the prompt was drawn
	again  string        // what is typed at the next prompt, if that is above any output
}

// entered returns what a shell says of the command that is typed at line i.
func entered(lines []row.Line, i int) entry {
	e := entry{output: -1}
	input, ok := lines[i].Mark(vterm.MarkInput)
	if !ok {
		return e
	}
	e.began = input.At
	for k := i + 1; k < min(len(lines), i+1+maxTyped); k++ {
		if m, ok := lines[k].Mark(vterm.MarkOutput); ok && m.At >= input.At {
			e.output, e.line, e.began = k, cmdline(m), m.At
			break
		}
		if m, ok := lines[k].Mark(vterm.MarkInput); ok {
			e.again = columns(lines[k].Row, m.Col, rowEnd)
			break
		}
	}
	return e
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
