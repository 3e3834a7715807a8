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
	t, below := inkcli.Named(p.Lines[i], 4), i+1
	below += row.Run(p.Lines[below:], row.Prefixed("   → "))
	for _, l := range p.Lines[i+1 : below] {
		t.Input += strings.TrimSpace(l.Text)
	}
	result(t)
	return p.Below(t, i, below, 5, "tool line")
}

// result parts what a tool without a box does from what came of it: "main.go → Accepted (+1, -1)".
// A change is shown when it is made; until then its path says what is done.
func result(t *session.Tool) {
	t.Input, t.Output, _ = strings.Cut(t.Input, "→ ")
	t.Input = strings.TrimSpace(t.Input)
	if path, change, _ := strings.Cut(t.Input, ": "); t.Status == session.ToolRunning && strings.Contains(change, " => ") {
		t.Input = path
	}
	if strings.HasPrefix(t.Output, "Rejected") {
		t.Status = session.ToolRejected
	}
}
