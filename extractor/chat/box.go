package chat

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Box is where an agent's input box is: the text is in the columns [Left, Right) of its rows.
type Box struct {
	Rows        []row.Line
	Left, Right int // Right < 0: up to the end of each row
}

// Text returns what was typed into a box, without the hints in grey that an empty box shows.
func (b Box) Text() string {
	var rows []string
	hint, typed := 0, 0 // bytes of hints, pieces of what was typed
	cursor := false     // the only character that is typed is the cursor on a hint
	for _, l := range b.Rows {
		var r strings.Builder
		for _, s := range row.Spans(l.Row, b.Left, b.Right, nil) {
			if row.Grey(s.Style) && !strings.Contains(s.Text, "[Pasted ") {
				hint += len(strings.TrimSpace(s.Text))
				continue
			}
			if t := strings.TrimSpace(s.Text); t != "" {
				typed++
				cursor = s.Style.Inverse && s.Width == 1
			}
			r.WriteString(s.Text)
		}
		rows = append(rows, strings.TrimRight(r.String(), " "))
	}
	text := strings.Trim(strings.Join(rows, "\n"), "\n ")
	if hint > 0 && typed == 1 && cursor || strings.HasPrefix(text, "Type your message or @") {
		return ""
	}
	return text
}

// BoxOf returns the box whose rows begin with the first line and end above one for which ends
// holds: "│ > text │" in a frame, or text from a column on.
func BoxOf(lines []row.Line, left int, ends func(row.Line) bool) Box {
	rows := Between(lines, func(l row.Line) bool { return ends(l) || strings.HasPrefix(l.Text, "╰") })
	if len(rows) > 0 && strings.HasPrefix(rows[0].Text, "│") {
		return Box{Rows: rows, Left: 4, Right: rows[0].Cols - 1}
	}
	return Box{Rows: rows, Left: left, Right: -1}
}

// Between returns the rows from the first on, up to one that ends the box.
func Between(lines []row.Line, ends func(row.Line) bool) []row.Line {
	return lines[:row.Run(lines, row.Not(ends))]
}
