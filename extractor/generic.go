package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// Plain returns what a terminal's main screen shows, scrollback and all, as plain logical lines.
func Plain(t *vterm.Term) string {
	s := t.Snapshot()
	return markdown.Verbatim(row.Lines(append(t.Scrollback(), s.Lines...), s.Cols), 0)
}
