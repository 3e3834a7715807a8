package gemini

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// dense reports whether a line is a tool's without a box: "  ✓  ReadFile  main.go".
func dense(l row.Line) bool {
	if len(l.Text) < 8 || l.Text[:2] != "  " || l.Text[2] == ' ' {
		return false
	}
	r, size := utf8.DecodeRuneInString(l.Text[2:])
	if _, ok := inkcli.StatusOf(r); !ok || !strings.HasPrefix(l.Text[2+size:], "  ") || strings.HasPrefix(l.Text[2+size:], "   ") {
		return false
	}
	return l.StyleAt(5).Bold && l.StyleAt(2).Fg != l.StyleAt(5).Fg
}

// line reads a tool without a box: its line with its result behind →, and perhaps a diff
// below.
func line(p *inkcli.Parser, i int) int {
	body := i + 1
	under := "" // in a narrow window the result is on the next row
	if body < len(p.Lines) && strings.HasPrefix(p.Lines[body].Text, "   → ") {
		under = strings.TrimSpace(p.Lines[body].Text)
		body++
	}
	end := body
	for ; end < len(p.Lines); end++ {
		if t := p.Lines[end].Text; t != "" && (!strings.HasPrefix(t, "     ") || inkcli.More(t)) && !p.Lines[end].Wrapped {
			break
		}
	}
	for end > body && p.Lines[end-1].Text == "" {
		end--
	}
	l := p.Lines[i]
	r, _ := utf8.DecodeRuneInString(l.Text[2:])
	status, _ := inkcli.StatusOf(r)
	name, desc := inkcli.Named(l, 5)
	t := &session.Tool{Name: name, Status: status}
	input, result, _ := strings.Cut(desc+under, "→ ")
	t.Input, result = strings.TrimSpace(input), strings.TrimSpace(result)
	if path, change, ok := strings.Cut(t.Input, ": "); ok && status == session.ToolRunning && strings.Contains(change, " => ") {
		t.Input = path // the change is shown when it is made
	}
	if strings.HasPrefix(result, "Rejected") {
		t.Status = session.ToolRejected
	}
	t.Output, t.Truncated = inkcli.ToolOutput(row.CutLines(p.Lines[body:end], 2, -1))
	if result != "" {
		t.Output = strings.TrimSpace(result + "\n" + t.Output)
	}
	p.Asked()
	text := strings.TrimSpace(name + " " + t.Input)
	p.Add(chat.Item{Message: session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}, First: i, End: end, Open: status == session.ToolRunning || p.Open(end), Rule: p.Name + " tool line"})
	return end - i
}
