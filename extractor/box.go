package extractor

import (
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// Box is where an agent's input box is: the text is in the columns [Left, Right) of its rows.
type Box struct {
	Rows        []Line
	Left, Right int // Right < 0: up to the end of each row
}

// Text returns what was typed into a box, without the hints in grey that an empty box shows.
func (b Box) Text() string {
	var rows []string
	hint, typed := false, 0
	cursor := false // the only character that is typed is the cursor on a hint
	for _, l := range b.Rows {
		var row strings.Builder
		for _, s := range cutRow(l.Row, b.Left, b.Right, plainMarks) {
			if ccGrey(s.style) && !strings.Contains(s.text, "[Pasted ") {
				hint = hint || strings.TrimSpace(s.text) != ""
				continue
			}
			if t := strings.TrimSpace(s.text); t != "" {
				typed++
				cursor = s.style.Inverse && s.width == 1
			}
			row.WriteString(s.text)
		}
		rows = append(rows, strings.TrimRight(row.String(), " "))
	}
	text := strings.Trim(strings.Join(rows, "\n"), "\n ")
	if hint && typed == 1 && cursor || strings.HasPrefix(text, "Type your message or @") {
		return ""
	}
	return text
}

// between returns the rows from the first on, up to one that ends the box.
func between(lines []Line, ends func(Line) bool) []Line {
	for i, l := range lines {
		if ends(l) {
			return lines[:i]
		}
	}
	return lines
}

// claudeInputBox: "❯ text" between two rules, "│ > text │" in a box before 2.0.
func claudeInputBox(lines []Line) (Box, bool) {
	top, asks := claudeInput(lines)
	if top < 0 || asks {
		return Box{}, false
	}
	rows := between(lines[top+1:], func(l Line) bool { return ccWholeRule(l) || strings.HasPrefix(l.Text, "╰") })
	if strings.HasPrefix(rows[0].Text, "│") {
		return Box{rows, 4, rows[0].Cols - 1}, true
	}
	return Box{rows, 2, -1}, true
}

// codexInputBox: "› text", and rows that are indented like it. A blank row and those of the footer
// follow.
func codexInputBox(lines []Line) (Box, bool) {
	lines = trim(lines)
	at := codexComposer(lines)
	if at < 0 {
		return Box{}, false
	}
	end := len(lines)
	for end > at+1 && lines[end-1].Text != "" { // the footer
		end--
	}
	if end == at+1 && len(lines) > end {
		end = len(lines) // there is none
	}
	return Box{trim(lines[at:max(end, at+1)]), 2, -1}, true
}

// geminiInputBox: " > text" between two bars, or "│ > text │" in a box.
func geminiInputBox(lines []Line) (Box, bool) {
	top, ok := geminiComposer(lines)
	if !ok {
		return Box{}, false
	}
	rows := between(lines[top+1:], func(l Line) bool { return isBar(l) || strings.HasPrefix(l.Text, "╰") })
	if strings.HasPrefix(rows[0].Text, "│") {
		return Box{rows, 4, rows[0].Cols - 1}, true
	}
	return Box{rows, 3, -1}, true
}

// qwenInputBox: "> text" between two rules, or a box like Gemini CLI's.
func qwenInputBox(lines []Line) (Box, bool) {
	top, ok := qwenComposer(lines)
	if !ok {
		return Box{}, false
	}
	if !isRule(lines[top].Text) {
		return geminiInputBox(lines)
	}
	return Box{between(lines[top+1:], func(l Line) bool { return isRule(l.Text) }), 2, -1}, true
}

// opencodeInputBox: rows behind a bar, of which the last names the model.
func opencodeInputBox(lines []Line) (Box, bool) {
	edge := len(lines) - 1
	for edge >= 0 && !strings.HasPrefix(strings.TrimSpace(lines[edge].Text), opencodeEdge) {
		edge--
	}
	if edge < 1 {
		return Box{}, false
	}
	margin, _, ok := strings.Cut(lines[edge-1].Text, "┃")
	left := len(margin) + 3
	ground := lines[edge-1].styleAt(left - 1).Bg // what is pasted may have another
	top := edge
	for top > 0 && strings.HasPrefix(lines[top-1].Text, margin+"┃") && lines[top-1].styleAt(left-1).Bg == ground && !opencodeListed(lines[top-1]) {
		top--
	}
	if !ok || strings.TrimSpace(margin) != "" || top == edge {
		return Box{}, false
	}
	return Box{lines[top : edge-1], left, opencodeEnd(lines[top:edge], ground)}, true
}

// opencodeListed reports whether a row belongs to a list of commands, which has a bar at its right,
// too.
func opencodeListed(l Line) bool {
	text := strings.TrimSpace(l.Text)
	return strings.HasSuffix(text, "┃") && text != "┃"
}

// opencodeEnd returns the column behind the panel of a box.
func opencodeEnd(rows []Line, ground vterm.Color) int {
	end := 0
	for _, r := range rows[0].Runs {
		if r.Style.Bg == ground {
			end = r.Col + r.Width
		}
	}
	return end
}
