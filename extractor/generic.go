package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// Plain returns what a terminal's main screen shows, scrollback and all, as plain logical lines.
func Plain(t *vterm.Term) string {
	rows := append(t.Scrollback(), t.Snapshot().Lines...)
	lines := make([]row.Line, len(rows))
	for i, r := range rows {
		lines[i] = row.Line{Row: r, Cols: t.Snapshot().Cols}
	}
	return markdown.Verbatim(lines, 0)
}
