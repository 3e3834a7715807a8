package chat

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Welcome is what an agent greets its users with, in some versions in another form than in others.
type Welcome struct {
	Begins func(text string) bool // Look.Begins
	Titles []string               // one of them is in its first rows, and in no others that begin so
	Forms  []Form
	// Most is how many rows it has at most, where its last one may be at the end of the screen,
	// below a conversation. 0: welcomeRows.
	Most int
}

// Form is one form of a welcome.
type Form struct {
	// Text matches the texts of its rows, from the first on, with a line feed behind each that the
	// terminal has not wrapped. Its groups version, model and cwd are what the welcome says.
	Text func() *regexp.Regexp
	Bold string // words in its first row that are bold there, and not where a reply quotes them
	Mono bool   // nothing in its rows has a style
}

// A welcome has so many rows at most, and to its title. Expressions take time by the length of the
// text.
const (
	welcomeRows = 60
	titleRows   = 6
)

// Banner is a Look.Banner.
func (w *Welcome) Banner(lines []row.Line) (b Banner, n int) {
	if !w.Begins(lines[0].Text) { // as most do not
		return b, 0
	}
	first := lines[:min(len(lines), titleRows)]
	if !slices.ContainsFunc(w.Titles, func(t string) bool { return slices.ContainsFunc(first, row.Containing(t)) }) {
		return b, 0
	}
	var texts strings.Builder
	for _, l := range lines[:min(len(lines), cmp.Or(w.Most, welcomeRows))] {
		if !l.Wrapped {
			texts.WriteByte('\n')
		}
		texts.WriteString(l.Text)
	}
	text := strings.TrimPrefix(texts.String(), "\n") + "\n"
	for _, f := range w.Forms {
		m := f.Text().FindStringSubmatch(text)
		before, _, _ := strings.Cut(lines[0].Text, f.Bold)
		if m == nil || f.Bold != "" && !lines[0].BoldAt(row.Width(before)) {
			continue
		}
		below := strings.Count(m[0], "\n")
		n := row.Run(lines, func(l row.Line) bool {
			if !l.Wrapped {
				below--
			}
			return below >= 0
		})
		if f.Mono && row.Run(lines[:n], row.Unstyled) < n {
			continue
		}
		for i, name := range f.Text().SubexpNames() {
			switch said := strings.TrimSpace(m[i]); name {
			case "version":
				b.Version = said
			case "model":
				b.Model = said
			case "cwd":
				b.Cwd = said
			}
		}
		return b, n
	}
	return b, 0
}

// Rows counts the rows of the welcome, for Cell.Rows.
func (w *Welcome) Rows(lines []row.Line) int {
	_, n := w.Banner(lines)
	return n
}
