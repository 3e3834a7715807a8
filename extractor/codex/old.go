package codex

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// oldLook is how the lines of a reply are drawn up to 0.42: headings and quotes have no style, a
// wrapped quote has its sign once, and code may have no blank lines around it.
func oldLook(ls []row.Line) *markdown.Style {
	c := newBody(ls)
	c.look.CodeHangs = false
	c.look.Heading, c.look.Quote, c.look.Code = c.oldHeading, c.oldQuote, c.oldCode
	return &c.look
}

func (c *body) oldHeading(l *markdown.Line) int {
	if c.blank(l.At-1) && c.blank(l.At+1) {
		return markdown.Hashes(l.Text)
	}
	return 0
}

func (c *body) oldQuote(l *markdown.Line) (int, bool) {
	if n, ok := quoteSign(l); ok {
		return n, true
	}
	return l.Indent, c.quotedOn(l.At)
}

// quotedOn reports whether a row goes on with the quote above it.
func (c *body) quotedOn(at int) bool {
	if at < 2 || c.fits(at) { // the first row has the sign of the reply
		return false
	}
	above := strings.TrimLeft(c.lines[at-1].Text, " ")
	return strings.HasPrefix(above, "> ") || c.quotedOn(at-1)
}

// fits reports whether a row's first word would have had room on the row above.
func (c *body) fits(at int) bool {
	above := c.lines[at-1]
	return row.Extent(above.Row)+1+row.Width(row.FirstWord(c.lines[at].Text)) <= above.Cols
}

// quotes reports whether all lines up to a blank one are a quote: else they are code.
func (c *body) quotes(ls []markdown.Line) bool {
	return markdown.UntilBlank(ls) == row.Run(ls, func(l markdown.Line) bool {
		_, ok := c.oldQuote(&l)
		return ok
	})
}

// oldCode counts the lines of a code block.
func (c *body) oldCode(ls []markdown.Line) int {
	if c.oldHeading(&ls[0]) > 0 || c.quotes(ls) {
		return 0
	}
	n := markdown.CodeGroups(ls, c.oldBlock, c.oldBlock)
	untab(ls[:n])
	return n
}

// oldBlock counts the lines of code up to a blank one or to prose.
func (c *body) oldBlock(ls []markdown.Line) int {
	n, code, wrapped := 0, false, false
	if isItem(&ls[0]) {
		return 0
	}
	for ; unstyled(ls[n]); n++ { // a blank line is the last
		above := &ls[max(n-1, 0)]
		wrapped = (wrapped || above.Indent > ls[n].Indent) && c.look.SeamOf(above, &ls[n], ls[0].Indent) != markdown.SeamBreak
		if wrapped {
			continue
		}
		t := ls[n].Text[ls[n].Indent:]
		j := judge(t)
		if ls[n].Indent <= ls[0].Indent && j == prose.Prose && len(strings.Fields(t)) > 3 {
			break
		}
		code = code || j == prose.Code
	}
	if !code {
		return 0
	}
	return n
}
