package gemini

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// result is the beginning of the row with the result of a tool without a box, in a narrow window.
const result = "   → "

// line parses a tool without a box: its line, with the result after → or below, and maybe a diff.
func line(lines []row.Line) *session.Tool {
	t, head := inkcli.Named(lines[0], 4), 1
	head += row.Run(lines[1:], row.Prefixed(result))
	for _, l := range lines[1:head] {
		t.Input += strings.TrimSpace(l.Text)
	}
	cutResult(t)
	inkcli.Output(t, lines[head:], 2)
	return t
}

// cutResult splits the text of a tool without a box into input and result: "main.go → Accepted (+1,
// -1)". A change is shown when it is made; before that, its path is followed by a description.
func cutResult(t *session.Tool) {
	t.Input, t.Output, _ = strings.Cut(t.Input, "→ ")
	t.Input = strings.TrimSpace(t.Input)
	if path, change, _ := strings.Cut(t.Input, ": "); t.Status == session.ToolRunning && strings.Contains(change, " => ") {
		t.Input = path
	}
	if strings.HasPrefix(t.Output, "Rejected") {
		t.Status = session.ToolRejected
	}
}
