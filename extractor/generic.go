package extractor

import (
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// Plain returns what a terminal's main screen shows, scrollback and all, as plain logical lines.
func Plain(t *vterm.Term) string {
	var b strings.Builder
	for i, row := range append(t.Scrollback(), t.Snapshot().Lines...) {
		if i > 0 && !row.Wrapped {
			b.WriteByte('\n')
		}
		b.WriteString(row.Text)
	}
	return strings.TrimRight(b.String(), "\n ")
}
