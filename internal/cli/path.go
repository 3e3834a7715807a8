package cli

import "strings"

// IsPath reports whether an argument that may be a session or a file is a file: it contains a dot
// or a slash, which the name of a session does not. The dots of S#4..S#12 do not count.
func IsPath(arg string) bool {
	name, _, _ := strings.Cut(arg, "#")
	return strings.ContainsAny(name, "./")
}
