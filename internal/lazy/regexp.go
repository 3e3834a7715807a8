// Package lazy makes values when they are first used. Each start of the program, and a recorder's
// above all, would pay for what only some commands need.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled expression. It panics at its first call if
// the pattern is invalid.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
