package chat

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Frame are the characters at the left of a box around a question, including blanks.
const Frame = " │┃"

// keyHint matches a hint about the key that answers a question.
var keyHint = lazy.Regexp(`enter to |press enter|enter (?:confirm|select|continue|submit)|esc (?:to ` +
	`(?:cancel|exit|go back|close)|back|skip|cancel|dismiss)`)

// KeyHint reports whether a row shows which key answers a question.
func KeyHint(row string) bool {
	row = strings.ToLower(row)
	if !strings.Contains(row, "enter") && !strings.Contains(row, "esc") { // a quick check, because most rows have neither
		return false
	}
	return keyHint().MatchString(row) && !strings.Contains(row, "(esc to cancel") // a spinner
}

// LastLines returns the texts of the last n rows that are not blank, without the frame of a box.
func LastLines(lines []row.Line, n int) (last []string) {
	for _, l := range slices.Backward(lines) {
		if len(last) == n {
			break
		}
		if text := strings.Trim(l.Text, Frame+"─╰╯━"); text != "" {
			last = append(last, text)
		}
	}
	return last
}
