package opencode

import (
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// inputBox: rows behind a bar, of which the last names the model.
func inputBox(lines []row.Line) (chat.Box, bool) {
	top, edge, left := input(lines)
	if top == edge {
		return chat.Box{}, false
	}
	return chat.Box{Rows: lines[top : edge-1], Left: left, Right: opencodeEnd(lines[top:edge], lines[edge-1].StyleAt(left-1).Bg)}, true
}

// input finds the rows [top, edge) of the input box, which have its bar and its ground, and the
// column where its text begins. What is pasted may have another ground.
func input(lines []row.Line) (top, edge, left int) {
	edge = row.Last(lines, func(l row.Line) bool { return strings.HasPrefix(strings.TrimSpace(l.Text), opencodeEdge) })
	if edge < 1 {
		return edge, edge, 0
	}
	margin := row.Blanks(row.Indent(lines[edge-1].Text))
	left = len(margin) + 3
	ground := lines[edge-1].StyleAt(left - 1).Bg
	return 1 + row.Last(lines[:edge], func(l row.Line) bool {
		return !strings.HasPrefix(l.Text, margin+"┃") || l.StyleAt(left-1).Bg != ground || listed(l)
	}), edge, left
}

// listed reports whether a row belongs to a list of commands, which has a bar at its right, too.
func listed(l row.Line) bool { return menu.MatchString(l.Text) }

var menu = regexp.MustCompile(`^ *┃.*┃$`)

// opencodeEnd returns the column behind the panel of a box.
func opencodeEnd(rows []row.Line, ground vterm.Color) int {
	end := 0
	for _, r := range rows[0].Runs {
		if r.Style.Bg == ground {
			end = r.Col + r.Width
		}
	}
	return end
}
