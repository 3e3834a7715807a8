package extractor

import (
	"github.com/ptyrec/ptyrec/vterm"
)

// Plain returns what a terminal's main screen shows, scrollback and all, as plain logical lines.
func Plain(t *vterm.Term) string {
	rows := append(t.Scrollback(), t.Snapshot().Lines...)
	lines := make([]Line, len(rows))
	for i, row := range rows {
		lines[i] = Line{Row: row, Cols: t.Snapshot().Cols}
	}
	return verbatim(lines, 0)
}
