package chat

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Welcome describes the welcome of an agent, which may have several forms.
type Welcome struct {
	Begins func(text string) bool // Look.Begins
	// Its first rows contain one of these, and no other text that begins in the same way does.
	Titles []string
	Forms  []Form
	// Most is the maximum number of its rows if its last one may be at the end of the screen, below
	// a conversation. 0 means welcomeRows.
	Most int
}

// Form is one form of a welcome.
type Form struct {
	// Text matches the text of its rows, with a line feed after each row that the terminal has not
	// wrapped. Its groups version, model and cwd are the contents of the welcome.
	Text func() *regexp.Regexp
	Bold string // words in its first row that are bold, but not if a reply quotes them
	Mono bool   // nothing in its rows has a style
}

// The maximum number of rows of a welcome, and up to its title, because the time for matching grows
// with the length of the text.
const (
	welcomeRows = 60
	titleRows   = 6
)

// Banner is a Look.Banner.
func (w *Welcome) Banner(lines []row.Line) (b Banner, n int) {
	if !w.Begins(lines[0].Text) { // as most rows do not
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
		return bannerOf(f.Text().SubexpNames(), m), n
	}
	return b, 0
}

// bannerOf returns the banner with the groups of a match, by their names.
func bannerOf(names, m []string) (b Banner) {
	for i, name := range names {
		switch said := strings.TrimSpace(m[i]); name {
		case "version":
			b.Version = said
		case "model":
			b.Model = said
		case "cwd":
			b.Cwd = said
		}
	}
	return b
}

// Rows returns the number of rows of the welcome, for Cell.Rows.
func (w *Welcome) Rows(lines []row.Line) int {
	_, n := w.Banner(lines)
	return n
}
