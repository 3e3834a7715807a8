package claude

import (
	"math"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
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
	for _, s := range row.Spans(p.Lines[i].Row, 2, -1, nil) {
		if rest == "" && s.Style.Bold {
			name += s.Text
		} else {
			rest += s.Text
		}
	}
	if name == "" { // it waits for its turn: all is grey, with dots behind it (1.0)
		t, _ := cutGlyph(p.Lines[i].Text, dot, record)
		if name, _, _ = strings.Cut(t, "("); names[name] {
			return name, t[len(name):]
		}
		return "", ""
	}
	if rest != "" && rest[0] != '(' {
		return "", ""
	}
	return strings.TrimSpace(name), rest
}

// blinking reports whether line i is a call whose marker is hidden at the moment, because it
// blinks.
func (p *parser) blinking(i int) bool {
	if row.Indent(p.Lines[i].Text) != 2 {
		return false
	}
	var name, rest string
	if p.Lines[i].BoldAt(2) {
		name, rest = p.header(i)
	}
	hidden := row.Grey(p.Lines[i].Runs[0].Style) // a grey blank is in its place
	return rest != "" && names[name] || p.runningGroup(i) || hidden && p.collapsedText(i) != ""
}

// runningGroup reports whether line i describes a call that runs: in ordinary text, with a grey
// corner below that holds its command or file.
func (p *parser) runningGroup(i int) bool {
	if name, _ := p.header(i); name != "" {
		return false
	}
	for _, l := range p.Lines[i+1 : min(len(p.Lines), i+6)] {
		if rest, ok := corner(l); ok {
			st, _ := behind(l, rest)
			return row.Grey(st) && !interrupted(rest) && !strings.HasPrefix(rest, "Tip: ")
		}
		if !strings.HasPrefix(l.Text, " ") {
			return false
		}
	}
	return false
}

// call reads a call, or a group of calls that is shown as one line.
func (p *parser) call(i int) int {
	name, rest := p.header(i)
	if name == "" {
		return p.group(i)
	}
	end := p.Until(i+1, func(k int) bool { return p.starts(k) || p.Lines[k].Lost })
	t := &session.Tool{Name: name, Status: status(p.Lines[i])}
	if rest != "" {
		t.Input = args(p.Lines[i:end], name)
	}
	out, end, stopped := p.result(end, end)
	outcome(t, out)
	p.Add(did(t), i, end, "call").Partial = stopped
	if stopped {
		p.Interrupted(end, end, "interrupted call")
	}
	return end
}

// status returns a call's status, by its marker's colour.
func status(l row.Line) string {
	st := l.StyleAt(0)
	switch {
	case row.Grey(st):
		return session.ToolRunning
	case row.Red(st.Fg):
		return session.ToolError
	}
	return session.ToolOK
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

// rejections begin what is said of a call that the user did not allow, or stopped.
var rejections = []string{
	"Interrupted", "[Request interrupted by user", "User rejected", "No (tell Claude", "Tool use rejected", "Rejected", "The user doesn't want to proceed",
}

// outcome sets what came out of a call.
func outcome(t *session.Tool, out claudeResult) {
	t.Output, t.Truncated = out.text, out.truncated || strings.HasSuffix(t.Input, "…")
	first, _, _ := strings.Cut(out.text, "\n")
	switch {
	case chat.Begins(first, rejections...):
		t.Status = session.ToolRejected
	case t.Status == session.ToolRunning && strings.HasSuffix(first, "…"):
		t.Output = ""
	case out.red:
		t.Status = session.ToolError
	}
}

// claudeResult is what follows a corner.
type claudeResult struct {
	text      string
	truncated bool
	red, grey bool // the colour of its first line
}

// result reads the corners from line i on; end is the line after what belongs above them if there
// are no corners. stopped reports whether one of them says that the user stopped the turn.
func (p *parser) result(i, end int) (out claudeResult, _ int, stopped bool) {
	for i < len(p.Lines) {
		l := p.Lines[i]
		rest, ok := corner(l)
		if !ok {
			break
		}
		end = p.outputEnd(i + 1)
		stopped = stopped || interrupted(rest)
		if out.text == "" {
			st, left := behind(l, rest)
			out = outputText(p.Lines[i:end], min(left, outputLeft))
			out.red, out.grey = row.Red(st.Fg), row.Grey(st)
		}
		i = end
	}
	return out, end, stopped
}

// outputEnd returns the line behind what a call printed, which goes on from line i.
func (p *parser) outputEnd(i int) int {
	return p.Until(i, func(k int) bool { return p.Lines[k].Text != "" && row.Indent(p.Lines[k].Text) < 4 })
}

// headlessOutput reads the rest of what a call printed, whose corner was never on the screen, and
// returns the line behind it. It is the last call's, unless that is done.
func (p *parser) headlessOutput(i int) int {
	end := p.outputEnd(i)
	out := outputText(p.Lines[i:end], outputLeft)
	if it := p.Above(); it.Tool != nil && it.Tool.Status == session.ToolRunning && it.Tool.Output == "" {
		it.Tool.Output, it.Tool.Status = out.text, session.ToolOK
		it.End, it.Open = end, false
		return end
	}
	it := p.Say(session.RoleTool, out.text, out.text, i, end, "rest of an output")
	it.Tool, it.Headless = &session.Tool{Output: out.text, Status: session.ToolOK}, true
	return end
}

// outputText returns the rows of an output from a column on as they are, without the notes that
// more of it is hidden.
func outputText(lines []row.Line, left int) claudeResult {
	lk := markdown.Style{Left: left}
	ls := lk.Lines(lines)
	var out claudeResult
	var text []string
	for k := range ls {
		t, hidden := hiddenBelow(&ls[k])
		if t != "" || !hidden {
			text = append(text, t)
		}
		out.truncated = out.truncated || hidden
	}
	out.text = strings.Trim(strings.Join(text, "\n"), "\n")
	return out
}

// outputLeft is the column of the output of a call, where a corner leaves that much free.
const outputLeft = 5

// hiddenBelow cuts the note off a line of output that more of it is hidden: `… +9 lines (ctrl+o to
// expand)`.
func hiddenBelow(l *markdown.Line) (text string, hidden bool) {
	text = l.Text
	if at := strings.LastIndex(text, "(ctrl+"); at >= 0 && strings.HasSuffix(text, ")") {
		text, hidden = strings.TrimRight(text[:at], " "), true
	}
	if t := strings.TrimLeft(text, " "); strings.HasPrefix(t, "… +") || hidden && strings.HasPrefix(t, "…") {
		return "", true
	}
	return text, hidden
}
