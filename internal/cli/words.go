package cli

import (
	"fmt"
)

// Plural returns a number of things, such as "1 session" or "3 sessions".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
