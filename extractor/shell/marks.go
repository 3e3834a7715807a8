package shell

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

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
	if from == to {
		return ""
	}
	if run := r.Runs; len(run) == 1 && run[0].Col == 0 && len(run[0].Text) == run[0].Width { // ASCII, as most rows
		if to < 0 || to > run[0].Width {
			to = run[0].Width
		}
		return strings.TrimRight(run[0].Text[min(from, to):to], " ")
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
	for k := i; k >= 0 && k >= i-maxPromptRows; k-- {
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

// entered returns the line on which a shell says that the output of the command begins which was
// typed at line i, -1 if it does not; next is the line of the next prompt that it marks before
// that, or -1.
func entered(lines []row.Line, i int) (output, next int) {
	input, ok := markOf(lines[i].Row, vterm.MarkInput)
	if !ok {
		return -1, -1
	}
	for k := i + 1; k < len(lines) && k <= i+maxTyped; k++ {
		if lines[k].Marks == nil {
			continue
		}
		if m, ok := markOf(lines[k].Row, vterm.MarkOutput); ok && m.At >= input.At {
			return k, -1
		}
		if _, ok := markOf(lines[k].Row, vterm.MarkInput); ok {
			return -1, k
		}
	}
	return -1, -1
}

// cmdline returns the command that was typed at line i, where the shell says it with the mark of
// its output (fish, kitty's integrations): what background jobs write between its keys is no part
// of it.
func cmdline(lines []row.Line, i int) (command string, ok bool) {
	k, _ := entered(lines, i)
	if k < 0 {
		return "", false
	}
	m, _ := markOf(lines[k].Row, vterm.MarkOutput)
	for field := range strings.SplitSeq(m.Text, ";") {
		if value, found := strings.CutPrefix(field, "cmdline_url="); found {
			command, err := url.PathUnescape(value)
			command = strings.TrimSpace(strings.ToValidUTF8(strings.Map(printableLine, command), ""))
			return command, err == nil && command != ""
		}
	}
	return "", false
}

// printableLine drops control characters except line feeds and tabs.
func printableLine(r rune) rune {
	if r == '\n' || r == '\t' {
		return r
	}
	return printableRune(r)
}

// redrawn reports whether the shell has drawn the prompt on line i again below, with what was typed
// at it: it has shown completions.
func (p *prompts) redrawn(lines []row.Line, i int, text string) bool {
	_, next := entered(lines, i)
	if _, ok := markOf(lines[i].Row, vterm.MarkInput); !ok || next < 0 {
		return false
	}
	_, again, _ := p.split(lines[next])
	return again != "" && strings.HasPrefix(again, text)
}

// unused reports whether no command was run at the prompt on line i, so far as is known: a shell
// that marks the outputs of commands typed at it has marked none. What is behind the prompt was
// written by a background job, then.
func (p *prompts) unused(lines []row.Line, i int, prompt string) bool {
	output, _ := entered(lines, i)
	if output >= 0 {
		p.outputs = prompt
	}
	_, ok := markOf(lines[i].Row, vterm.MarkInput)
	return ok && output < 0 && prompt != "" && prompt == p.outputs
}

// waiting reports whether the prompt on line i may be where the next command is typed, though
// something else is written there.
func (p *prompts) waiting(lines []row.Line, i int, prompt string) bool {
	_, next := entered(lines, i)
	return next < 0 && p.unused(lines, i, prompt)
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
	m, ok := markOf(l.Row, vterm.MarkFolder)
	if !ok {
		return ""
	}
	rest, ok := strings.CutPrefix(m.Text, "file://")
	at := strings.IndexByte(rest, '/') // behind the host
	if !ok || at < 0 {
		return ""
	}
	path, err := url.PathUnescape(rest[at:])
	if err != nil {
		path = rest[at:]
	}
	return strings.ToValidUTF8(strings.Map(printableRune, path), "")
}

// lastFolder returns the folder that a shell is in behind lines; above is the one above them.
func lastFolder(lines []row.Line, above string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Row == nil || lines[i].Marks == nil {
			continue
		}
		if f := folder(lines[i]); f != "" {
			return f
		}
	}
	return above
}

// printableRune drops control characters.
func printableRune(r rune) rune {
	if r < 0x20 || r >= 0x7f && r < 0xa0 {
		return -1
	}
	return r
}
