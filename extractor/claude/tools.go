package claude

import (
	"math"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// names are the calls that the agent shows by name; one of them may lack its marker, which
// blinks.
var names = map[string]bool{
	"Bash": true, "Read": true, "Write": true, "Update": true, "Create": true, "Edit": true, "MultiEdit": true, "Search": true, "Glob": true,
	"Grep": true, "LS": true, "List": true, "Fetch": true, "WebFetch": true, "Web Search": true, "WebSearch": true, "Task": true, "Agent": true, "Explore": true, "Plan": true, "Skill": true,
	"Update Todos": true, "BashOutput": true, "KillShell": true, "Kill Shell": true, "NotebookEdit": true, "Edit Notebook": true, "Read Notebook": true, "Bash Output": true,
}

// header reads a call's name off a row: the bold words from column 2 on, up to the bracket. rest is
// what follows.
func (p *parser) header(i int) (name, rest string) {
	spans := row.Spans(p.Lines[i].Row, 2, -1, nil)
	bold := row.Run(spans, func(s row.Span) bool { return s.Style.Bold })
	name, rest = row.Text(spans[:bold]), row.Text(spans[bold:])
	if name == "" { // it waits for its turn: all is grey, with dots behind it (1.0)
		if name, _, _ = strings.Cut(rest, "("); !names[name] {
			return "", ""
		}
		rest = rest[len(name):]
	}
	if rest != "" && rest[0] != '(' {
		return "", ""
	}
	return strings.TrimSpace(name), rest
}

// call reads a call, or a group of calls that is shown as one line, with its result.
func (p *parser) call(i int) int {
	top := p.Until(i+1, func(k int) bool { return p.starts(k) || p.Lines[k].Lost })
	out, end := p.result(top)
	if name, _ := p.header(i); name == "" {
		p.Together(p.group(i, out), i, end, "group")
	} else {
		t := &session.Tool{Name: name, Input: args(p.Lines[i:top], name), Status: status(p.Lines[i])}
		outcome(t, out)
		p.Add(did(t), i, end, "call").Partial = out.stopped
	}
	if out.stopped {
		p.Interrupted(end, end, "interrupted call")
	}
	return end
}

// did returns the item of a call.
func did(t *session.Tool) chat.Item {
	it := chat.Called(t)
	if t.Input == "" {
		it.Text = t.Name
	}
	it.Markdown = "`" + strings.ReplaceAll(it.Text, "`", "'") + "`"
	return it
}

// status returns a call's status, by its marker's colour.
func status(l row.Line) string {
	st := l.StyleAt(0)
	return chat.Status(st.Fg, row.Grey(st))
}

// args returns what is in a call's brackets.
func args(lines []row.Line, name string) string {
	lk := markdown.Style{Left: 2, Right: 4}
	ls := lk.Lines(lines)
	if strings.HasSuffix(ls[0].Text, "  …") { // the dots of a call that waits are beside its rows
		ls[0].Spans = row.Cut(ls[0].Spans, 0, ls[0].Width-1)
		ls[0].Measure()
	}
	hang := math.MaxInt
	for k := range ls[1:] {
		hang = min(hang, ls[1+k].Indent)
	}
	var parts []string
	for _, l := range lk.Unwrap(ls, hang) {
		parts = append(parts, strings.TrimRight(row.Text(l), " "))
	}
	s := strings.TrimPrefix(strings.TrimLeft(strings.Join(parts, "\n"), " "), name)
	return strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
}

// interruptions begin notes that the user stopped a reply; rejections begin what is said of a call
// that the user stopped, or did not allow.
var (
	interruptions = []string{"Interrupted", "[Request interrupted by user"}
	rejections    = slices.Concat(interruptions, []string{"User rejected", "No (tell Claude", "Tool use rejected", "Rejected", "The user doesn't want to proceed"})
)

// interrupted reports whether a note says that the user stopped a reply.
func interrupted(s string) bool { return chat.Begins(s, interruptions...) }

// outcome sets what came out of a call.
func outcome(t *session.Tool, out claudeResult) {
	t.Output, t.Truncated = out.text, out.truncated || strings.HasSuffix(t.Input, "…")
	first, _, _ := strings.Cut(out.text, "\n")
	switch {
	case chat.Begins(first, rejections...):
		t.Status = session.ToolRejected
	case t.Status == session.ToolRunning && strings.HasSuffix(first, "…"):
		t.Output = ""
	case row.Red(out.ink.Fg):
		t.Status = session.ToolError
	}
}

// claudeResult is what follows a corner.
type claudeResult struct {
	text      string
	truncated bool
	ink       vterm.Style // of its first line
	stopped   bool        // a corner says that the user stopped the turn
}

// corner cuts `⎿` at column 2 or 3 and the blanks behind it off a row.
func corner(text string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimLeft(text, " "), "⎿")
	return strings.TrimLeft(rest, " \u00a0"), ok && row.Indent(text) < 4
}

// result reads the corners from line i on, and returns the line behind them.
func (p *parser) result(i int) (out claudeResult, end int) {
	for end = i; i < len(p.Lines); i = end {
		l := p.Lines[i]
		rest, ok := corner(l.Text)
		if !ok {
			break
		}
		end = p.outputEnd(i + 1)
		out.stopped = out.stopped || interrupted(rest)
		if out.text == "" {
			left := row.Width(strings.TrimSuffix(l.Text, rest))
			out.text, out.truncated = outputText(p.Lines[i:end], min(left, outputLeft))
			out.ink = l.StyleAt(left)
		}
	}
	return out, end
}

// outputLeft is the column of the output of a call, where a corner leaves that much free.
const outputLeft = 5

// outputEnd returns the line behind what a call printed, which goes on from line i.
func (p *parser) outputEnd(i int) int {
	return p.Until(i, func(k int) bool { return p.Lines[k].Text != "" && row.Indent(p.Lines[k].Text) < 4 })
}

// headlessOutput reads the rest of what a call printed, whose corner was never on the screen, and
// returns the line behind it. It is the last call's, unless that is done.
func (p *parser) headlessOutput(i int) int {
	end := p.outputEnd(i)
	text, _ := outputText(p.Lines[i:end], outputLeft)
	if it := p.Above(); it.Tool != nil && it.Tool.Status == session.ToolRunning && it.Tool.Output == "" {
		it.Tool.Output, it.Tool.Status = text, session.ToolOK
		it.End, it.Open = end, false
		return end
	}
	it := p.Say(session.RoleTool, text, text, i, end, "rest of an output")
	it.Tool, it.Headless = &session.Tool{Output: text, Status: session.ToolOK}, true
	return end
}

// hidden matches the notes that more of an output is hidden: `… +9 lines (ctrl+o to expand)`, on a
// line of their own or behind another one.
var hidden = lazy.Regexp(`(?m)^ *…(?: \+.*|.*\(ctrl\+.*\))$\n?| *\(ctrl\+[^(\n]*\)$`)

// outputText returns the rows of an output from a column on as they are, without the notes that
// more of it is hidden.
func outputText(lines []row.Line, left int) (text string, truncated bool) {
	whole := markdown.Verbatim(lines, left)
	if !strings.Contains(whole, "…") && !strings.Contains(whole, "(ctrl+") { // as most have not
		return whole, false
	}
	text = strings.Trim(hidden().ReplaceAllString(whole, ""), "\n")
	return text, text != whole
}
