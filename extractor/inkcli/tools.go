package inkcli

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// StatusOf reads the sign before a tool's name.
func StatusOf(sign rune) (status string, ok bool) {
	switch sign {
	case '✓', '✔':
		return session.ToolOK, true
	case 'x', '✗', '✖':
		return session.ToolError, true
	case '-':
		return session.ToolRejected, true
	case 'o', '⊷', '⊶', '?':
		return session.ToolRunning, true
	}
	if sign >= 0x2800 && sign <= 0x28ff {
		return session.ToolRunning, true
	}
	return "", false
}

// box reads a ╭─╮ box: a group of tools, what a command shows, or a box of the CLI's own.
func (p *Parser) box(i int) int {
	end := i + 1
	for end < len(p.Lines) && (strings.HasPrefix(p.Lines[end].Text, "│") || p.Lines[end].Wrapped && p.Lines[end].Text != "") {
		end++
	}
	rows := p.Lines[i+1 : end]
	closed := end < len(p.Lines) && strings.HasPrefix(p.Lines[end].Text, "╰")
	if closed {
		end++
	}
	if len(rows) == 0 {
		return end - i
	}
	in := make([]row.Line, len(rows))
	for k, l := range rows {
		in[k] = unbox(l)
	}
	switch {
	case isComposer(rows, 2):
		p.Stale = true
	case p.tools(in, i, end, closed):
	case isFarewell(in):
		p.Command = -1
	case p.Command >= 0:
		p.Output(end, strings.Trim(markdown.Verbatim(in, 0), "\n"))
	}
	return end - i
}

// isFarewell reports whether a box is the one that Gemini shows when it is left.
func isFarewell(in []row.Line) bool {
	return len(in) > 1 && strings.HasPrefix(in[1].Text, " Agent powering down")
}

// unbox returns what is in a row between the borders and one blank beside each.
func unbox(l row.Line) row.Line {
	w := row.Extent(l.Row)
	if strings.HasSuffix(l.Text, "│") {
		w -= 2
	}
	return row.CutLine(l, 2, max(w, 2))
}

// tools reads the tools of a group off the lines in its box.
func (p *Parser) tools(in []row.Line, first, end int, closed bool) bool {
	at, top := -1, first
	for k := range in {
		if _, ok := head(in[k]); !ok || k > 0 && in[k-1].Text != "" || k > 0 && at < 0 && in[0].Text != "Action Required" {
			continue
		}
		if at >= 0 {
			p.tool(in[at:k], top, first+1+k, true)
			top = first + 1 + k
		}
		at = k
	}
	if at < 0 {
		return false
	}
	p.tool(in[at:], top, end, closed)
	return true
}

// head reads the line that names a tool: a sign of its state, then at column 3 the name in bold.
func head(l row.Line) (status string, ok bool) {
	r, size := utf8.DecodeRuneInString(l.Text)
	if status, ok = StatusOf(r); !ok || !strings.HasPrefix(l.Text[size:], "  ") {
		return session.ToolRunning, r == '?' && strings.HasPrefix(l.Text, "? ") && l.StyleAt(0).Bold
	}
	return status, l.StyleAt(3).Bold
}

// tool adds a tool: its line, a blank one, and its output.
func (p *Parser) tool(in []row.Line, first, end int, closed bool) {
	status, _ := head(in[0])
	p.Asked()
	t := &session.Tool{Status: status}
	if strings.HasPrefix(in[0].Text, "?") {
		t.Status = session.ToolRunning
		inkAsked(t, in)
	} else {
		var desc string
		t.Name, desc = Named(in[0], 3)
		t.Input = Input(desc)
		t.Output, t.Truncated = ToolOutput(in[1:])
	}
	name := t.Name
	t.Truncated = t.Truncated || strings.HasSuffix(t.Input, "…")
	if p.Command >= 0 && name == "Shell Command" {
		c := p.Command
		p.Output(end, t.Output)
		p.Command, p.Items[c].Open = -1, status == session.ToolRunning
		return
	}
	text := strings.TrimSpace(name + " " + t.Input)
	p.Add(chat.Item{Message: session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}, First: first, End: end, Open: !closed || status == session.ToolRunning, Rule: p.Name + " tool"})
}

// inkAsked reads a call that waits for approval. The dialog shows a command whole; some looks name
// it by its reason alone once it runs, which is kept behind it.
func inkAsked(t *session.Tool, in []row.Line) {
	var desc string
	t.Name, desc = Named(in[0], 2)
	t.Input = Input(desc)
	if t.Name != "Shell" {
		return
	}
	command := inkCommand(in[1:])
	switch head, _, _ := strings.Cut(command, "\n"); {
	case command == "" || strings.HasPrefix(t.Input, head):
	case strings.HasSuffix(t.Input, "…") && strings.HasPrefix(command, strings.TrimSuffix(t.Input, "…")), t.Input == "":
		t.Input = command
	default:
		t.Input = command + " # " + t.Input
	}
}

// inkCommand is the command in an approval: in a box of its own, or between blank lines.
func inkCommand(in []row.Line) string {
	var rows []row.Line
	for _, l := range in {
		switch t := strings.TrimLeft(l.Text, " "); {
		case strings.HasPrefix(t, "╭"), strings.HasPrefix(t, "╰"), t == "" && len(rows) == 0:
			continue
		case strings.HasPrefix(t, "│"):
			l = unbox(l)
		}
		if t := strings.TrimLeft(l.Text, " "); t == "" || strings.HasPrefix(t, "Allow execution of") {
			return markdown.Verbatim(rows, 0)
		}
		rows = append(rows, row.CutLine(l, row.Indent(l.Text), -1))
	}
	return markdown.Verbatim(rows, 0)
}

// Named parts a tool's line into its name, in bold from a column on, and what it does.
func Named(l row.Line, col int) (name, desc string) {
	end := col
	for i := range l.Runs {
		r := &l.Runs[i]
		if r.Col+r.Width <= col {
			continue
		}
		if !r.Style.Bold && (strings.TrimLeft(r.Text, " ") != "" || r.Col > col) {
			break
		}
		end = r.Col + r.Width
	}
	name = strings.TrimSpace(row.Text(row.Spans(l.Row, col, end, row.PlainMarks)))
	desc = strings.TrimSpace(row.Text(row.Spans(l.Row, end, -1, row.PlainMarks)))
	return name, strings.TrimSuffix(desc, " ←")
}

// Input is what a tool does without the directory and the reason, which older looks put behind
// it.
func Input(desc string) string {
	const dir = " [current working directory "
	if i := strings.Index(desc, dir); i >= 0 {
		return desc[:i]
	}
	cut, ok := strings.CutSuffix(desc, "…")
	if i := strings.LastIndex(cut, " ["); ok && i >= 0 && strings.HasPrefix(dir, cut[i:]) {
		return cut[:i]
	}
	return desc
}

// ToolOutput is what a tool printed, as far as it is shown.
func ToolOutput(in []row.Line) (text string, truncated bool) {
	rows := make([]row.Line, 0, len(in))
	for _, l := range in {
		if Hidden(l.Text) {
			truncated = true
			continue
		}
		rows = append(rows, l)
	}
	left := -1
	for _, l := range rows {
		if l.Text != "" && (left < 0 || row.Indent(l.Text) < left) {
			left = row.Indent(l.Text)
		}
	}
	if left != 3 { // where older looks indent it
		left = 0
	}
	return markdown.Verbatim(rows, left), truncated
}

// Hidden reports whether a line represents lines that are not shown.
func Hidden(t string) bool {
	t = strings.TrimLeft(t, " ")
	return strings.HasPrefix(t, "... ") && (strings.HasSuffix(t, " ...") && strings.Contains(t, " hidden") || strings.Contains(t, "lines hidden"))
}
