package claude

import (
	"math"
	"slices"
	"strings"

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
	bold := true
	for _, run := range p.lines[i].Runs {
		t := run.Text
		if run.Col < 2 {
			if run.Col+run.Width <= 2 {
				continue
			}
			t = strings.TrimLeft(t, " ●⏺")
		}
		blank := strings.Trim(t, " ") == ""
		if bold && (run.Style.Bold || blank) {
			name += row.Blanks(run.Col-2-row.Width(name)) + t
			continue
		}
		if name == "" {
			return waiting(p.lines[i])
		}
		bold = false
		rest += row.Blanks(run.Col-2-row.Width(name+rest)) + t
	}
	if rest == "" {
		return strings.TrimSpace(name), ""
	}
	if rest[0] != '(' {
		return "", ""
	}
	return name, rest
}

// waiting reads the name of a call that waits for its turn: it is all grey, with dots behind
// it (1.0).
func waiting(l row.Line) (name, rest string) {
	t, _ := cutGlyph(l.Text, dot, record)
	name, _, _ = strings.Cut(t, "(")
	if !names[name] {
		return "", ""
	}
	return name, t[len(name):]
}

// blinking reports whether line i is a call whose marker is hidden at the moment, because it
// blinks.
func (p *parser) blinking(i int) bool {
	l := p.lines[i]
	if row.Indent(l.Text) != 2 {
		return false
	}
	if name, rest := p.header(i); rest != "" && names[name] {
		return true
	}
	marker := l.Runs[0] // a grey blank where it is hidden
	hidden := marker.Text == " " && row.Grey(marker.Style)
	return p.runningGroup(i) || hidden && p.collapsedText(i) != ""
}

// runningGroup reports whether line i describes a call that runs: in ordinary text, with a grey
// corner below that holds its command or file.
func (p *parser) runningGroup(i int) bool {
	if name, _ := p.header(i); name != "" {
		return false
	}
	for _, l := range p.lines[i+1 : min(len(p.lines), i+6)] {
		if rest, ok := corner(l); ok {
			grey := row.Grey(l.StyleAt(row.Width(l.Text[:len(l.Text)-len(rest)])))
			return grey && !interrupted(rest) && !strings.HasPrefix(rest, "Tip: ")
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
	end := p.run(i+1, func(k int) bool { return p.inside(k) && !p.lines[k].Lost })
	t := &session.Tool{Name: name, Status: status(p.lines[i])}
	if rest != "" {
		t.Input = args(p.lines[i:end], name)
	}
	out, end, stopped := p.result(end, end)
	outcome(t, out)
	text := name
	if t.Input != "" {
		text += "(" + t.Input + ")"
	}
	it := p.add(session.Message{Role: session.RoleTool, Text: text, Markdown: "`" + strings.ReplaceAll(text, "`", "'") + "`", Tool: t}, i, end, "call")
	it.Open = t.Status == session.ToolRunning
	if stopped {
		it.Partial = true
		p.event(session.EventInterrupted, end, end, "interrupted call")
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
	if len(ls) > 1 && strings.HasSuffix(ls[0].Text, "  …") { // the dots of a call that waits are beside its rows
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
	s = strings.TrimPrefix(s, "(")
	return strings.TrimSuffix(s, ")")
}

// rejections begin what is said of a call that the user did not allow, or stopped.
var rejections = []string{
	"Interrupted", "[Request interrupted by user", "User rejected", "No (tell Claude", "Tool use rejected", "Rejected", "The user doesn't want to proceed",
}

// outcome sets what came out of a call.
func outcome(t *session.Tool, out claudeResult) {
	t.Output, t.Truncated = out.text, out.truncated
	if strings.HasSuffix(t.Input, "…") {
		t.Truncated = true
	}
	first, _, _ := strings.Cut(out.text, "\n")
	switch {
	case slices.ContainsFunc(rejections, func(s string) bool { return strings.HasPrefix(first, s) }):
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
	for i < len(p.lines) {
		rest, ok := corner(p.lines[i])
		if !ok {
			break
		}
		last := p.outputEnd(i + 1)
		part := cornerText(p.lines[i:last])
		if interrupted(rest) {
			stopped = true
		}
		st := p.lines[i].StyleAt(row.Width(p.lines[i].Text[:len(p.lines[i].Text)-len(rest)]))
		if out.text == "" {
			out = part
			out.red, out.grey = row.Red(st.Fg), row.Grey(st)
		}
		i, end = last, last
	}
	return out, end, stopped
}

// outputEnd returns the line behind what a call printed, which goes on from line i.
func (p *parser) outputEnd(i int) int {
	return p.trimmed(i, func(k int) bool {
		return p.inside(k) && (p.lines[k].Text == "" || row.Indent(p.lines[k].Text) >= 4)
	})
}

// headlessOutput reads the rest of what a call printed, whose corner was never on the screen, and
// returns the line behind it; i if none begins there. It is the last call's, unless that is done.
func (p *parser) headlessOutput(i int) int {
	end := p.outputEnd(i)
	out := outputText(p.lines[i:end], outputLeft)
	if it := p.lastItem(); it != nil && it.Tool != nil && it.Tool.Status == session.ToolRunning && it.Tool.Output == "" {
		it.Tool.Output, it.Tool.Status = out.text, session.ToolOK
		it.End, it.Open = end, false
		return end
	}
	t := &session.Tool{Output: out.text, Status: session.ToolOK}
	p.add(session.Message{Role: session.RoleTool, Text: out.text, Markdown: out.text, Tool: t}, i, end, "rest of an output").Headless = true
	return end
}

// cornerText returns the rows after one corner as they are, without the notes that more of it
// is hidden.
func cornerText(lines []row.Line) claudeResult {
	return outputText(lines, cornerLeft(lines[0]))
}

// outputText is cornerText for rows whose text begins at a column.
func outputText(lines []row.Line, left int) claudeResult {
	lk := markdown.Style{Left: left}
	ls := lk.Lines(lines)
	var out claudeResult
	var text []string
	for k := range ls {
		t, hidden := claudeHidden(&ls[k])
		if hidden {
			out.truncated = true
			if t == "" {
				continue
			}
		}
		text = append(text, t)
	}
	out.text = strings.Trim(strings.Join(text, "\n"), "\n")
	return out
}

// outputLeft is the column of the output of a call.
const outputLeft = 5

// cornerLeft is the column behind a corner: outputLeft, or nearer where less is left
// free.
func cornerLeft(l row.Line) int {
	at := row.Indent(l.Text)
	rest := []rune(strings.TrimPrefix(l.Text[at:], claudeCorner))
	gap := slices.IndexFunc(rest, func(r rune) bool { return r != ' ' && r != '\u00a0' })
	if gap < 0 {
		gap = len(rest)
	}
	return min(at+1+gap, outputLeft)
}

// claudeHidden cuts the note off a line of output that more of it is hidden: `… +9 lines (ctrl+o to
// expand)`.
func claudeHidden(l *markdown.Line) (text string, hidden bool) {
	if at := strings.LastIndex(l.Text, "(ctrl+"); at >= 0 && strings.HasSuffix(l.Text, ")") {
		rest := strings.TrimRight(l.Text[:at], " ")
		t := strings.TrimLeft(rest, " ")
		if strings.HasPrefix(t, "…") {
			return "", true
		}
		return rest, true
	}
	t := l.Text[l.Indent:]
	if strings.HasPrefix(t, "… +") {
		return "", true
	}
	return l.Text, false
}
