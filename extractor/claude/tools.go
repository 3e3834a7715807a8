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

// names are the calls that the agent shows by name. One of them may lack its blinking marker.
var names = map[string]bool{
	"Bash": true, "Read": true, "Write": true, "Update": true, "Create": true, "Edit": true, "MultiEdit": true,
	"Search": true, "Glob": true,
	"Grep": true, "LS": true, "List": true, "Fetch": true, "WebFetch": true, "Web Search": true, "WebSearch": true,
	"Task": true, "Agent": true, "Explore": true, "Plan": true, "Skill": true,
	"Update Todos": true, "BashOutput": true, "KillShell": true, "Kill Shell": true, "NotebookEdit": true,
	"Edit Notebook": true, "Read Notebook": true, "Bash Output": true,
}

// header parses a call's name in a row: the bold words from column 2 up to the bracket. rest is
// what follows.
func header(l row.Line) (name, rest string) {
	spans := row.Spans(l.Row, 2, -1, nil)
	bold := row.Run(spans, func(s row.Span) bool { return s.Style.Bold })
	name, rest = row.Text(spans[:bold]), row.Text(spans[bold:])
	if name == "" { // it waits for its turn: completely grey, with dots after it (1.0)
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

// isCall reports whether a call begins on a row with a marker: it has a name, or a group's words
// behind a grey marker.
func isCall(l row.Line) bool {
	name, _ := header(l)
	return name != "" || row.Grey(l.StyleAt(0)) && !l.All(row.Grey)
}

// call parses a call, or a group of calls that is shown as one line, with its result.
func call(p *chat.Parser, i, end int) {
	head, below := parted(p.Lines[i:end])
	out := resultOf(below)
	if name, _ := header(head[0]); name == "" {
		p.Together(group(p.Lines[i:], out), i, end, "group")
	} else {
		t := &session.Tool{Name: name, Input: args(head, name), Status: status(head[0])}
		outcome(t, out)
		p.Add(did(t), i, end, "call").Partial = out.stopped
	}
	if out.stopped {
		p.Interrupted(end, end, "interrupted call")
	}
}

// loose parses a corner that belongs to no call or command: the interruption of a reply, the
// failure of a call that is not shown, an attached file, or a note.
func loose(p *chat.Parser, i, end int) {
	out := resultOf(p.Lines[i:end])
	file, attached := strings.CutPrefix(out.text, "Read ")
	switch {
	case out.stopped:
		p.Interrupted(i, end, "interrupted")
	case row.Red(out.ink.Fg):
		p.Say(session.RoleTool, out.text, out.text, i, end, "failure").Tool = &session.Tool{Output: out.text,
			Status: session.ToolError, Truncated: out.truncated}
	case attached:
		name, _, _ := strings.Cut(file, " (")
		p.Add(did(&session.Tool{Name: "Read", Input: name, Output: out.text, Status: session.ToolOK}), i, end,
			"attached file")
	}
}

// did returns an item for a call.
func did(t *session.Tool) chat.Item {
	it := chat.Called(t)
	if t.Input == "" {
		it.Text = t.Name
	}
	it.Markdown = "`" + strings.ReplaceAll(it.Text, "`", "'") + "`"
	return it
}

// status returns a call's status from its marker's colour.
func status(l row.Line) string {
	st := l.StyleAt(0)
	return chat.Status(st.Fg, row.Grey(st))
}

// args returns the text in a call's brackets.
func args(lines []row.Line, name string) string {
	lk := markdown.Style{Left: 2, Right: 4}
	ls := lk.Lines(lines)
	hang := math.MaxInt
	for k := range ls[1:] {
		hang = min(hang, ls[1+k].Indent)
	}
	var parts []string
	for _, l := range lk.Unwrap(ls, hang) {
		parts = append(parts, strings.TrimRight(row.Text(l), " "))
	}
	all := strings.Replace(strings.Join(parts, "\n"), "  …", "", 1) // beside a call that waits (1.0)
	s := strings.TrimPrefix(strings.TrimLeft(all, " "), name)
	return strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
}

// interruptions are beginnings of notes that the user stopped a reply; rejections are those of
// notes that the user stopped or rejected a call.
var (
	interruptions = []string{"Interrupted", "[Request interrupted by user"}
	rejections    = slices.Concat(interruptions,
		[]string{"User rejected", "No (tell Claude", "Tool use rejected", "Rejected", "Not run",
			"The user doesn't want to proceed"})
)

// interrupted reports whether a note says that the user stopped a reply.
func interrupted(s string) bool { return row.Starts(s, interruptions...) }

// outcome sets the result of a call.
func outcome(t *session.Tool, out claudeResult) {
	t.Output, t.Truncated = out.text, out.truncated || strings.HasSuffix(t.Input, "…")
	first, _, _ := strings.Cut(out.text, "\n")
	switch {
	case row.Starts(first, rejections...):
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
	ink       vterm.Style // style of its first line
	stopped   bool        // a corner shows that the user stopped the turn
}

// corner matches `⎿` at column 2 or 3 and the blanks after it.
var corner = lazy.Regexp(`^ {0,3}⎿[ \x{a0}]*`)

// isCorner reports whether a row begins with a corner.
var isCorner = row.Matching(corner)

// parted splits the rows of a call into its own and those of its result.
func parted(lines []row.Line) (head, below []row.Line) {
	n := row.Run(lines, row.Not(isCorner))
	return lines[:n], lines[n:]
}

// resultRows returns the number of rows at the start that belong to corners.
func resultRows(lines []row.Line) (n int) {
	for n < len(lines) && isCorner(lines[n]) {
		n += outputRows(lines[n:])
	}
	return n
}

// resultOf parses rows that consist of parts, each beginning with a corner.
func resultOf(lines []row.Line) (out claudeResult) {
	for len(lines) > 0 {
		n := outputRows(lines)
		l := lines[0]
		sign := corner().FindString(l.Text)
		out.stopped = out.stopped || interrupted(l.Text[len(sign):])
		if out.text == "" {
			left := row.Width(sign)
			out.text, out.truncated = outputText(lines[:n], min(left, outputLeft))
			out.ink = l.StyleAt(left)
		}
		lines = lines[n:]
	}
	return out
}

// outputLeft is the column of a call's output, if a corner leaves that many columns free.
const outputLeft = 5

// deep reports whether a row may be output of a call.
func deep(l row.Line) bool { return l.Text == "" || row.Indent(l.Text) >= 4 }

// outputRows returns the number of rows of a call's output, including the first, which may be
// blank.
func outputRows(lines []row.Line) int {
	return max(1, len(row.Trim(lines[:1+row.Run(lines[1:], deep)])))
}

// headlessOutput parses the rest of an output whose corner was never on the screen. It belongs to
// the last call, unless that is finished.
func headlessOutput(p *chat.Parser, i, end int) {
	text, _ := outputText(p.Lines[i:end], outputLeft)
	if it := p.Above(); it.Open && it.Tool.Output == "" {
		it.Tool.Output, it.Tool.Status = text, session.ToolOK
		it.End, it.Open = end, false
		return
	}
	it := p.Say(session.RoleTool, text, text, i, end, "rest of an output")
	it.Tool, it.Headless = &session.Tool{Output: text, Status: session.ToolOK}, true
}

// hidden matches notes that more of an output is hidden: `… +9 lines (ctrl+o to expand)`, on a line
// of their own or at the end of one.
var hidden = lazy.Regexp(`(?m)^ *…(?: \+.*|.*\(ctrl\+.*\))$\n?| *\(ctrl\+[^(\n]*\)$`)

// outputText returns the rows of an output from a column on, without the notes that more of it is
// hidden.
func outputText(lines []row.Line, left int) (text string, truncated bool) {
	whole := markdown.Verbatim(lines, left)
	if !strings.ContainsAny(whole, "…(") { // as most have not
		return whole, false
	}
	text = strings.Trim(hidden().ReplaceAllString(whole, ""), "\n")
	return text, text != whole
}
