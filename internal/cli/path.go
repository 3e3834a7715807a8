package cli

import "strings"

// IsPath reports whether an argument that may name a session or a file is a file's: it has a dot or
// a slash, which no session's name has. The dots of S#4..S#12 do not count.
func IsPath(arg string) bool {
	name, _, _ := strings.Cut(arg, "#")
	return strings.ContainsAny(name, "./")
}
