package extractor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// codexBreaks are the characters after which textwrap cuts a word: hyphens, and what Unicode allows.
const codexBreaks = "-/?!|}–—"

// codexSlack is how many columns a line may end early: until 0.5x the lines of a paragraph are balanced.
const codexSlack = 12

// balanced tells whether line b goes on with line a though its first word would have had room there.
func (c *codexBody) balanced(a, b *textLine) bool {
	free := a.room - a.width
	r, _ := utf8.DecodeLastRuneInString(a.text)
	if free > codexSlack || textWidth(firstWord(b.text))+1 > free || b.indent != a.indent || c.isCode(a) || strings.ContainsRune(codexBreaks, r) {
		return false
	}
	_, item := codexItem(b)
	return !item
}

// isCode tells whether a line is within a code block that was found.
func (c *codexBody) isCode(l *textLine) bool {
	for _, r := range c.found {
		if l.at >= r[0] && l.at < r[1] {
			return true
		}
	}
	return false
}

// seam knows how 0.10x to 0.16x wrap text with a URL in it: the URL is left to the terminal to wrap, and in some
// versions the words behind it are cut anywhere.
func (c *codexBody) seam(a, b *textLine) (seam, bool) {
	if a.wrapped && strings.Contains(lastWord(a.text), "://") {
		return seamSpace, true
	}
	if c.balanced(a, b) {
		return seamSpace, true
	}
	if a.width != a.room || !c.cutAnywhere(a.at) {
		return 0, false
	}
	last, first := lastWord(a.text), firstWord(b.text)
	r, _ := utf8.DecodeLastRuneInString(last)
	f, _ := utf8.DecodeRuneInString(first)
	if wordRune(r) && (unicode.IsLower(f) || unicode.IsDigit(f)) && !commonWords[last] && !commonWords[strings.Trim(first, ".,;:)")] {
		return seamNone, true
	}
	return seamSpace, true
}

// cutAnywhere tells whether the paragraph around a row has a URL and fills its rows to the last column, as only a cut
// within words does.
func (c *codexBody) cutAnywhere(at int) bool {
	from, to := at, at+1
	for from > 0 && c.lines[from-1].Text != "" {
		from--
	}
	for to < len(c.lines) && c.lines[to].Text != "" {
		to++
	}
	url, full := false, 0
	for i := from; i < to; i++ {
		l := c.lines[i]
		url = url || strings.Contains(l.Text, "://")
		switch {
		case i == to-1:
		case rowWidth(l.Row) == l.Cols:
			full++
		case i+1 < to && strings.Contains(firstWord(c.lines[i+1].Text), "://"): // a URL goes to a row of its own
		default:
			return false
		}
	}
	return url && full > 1
}

// commonWords are short words that are hardly ever pieces of others.
var commonWords = map[string]bool{
	"a": true, "an": true, "and": true, "are": true, "as": true, "at": true, "be": true, "but": true, "by": true, "can": true,
	"for": true, "from": true, "has": true, "have": true, "if": true, "in": true, "into": true, "is": true, "it": true,
	"its": true, "not": true, "of": true, "on": true, "only": true, "or": true, "over": true, "so": true, "than": true,
	"that": true, "the": true, "their": true, "then": true, "there": true, "these": true, "they": true, "this": true,
	"to": true, "use": true, "was": true, "when": true, "where": true, "which": true, "will": true, "with": true, "you": true,
	"your": true,
}
