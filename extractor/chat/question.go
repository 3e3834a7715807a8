package chat

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Frame are the characters that a box around a question has at the left, and blanks.
const Frame = " │┃"

// KeyHint reports whether a row says which key answers a question.
func KeyHint(row string) bool {
	row = strings.ToLower(row)
	if strings.Contains(row, "(esc to cancel") { // a spinner
		return false
	}
	for _, hint := range []string{
		"enter to ", "press enter", "enter confirm", "enter select", "enter continue", "enter submit", "esc to cancel", "esc to exit", "esc to go back", "esc to close",
		"esc back", "esc skip", "esc cancel", "esc dismiss",
	} {
		if strings.Contains(row, hint) {
			return true
		}
	}
	return false
}

// LastLines returns the texts of the last n rows that are not blank, without the frame of a box.
func LastLines(lines []row.Line, n int) []string {
	var last []string
	for i := len(lines) - 1; i >= 0 && len(last) < n; i-- {
		if text := strings.Trim(lines[i].Text, Frame+"─╰╯━"); text != "" {
			last = append(last, text)
		}
	}
	return last
}
