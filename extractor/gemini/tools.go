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
	t, ok := strings.CutPrefix(l.Text, "  ")
	r, size := utf8.DecodeRuneInString(t)
	_, sign := inkcli.StatusOf(r)
	return ok && sign && strings.HasPrefix(t[size:], "  ") && l.BoldAt(5) && l.StyleAt(2).Fg != l.StyleAt(5).Fg
}

// line reads a tool without a box: its line with its result behind →, in a narrow window on the
// next row, and perhaps a diff below.
func line(p *inkcli.Parser, i int) int {
	body, under := i+1, ""
	if body < len(p.Lines) && strings.HasPrefix(p.Lines[body].Text, "   → ") {
		under = strings.TrimSpace(p.Lines[body].Text)
		body++
	}
	below := row.Trim(p.Lines[body : body+chat.Run(p.Lines[body:], belongs)])
	l := p.Lines[i]
	r, _ := utf8.DecodeRuneInString(l.Text[2:])
	t := &session.Tool{}
	t.Status, _ = inkcli.StatusOf(r)
	var desc string
	t.Name, desc = inkcli.Named(l, 5)
	result(t, desc+under)
	printed(t, row.CutLines(below, 2, -1))
	end := body + len(below)
	p.AddCall(t, i, end, p.Open(end), "tool line")
	return end - i
}

// printed adds what a tool printed to its result.
func printed(t *session.Tool, rows []row.Line) {
	text, truncated := inkcli.ToolOutput(rows)
	if t.Output != "" {
		text = strings.TrimSpace(t.Output + "\n" + text)
	}
	t.Output, t.Truncated = text, truncated
}

// belongs reports whether a row is below a tool without a box and belongs to it.
func belongs(l row.Line) bool {
	return l.Text == "" || l.Wrapped || strings.HasPrefix(l.Text, "     ") && !inkcli.More(l.Text)
}

// result parts what a tool without a box does from what came of it: "main.go → Accepted (+1, -1)".
// A change is shown when it is made; until then its path says what is done.
func result(t *session.Tool, desc string) {
	t.Input, t.Output, _ = strings.Cut(desc, "→ ")
	t.Input = strings.TrimSpace(t.Input)
	if path, change, ok := strings.Cut(t.Input, ": "); ok && t.Status == session.ToolRunning && strings.Contains(change, " => ") {
		t.Input = path
	}
	if strings.HasPrefix(t.Output, "Rejected") {
		t.Status = session.ToolRejected
	}
}
