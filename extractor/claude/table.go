package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// border reports whether a box is a table: its border does not have the colour of code, its columns
// have room for three characters and a blank at both sides, and its heads are centred.
func border(ls []markdown.Line) bool {
	if inkOf(&ls[0]) == inkCode {
		return false
	}
	for _, heads := range ls[1:min(2, len(ls))] {
		for _, c := range heads.Columns(markdown.Ruler(&ls[0], '─')) {
			head := row.Text(row.Cut(heads.Spans, c.From, c.To))
			text := strings.TrimSpace(head)
			left := row.Blanks((row.Width(head) - row.Width(text)) / 2)
			if c.To-c.From < 5 || strings.TrimRight(head, " ") != strings.TrimRight(left+text, " ") {
				return false
			}
		}
	}
	return true
}
