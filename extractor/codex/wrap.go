package codex

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// breaks are the characters after which textwrap cuts a word: hyphens, and what Unicode
// allows.
const breaks = "-/?!|}–—"

// slack is how many columns a line may end early: until 0.5x the lines of a paragraph are
// balanced.
const slack = 12

// balanced reports whether line b goes on with line a though its first word would have had room
// there.
func (c *body) balanced(a, b *markdown.Line) bool {
	free := a.Room - a.Width
	if free > slack || row.Width(row.FirstWord(b.Text))+1 > free {
		return false
	}
	_, item := item(b)
	return !item
}

// seam knows how lines are wrapped: balanced until 0.5x, cut after hyphens, and with a URL left to
// the terminal.
func (c *body) seam(a, b *markdown.Line) (markdown.Seam, bool) {
	if c.balanced(a, b) {
		return markdown.SeamSpace, true
	}
	return cutSeam(a, b)
}

// cutSeam is the seam beside a URL (0.10x to 0.16x), or within a word behind one of breaks.
func cutSeam(a, b *markdown.Line) (markdown.Seam, bool) {
	if a.Wrapped && strings.Contains(row.LastWord(a.Text), "://") {
		return markdown.SeamSpace, true
	}
	word := row.FirstWord(b.Text)
	last, size := utf8.DecodeLastRuneInString(a.Text)
	first, _ := utf8.DecodeRuneInString(word)
	if !strings.ContainsRune(breaks, last) || strings.HasSuffix(a.Text[:len(a.Text)-size], " ") || !markdown.WordRune(first) {
		return 0, false
	}
	switch word {
	case "and", "or", "und", "oder", "to", "bis": // "multi- and single-line"
		return 0, false
	}
	if i := strings.IndexAny(word, breaks); i >= 0 {
		word = word[:i+1]
	}
	return markdown.SeamNone, row.Width(word) > a.Room-a.Width
}
