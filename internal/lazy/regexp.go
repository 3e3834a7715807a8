// Package lazy creates values when they are first used, because every start of the program, and
// above all of a recorder, would pay for what only some commands need.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled expression. The first call panics if the
// pattern is invalid.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
