package printable

import (
	"fmt"
	"strings"
)

// Plural returns a number with a noun, such as "1 session" or "3 sessions".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OneLine returns a text as one line, without control characters.
func OneLine(text string) string {
	return Line(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}
