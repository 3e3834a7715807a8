package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// scrollBar cuts off the columns from a scroll bar on. Rows that were there in the frame before are
// not cut again: they are the same lines.
type scrollBar struct {
	at            int
	before, lines map[*vterm.Row]row.Line // by the whole row; of the last frame, and of the one at hand
	body          []row.Line
}

// cut returns the columns of lines up to the bar, valid until the next call.
func (b *scrollBar) cut(lines []row.Line, at int) []row.Line {
	b.before, b.lines = b.lines, b.before
	if clear(b.lines); b.lines == nil {
		b.lines = map[*vterm.Row]row.Line{}
	}
	if b.at != at {
		b.at = at
		clear(b.before)
	}
	b.body = b.body[:0]
	for _, l := range lines {
		cut, ok := b.before[l.Row]
		if !ok {
			cut = row.CutLine(l, 0, at)
		}
		b.lines[l.Row] = cut
		b.body = append(b.body, cut)
	}
	return b.body
}
