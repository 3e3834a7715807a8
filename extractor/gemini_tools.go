package extractor

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
)

// geminiStatusOf reads the sign before a tool's name.
func geminiStatusOf(sign rune) (status string, ok bool) {
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
func (p *geminiParser) box(i int) int {
	end := i + 1
	for end < len(p.lines) && (strings.HasPrefix(p.lines[end].Text, "│") || p.lines[end].Wrapped && p.lines[end].Text != "") {
		end++
	}
	rows := p.lines[i+1 : end]
	closed := end < len(p.lines) && strings.HasPrefix(p.lines[end].Text, "╰")
	if closed {
		end++
	}
	if len(rows) == 0 {
		return end - i
	}
	in := make([]Line, len(rows))
	for k, l := range rows {
		in[k] = unbox(l)
	}
	switch {
	case isComposer(rows, 2):
		p.stale = true
	case p.tools(in, i, end, closed):
	case isFarewell(in):
		p.command = -1
	case p.command >= 0:
		p.output(end, strings.Trim(verbatim(in, 0), "\n"))
	}
	return end - i
}

// isFarewell tells whether a box is the one that Gemini shows when it is left.
func isFarewell(in []Line) bool {
	return len(in) > 1 && strings.HasPrefix(in[1].Text, " Agent powering down")
}

// unbox is what stands in a row between the borders and one blank beside each.
func unbox(l Line) Line {
	w := rowWidth(l.Row)
	if strings.HasSuffix(l.Text, "│") {
		w -= 2
	}
	return cutLine(l, 2, max(w, 2))
}

// tools reads the tools of a group off the lines in its box.
func (p *geminiParser) tools(in []Line, first, end int, closed bool) bool {
	at, top := -1, first
	for k := range in {
		if _, ok := geminiHead(in[k]); !ok || k > 0 && in[k-1].Text != "" || k > 0 && at < 0 && in[0].Text != "Action Required" {
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

// geminiHead reads the line that names a tool: a sign of its state, then at column 3 the name in bold.
func geminiHead(l Line) (status string, ok bool) {
	r, size := utf8.DecodeRuneInString(l.Text)
	if status, ok = geminiStatusOf(r); !ok || !strings.HasPrefix(l.Text[size:], "  ") {
		return session.ToolRunning, r == '?' && strings.HasPrefix(l.Text, "? ") && l.styleAt(0).Bold
	}
	return status, l.styleAt(3).Bold
}

// tool adds a tool: its line, a blank one, and its output.
func (p *geminiParser) tool(in []Line, first, end int, closed bool) {
	status, _ := geminiHead(in[0])
	p.asked()
	t := &session.Tool{Status: status}
	if strings.HasPrefix(in[0].Text, "?") {
		t.Status = session.ToolRunning
		geminiAsked(t, in)
	} else {
		var desc string
		t.Name, desc = geminiNamed(in[0], 3)
		t.Input = geminiInput(desc)
		t.Output, t.Truncated = geminiOutput(in[1:])
	}
	name := t.Name
	t.Truncated = t.Truncated || strings.HasSuffix(t.Input, "…")
	if p.command >= 0 && name == "Shell Command" {
		c := p.command
		p.output(end, t.Output)
		p.command, p.items[c].Open = -1, status == session.ToolRunning
		return
	}
	text := strings.TrimSpace(name + " " + t.Input)
	p.add(Item{Message: session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}, First: first, End: end, Open: !closed || status == session.ToolRunning, Rule: "gemini tool"})
}

// geminiAsked reads a call that waits for approval. The dialog shows a command whole; some looks name it by its reason
// alone once it runs, which is kept behind it.
func geminiAsked(t *session.Tool, in []Line) {
	var desc string
	t.Name, desc = geminiNamed(in[0], 2)
	t.Input = geminiInput(desc)
	if t.Name != "Shell" {
		return
	}
	command := geminiCommand(in[1:])
	switch head, _, _ := strings.Cut(command, "\n"); {
	case command == "" || strings.HasPrefix(t.Input, head):
	case strings.HasSuffix(t.Input, "…") && strings.HasPrefix(command, strings.TrimSuffix(t.Input, "…")), t.Input == "":
		t.Input = command
	default:
		t.Input = command + " # " + t.Input
	}
}

// geminiCommand is the command in an approval: in a box of its own, or between blank lines.
func geminiCommand(in []Line) string {
	var rows []Line
	for _, l := range in {
		switch t := strings.TrimLeft(l.Text, " "); {
		case strings.HasPrefix(t, "╭"), strings.HasPrefix(t, "╰"), t == "" && len(rows) == 0:
			continue
		case strings.HasPrefix(t, "│"):
			l = unbox(l)
		}
		if t := strings.TrimLeft(l.Text, " "); t == "" || strings.HasPrefix(t, "Allow execution of") {
			return verbatim(rows, 0)
		}
		rows = append(rows, cutLine(l, leadingBlanks(l.Text), -1))
	}
	return verbatim(rows, 0)
}

// geminiNamed parts a tool's line into its name, in bold from a column on, and what it does.
func geminiNamed(l Line, col int) (name, desc string) {
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
	name = strings.TrimSpace(spansText(cutRow(l.Row, col, end, plainMarks)))
	desc = strings.TrimSpace(spansText(cutRow(l.Row, end, -1, plainMarks)))
	return name, strings.TrimSuffix(desc, " ←")
}

// geminiInput is what a tool does without the directory and the reason, which older looks put behind it.
func geminiInput(desc string) string {
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

// geminiOutput is what a tool printed, as far as it is shown.
func geminiOutput(in []Line) (text string, truncated bool) {
	rows := make([]Line, 0, len(in))
	for _, l := range in {
		if geminiHidden(l.Text) {
			truncated = true
			continue
		}
		rows = append(rows, l)
	}
	left := -1
	for _, l := range rows {
		if l.Text != "" && (left < 0 || leadingBlanks(l.Text) < left) {
			left = leadingBlanks(l.Text)
		}
	}
	if left != 3 { // where older looks indent it
		left = 0
	}
	return verbatim(rows, left), truncated
}

// geminiHidden tells whether a line stands for lines that are not shown.
func geminiHidden(t string) bool {
	t = strings.TrimLeft(t, " ")
	return strings.HasPrefix(t, "... ") && (strings.HasSuffix(t, " ...") && strings.Contains(t, " hidden") || strings.Contains(t, "lines hidden"))
}

// geminiDense tells whether a line is a tool's without a box: "  ✓  ReadFile  main.go".
func geminiDense(l Line) bool {
	if len(l.Text) < 8 || l.Text[:2] != "  " || l.Text[2] == ' ' {
		return false
	}
	r, size := utf8.DecodeRuneInString(l.Text[2:])
	if _, ok := geminiStatusOf(r); !ok || !strings.HasPrefix(l.Text[2+size:], "  ") || strings.HasPrefix(l.Text[2+size:], "   ") {
		return false
	}
	return l.styleAt(5).Bold && l.styleAt(2).Fg != l.styleAt(5).Fg
}

// dense reads a tool without a box: its line with its result behind →, and perhaps a diff below.
func (p *geminiParser) dense(i int) int {
	if !geminiDense(p.lines[i]) {
		return 0
	}
	body := i + 1
	under := "" // in a narrow window the result stands on the next row
	if body < len(p.lines) && strings.HasPrefix(p.lines[body].Text, "   → ") {
		under = strings.TrimSpace(p.lines[body].Text)
		body++
	}
	end := body
	for ; end < len(p.lines); end++ {
		if t := p.lines[end].Text; t != "" && (!strings.HasPrefix(t, "     ") || geminiMore(t)) && !p.lines[end].Wrapped {
			break
		}
	}
	for end > body && p.lines[end-1].Text == "" {
		end--
	}
	l := p.lines[i]
	r, _ := utf8.DecodeRuneInString(l.Text[2:])
	status, _ := geminiStatusOf(r)
	name, desc := geminiNamed(l, 5)
	t := &session.Tool{Name: name, Status: status}
	input, result, _ := strings.Cut(desc+under, "→ ")
	t.Input, result = strings.TrimSpace(input), strings.TrimSpace(result)
	if path, change, ok := strings.Cut(t.Input, ": "); ok && status == session.ToolRunning && strings.Contains(change, " => ") {
		t.Input = path // the change is shown when it is made
	}
	if strings.HasPrefix(result, "Rejected") {
		t.Status = session.ToolRejected
	}
	t.Output, t.Truncated = geminiOutput(cutLines(p.lines[body:end], 2, -1))
	if result != "" {
		t.Output = strings.TrimSpace(result + "\n" + t.Output)
	}
	p.asked()
	text := strings.TrimSpace(name + " " + t.Input)
	p.add(Item{Message: session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}, First: i, End: end, Open: status == session.ToolRunning || p.open(end), Rule: "gemini tool line"})
	return end - i
}
