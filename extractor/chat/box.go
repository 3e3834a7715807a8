package chat

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Box is the place of an agent's input box: the text is in the columns [Left, Right) of its rows.
type Box struct {
	Rows        []row.Line
	Left, Right int // a negative Right means the end of each row
}

// Text returns the input in a box, without the grey hints in an empty box.
func (b Box) Text() string {
	var rows []string
	hint, typed := 0, 0 // length of hints in bytes, and number of typed pieces
	cursor := false     // the only typed character is the cursor on a hint
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

// BoxOf returns the box that begins with the first line and ends above a line for which ends
// returns true: "│ > text │" in a frame, or text from a column on.
func BoxOf(lines []row.Line, left int, ends func(row.Line) bool) Box {
	rows := Between(lines, func(l row.Line) bool { return ends(l) || strings.HasPrefix(l.Text, "╰") })
	if len(rows) > 0 && strings.HasPrefix(rows[0].Text, "│") {
		return Box{Rows: rows, Left: 4, Right: rows[0].Cols - 1}
	}
	return Box{Rows: rows, Left: left, Right: -1}
}

// Between returns the rows up to one for which ends returns true.
func Between(lines []row.Line, ends func(row.Line) bool) []row.Line {
	return lines[:row.Run(lines, row.Not(ends))]
}
