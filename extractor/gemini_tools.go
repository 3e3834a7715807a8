package extractor

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
)

// geminiDense reports whether a line is a tool's without a box: "  ✓  ReadFile  main.go".
func geminiDense(l Line) bool {
	if len(l.Text) < 8 || l.Text[:2] != "  " || l.Text[2] == ' ' {
		return false
	}
	r, size := utf8.DecodeRuneInString(l.Text[2:])
	if _, ok := inkStatusOf(r); !ok || !strings.HasPrefix(l.Text[2+size:], "  ") || strings.HasPrefix(l.Text[2+size:], "   ") {
		return false
	}
	return l.styleAt(5).Bold && l.styleAt(2).Fg != l.styleAt(5).Fg
}

// geminiLine reads a tool without a box: its line with its result behind →, and perhaps a diff
// below.
func geminiLine(p *inkParser, i int) int {
	body := i + 1
	under := "" // in a narrow window the result is on the next row
	if body < len(p.lines) && strings.HasPrefix(p.lines[body].Text, "   → ") {
		under = strings.TrimSpace(p.lines[body].Text)
		body++
	}
	end := body
	for ; end < len(p.lines); end++ {
		if t := p.lines[end].Text; t != "" && (!strings.HasPrefix(t, "     ") || inkMore(t)) && !p.lines[end].Wrapped {
			break
		}
	}
	for end > body && p.lines[end-1].Text == "" {
		end--
	}
	l := p.lines[i]
	r, _ := utf8.DecodeRuneInString(l.Text[2:])
	status, _ := inkStatusOf(r)
	name, desc := inkNamed(l, 5)
	t := &session.Tool{Name: name, Status: status}
	input, result, _ := strings.Cut(desc+under, "→ ")
	t.Input, result = strings.TrimSpace(input), strings.TrimSpace(result)
	if path, change, ok := strings.Cut(t.Input, ": "); ok && status == session.ToolRunning && strings.Contains(change, " => ") {
		t.Input = path // the change is shown when it is made
	}
	if strings.HasPrefix(result, "Rejected") {
		t.Status = session.ToolRejected
	}
	t.Output, t.Truncated = inkOutput(cutLines(p.lines[body:end], 2, -1))
	if result != "" {
		t.Output = strings.TrimSpace(result + "\n" + t.Output)
	}
	p.asked()
	text := strings.TrimSpace(name + " " + t.Input)
	p.add(Item{Message: session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}, First: i, End: end, Open: status == session.ToolRunning || p.open(end), Rule: p.name + " tool line"})
	return end - i
}
