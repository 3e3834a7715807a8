package printable

// Clip returns the first n characters of a text, as one line without control characters.
func Clip(s string, n int) string {
	s = Line(s)
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
