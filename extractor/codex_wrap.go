package extractor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// codexBreaks are the characters after which textwrap cuts a word: hyphens, and what Unicode
// allows.
const codexBreaks = "-/?!|}–—"

// codexSlack is how many columns a line may end early: until 0.5x the lines of a paragraph are
// balanced.
const codexSlack = 12

// balanced reports whether line b goes on with line a though its first word would have had room
// there.
func (c *codexBody) balanced(a, b *markdown.Line) bool {
	free := a.Room - a.Width
	r, _ := utf8.DecodeLastRuneInString(a.Text)
	if free > codexSlack || c.look.WordWidth(row.FirstWord(b.Text))+1 > free || b.Indent != a.Indent || c.isCode(a) || strings.ContainsRune(codexBreaks, r) {
		return false
	}
	_, item := codexItem(b)
	return !item
}

// isCode reports whether a line is within a code block that was found.
func (c *codexBody) isCode(l *markdown.Line) bool {
	for _, r := range c.found {
		if l.At >= r[0] && l.At < r[1] {
			return true
		}
	}
	return false
}

// seam knows how 0.10x to 0.16x wrap text with a URL in it: the URL is left to the terminal to
// wrap, and up to 0.13x the words beside it are cut anywhere, with room for a hyphen that is not
// drawn: a row that is full to its last column ends with a word, and one that lacks a column may
// end within one.
func (c *codexBody) seam(a, b *markdown.Line) (markdown.Seam, bool) {
	if c.balanced(a, b) {
		return markdown.SeamSpace, true
	}
	return c.addressSeam(a, b)
}

// addressSeam is the seam beside a URL.
func (c *codexBody) addressSeam(a, b *markdown.Line) (markdown.Seam, bool) {
	if a.Wrapped && strings.Contains(row.LastWord(a.Text), "://") {
		return markdown.SeamSpace, true
	}
	free := a.Room - a.Width
	if free < 0 || free > cutSlack || !c.cutAnywhere(a.At) {
		return 0, false
	}
	last := row.LastWord(a.Text)
	switch {
	case free == 0 && strings.HasSuffix(last, "-") && last != "-", free == 1 && c.cutWord(last, row.FirstWord(b.Text)):
		return markdown.SeamNone, true
	}
	return markdown.SeamSpace, true
}

// cutSlack is how many columns a row may lack at most where words are cut anywhere: a blank, and a
// letter with its hyphen.
const cutSlack = 2

// cutWord reports whether two pieces are of one word. The reply's other words decide, if they can.
func (c *codexBody) cutWord(last, first string) bool {
	r, _ := utf8.DecodeLastRuneInString(last)
	f, size := utf8.DecodeRuneInString(first)
	if !markdown.WordRune(r) && markdown.WordRune(f) || size == len(first) || codexURL(last) || codexURL(first) {
		return false
	}
	bare := strings.Trim(first, ".,;:!?)")
	switch {
	case c.says(last + bare):
		return true
	case commonWords[last], commonWords[bare], c.says(last) && c.says(bare):
		return false
	}
	return !unicode.IsUpper(f) || unicode.IsUpper(r)
}

// says reports whether a word occurs within one of the reply's rows.
func (c *codexBody) says(word string) bool {
	for _, l := range c.lines {
		for i, w := range strings.Fields(l.Text) {
			if i > 0 && strings.Trim(w, ".,;:!?()") == word && !strings.HasSuffix(l.Text, w) {
				return true
			}
		}
	}
	return false
}

// cutAnywhere reports whether the paragraph around a row has a URL and fills its rows, as only a
// cut within words does.
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
		if hasLink(l.Row) { // later versions say so, and cut no words
			return false
		}
		for _, w := range strings.Fields(l.Text) {
			url = url || codexURL(w)
		}
		switch {
		case i == to-1:
		case row.RowWidth(l.Row)+cutSlack >= l.Cols-c.look.Right:
			full++
		case codexURL(row.FirstWord(c.lines[i+1].Text)): // a URL goes to a row of its own
		default:
			return false
		}
	}
	return url && full > 1
}

// hasLink reports whether a cell of the row is a link.
func hasLink(r *vterm.Row) bool {
	for i := range r.Runs {
		if r.Runs[i].Style.Link != "" {
			return true
		}
	}
	return false
}

// codexURL reports whether Codex takes a word for an address: a scheme, or a host with a path
// behind it.
func codexURL(word string) bool {
	word = strings.Trim(word, "()[]{}<>,.;:!'\"")
	if strings.Contains(word, "://") {
		return true
	}
	host := word
	at := strings.IndexAny(word, "/?#")
	if at >= 0 {
		host = word[:at]
	}
	host, _, _ = strings.Cut(host, ":")
	if at < 0 {
		return strings.HasPrefix(host, "www.")
	}
	top := host[strings.LastIndexByte(host, '.')+1:]
	if host == "localhost" || len(top) == len(host) || len(top) < 2 {
		return host == "localhost"
	}
	for _, r := range top {
		if !unicode.IsLetter(r) || r > unicode.MaxASCII {
			return false
		}
	}
	return true
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
