package redact

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Cover returns the rows of a screen with each secret replaced by the same number of "*". It keeps
// blanks and the borders of boxes within a secret.
func (r *Redactor) Cover(rows []string) []string {
	text := strings.Join(rows, "\n")
	matches := r.Find(text)
	if len(matches) == 0 {
		return rows
	}
	var b strings.Builder
	at := 0
	for _, m := range matches {
		b.WriteString(text[at:m.Start])
		for _, c := range text[m.Start:m.End] {
			if c == '\n' || c == ' ' || isBorder(c) {
				b.WriteRune(c)
			} else {
				b.WriteString(strings.Repeat("*", displaywidth.Rune(c)))
			}
		}
		at = m.End
	}
	b.WriteString(text[at:])
	return strings.Split(b.String(), "\n")
}
