package codex

import (
	"strings"

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
	if free > slack || c.look.WordWidth(row.FirstWord(b.Text))+1 > free {
		return false
	}
	_, item := codexItem(b)
	return !item
}

// seam knows how 0.10x to 0.16x wrap text with a URL in it: the URL is left to the terminal to
// wrap.
func (c *body) seam(a, b *markdown.Line) (markdown.Seam, bool) {
	if c.balanced(a, b) {
		return markdown.SeamSpace, true
	}
	return addressSeam(a, b)
}

// addressSeam is the seam beside a URL.
func addressSeam(a, _ *markdown.Line) (markdown.Seam, bool) {
	return markdown.SeamSpace, a.Wrapped && strings.Contains(row.LastWord(a.Text), "://")
}
