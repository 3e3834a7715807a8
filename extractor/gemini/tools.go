package gemini

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// line reads a tool without a box: its line with its result behind →, in a narrow window on the
// next row, and perhaps a diff below.
func line(p *inkcli.Parser, i int) int {
	body, under := i+1, ""
	if body < len(p.Lines) && strings.HasPrefix(p.Lines[body].Text, "   → ") {
		under = strings.TrimSpace(p.Lines[body].Text)
		body++
	}
	below := row.Trim(p.Lines[body : body+row.Run(p.Lines[body:], belongs)])
	l := p.Lines[i]
	t := &session.Tool{}
	t.Status, _ = inkcli.Head(l, 2)
	var desc string
	t.Name, desc = inkcli.Named(l, 4)
	result(t, desc+under)
	printed(t, below, 2)
	end := body + len(below)
	p.AddCall(t, i, end, p.Open(end), "tool line")
	return end - i
}

// printed adds what a tool printed, from column left on, to its result.
func printed(t *session.Tool, rows []row.Line, left int) {
	text, truncated := inkcli.ToolOutput(rows, left)
	if t.Output != "" {
		text = strings.TrimSpace(t.Output + "\n" + text)
	}
	t.Output, t.Truncated = text, truncated
}

// belongs reports whether a row is below a tool without a box and belongs to it.
func belongs(l row.Line) bool {
	return l.Text == "" || l.Wrapped || strings.HasPrefix(l.Text, "     ")
}

// result parts what a tool without a box does from what came of it: "main.go → Accepted (+1, -1)".
// A change is shown when it is made; until then its path says what is done.
func result(t *session.Tool, desc string) {
	t.Input, t.Output, _ = strings.Cut(desc, "→ ")
	t.Input = strings.TrimSpace(t.Input)
	if path, change, _ := strings.Cut(t.Input, ": "); t.Status == session.ToolRunning && strings.Contains(change, " => ") {
		t.Input = path
	}
	if strings.HasPrefix(t.Output, "Rejected") {
		t.Status = session.ToolRejected
	}
}
