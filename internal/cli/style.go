package cli

// Style colours words, or leaves them alone if colours are off.
type Style bool

// SGR parameters (ECMA-48, 8.3.117).
const (
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
	Match  = "1;31" // as grep's
)

// Paint returns text in a colour, with the colour reset after it.
func (s Style) Paint(sgr, text string) string {
	if !s || sgr == "" || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[m"
}
