package shell

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// markOf returns the mark of a kind that a row has.
func markOf(row *vterm.Row, kind vterm.MarkKind) (vterm.Mark, bool) {
	for _, m := range row.Marks {
		if m.Kind == kind {
			return m, true
		}
	}
	return vterm.Mark{}, false
}

// columns is what is written in a row's columns from up to, not including, to, without blanks at
// its end; to < 0: up to the row's end.
func columns(r *vterm.Row, from, to int) string {
	if n := len(r.Text); n == row.Extent(r) { // ASCII, as most rows
		if to < 0 {
			to = n
		}
		return strings.TrimRight(r.Text[min(from, to, n):min(to, n)], " ")
	}
	return strings.TrimRight(row.Text(row.Spans(r, from, to, nil)), " ")
}

// split parts a row into its prompt and what is typed behind it: where the shell says that a prompt
// ends, else by what prompts look like.
func (p *prompts) split(l row.Line) (prompt, text string, ok bool) {
	if m, ok := markOf(l.Row, vterm.MarkInput); ok {
		return columns(l.Row, 0, m.Col), strings.TrimSpace(columns(l.Row, m.Col, -1)), true
	}
	if l.Wrapped && !p.behindOutput(l.Text) || p.marked && !p.known() {
		return "", "", false
	}
	return p.cut(l.Row)
}

// promptStart returns the line, and the column in it, at which the prompt begins whose last line is
// line i; -1 if no shell says so.
func promptStart(lines []row.Line, i int) (line, col int) {
	for k := i; k >= max(0, i-maxPromptRows); k-- {
		if m, ok := markOf(lines[k].Row, vterm.MarkPrompt); ok {
			return k, m.Col
		}
		if _, ok := markOf(lines[k].Row, vterm.MarkInput); ok && k < i {
			break
		}
	}
	return -1, 0
}

// maxPromptRows is how many rows a prompt has at most above its last.
const maxPromptRows = 8

// entry is what a shell says of the command that is typed at a line.
type entry struct {
	marked bool   // that it is typed there
	line   string // the command itself
	output int    // the line on which its output begins, else -1
	next   int    // the line of the next prompt before any output, else -1
}

// entered returns what a shell says of the command that is typed at line i.
func entered(lines []row.Line, i int) entry {
	input, ok := markOf(lines[i].Row, vterm.MarkInput)
	e := entry{marked: ok, output: -1, next: -1}
	if !ok {
		return e
	}
	for k := i + 1; k < min(len(lines), i+1+maxTyped); k++ {
		if m, ok := markOf(lines[k].Row, vterm.MarkOutput); ok && m.At >= input.At {
			e.output, e.line = k, cmdline(m)
			break
		}
		if _, ok := markOf(lines[k].Row, vterm.MarkInput); ok {
			e.next = k
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

// redrawn reports whether the shell has drawn the prompt of an entry again below, with the text
// that was typed at it: it has shown completions.
func (p *prompts) redrawn(lines []row.Line, e entry, text string) bool {
	if e.next < 0 {
		return false
	}
	_, again, _ := p.split(lines[e.next])
	return again != "" && strings.HasPrefix(again, text)
}

// unused reports whether no command was run at an entry's prompt, so far as is known: a shell that
// marks the outputs of commands typed at it has marked none. What is behind the prompt was written
// by a background job, then.
func (p *prompts) unused(e entry, prompt string) bool {
	if e.output >= 0 {
		p.outputs = prompt
		return false
	}
	return e.marked && prompt != "" && prompt == p.outputs
}

// done takes into account that a shell says on a line that the command has ended. It reports
// whether it has.
func (c *Command) done(l row.Line) bool {
	m, ok := markOf(l.Row, vterm.MarkDone)
	if !ok || m.At < c.began {
		return false
	}
	c.ExitStatus = exitStatus(m)
	if c.running {
		seconds := math.Round((m.At-c.began).Seconds()*1000) / 1000
		c.Duration = &seconds
	}
	return true
}

// exitStatus returns the status that a mark says, nil if it says none.
func exitStatus(m vterm.Mark) *int {
	status, _, _ := strings.Cut(m.Text, ";")
	n, err := strconv.Atoi(status)
	if err != nil {
		return nil
	}
	return &n
}

// start takes into account that a shell says on a line that the command's output begins there.
func (c *Command) start(l row.Line) {
	if m, ok := markOf(l.Row, vterm.MarkOutput); ok && !c.running && m.At >= c.began {
		c.began, c.running = m.At, true
	}
}

// began returns when a prompt was drawn, as far as a shell says.
func began(l row.Line) time.Duration {
	m, _ := markOf(l.Row, vterm.MarkInput)
	return m.At
}

// folder returns the folder that a shell says on a line that it is in; "" if it does not.
func folder(l row.Line) string {
	m, _ := markOf(l.Row, vterm.MarkFolder)
	rest, ok := strings.CutPrefix(m.Text, "file://")
	at := strings.IndexByte(rest, '/') // behind the host
	if !ok || at < 0 {
		return ""
	}
	path, err := url.PathUnescape(rest[at:])
	if err != nil {
		path = rest[at:]
	}
	return printable(path, "")
}

// lastFolder returns the folder that a shell is in behind lines; above is the one above them.
func lastFolder(lines []row.Line, above string) string {
	for _, l := range slices.Backward(lines) {
		if l.Row == nil {
			continue
		}
		if f := folder(l); f != "" {
			return f
		}
	}
	return above
}
