package session

import "strings"

// Matches reports whether ref is a session's id, or its beginning or end. It ignores the case of
// ref, because ids are in lower case. A short ref may match several ids.
func Matches(id, ref string) bool {
	ref = strings.ToLower(ref)
	return strings.HasPrefix(id, ref) || strings.HasSuffix(id, ref)
}
