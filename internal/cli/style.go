package cli

// Style colours text, or returns it unchanged if colours are off.
type Style bool

// SGR parameters (ECMA-48, 8.3.117).
const (
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
	Match  = "1;31" // as in grep
)

// Paint returns text in a colour, with the colour reset after it.
func (s Style) Paint(sgr, text string) string {
	if !s || sgr == "" || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[m"
}
