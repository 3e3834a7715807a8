package inkcli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// colors are the colours of a reply, which depend on the user's theme: what the sign ✦ has is
// the accent, which code spans have too; what most of the text has is plain.
type colors struct {
	accent, plain vterm.Color
	tints         map[vterm.Color]bool // of code spans, beside the accent
}

// colorsOf finds the colours in the lines of a reply whose sign has the colour accent. Plain is the
// one of most characters.
func colorsOf(lines []row.Line, accent vterm.Color) colors {
	c := colors{accent: accent}
	width := map[vterm.Color]int{}
	for _, l := range lines {
		for _, r := range l.Runs {
			fg := r.Style.Fg
			if r.Style.Bold || c.accented(r.Style) || strings.TrimLeft(r.Text, " │") == "" {
				continue
			}
			if width[fg] += r.Width; width[fg] > width[c.plain] {
				c.plain = fg
			}
		}
	}
	return c
}

// accented reports whether a style has the colour of the signs, which is not known if none stood
// above.
func (c colors) accented(s vterm.Style) bool {
	return s.Fg == c.accent && c.accent.Kind != vterm.ColorDefault
}

// tintsOf finds the colours of code spans in prose: all but those of the text, of addresses, and of
// the borders and bars around tables and quotes.
func tintsOf(lines []row.Line, c colors) map[vterm.Color]bool {
	tints := map[vterm.Color]bool{}
	for _, l := range lines {
		for _, r := range l.Runs {
			if r.Style.Fg.Kind != vterm.ColorDefault && r.Style.Fg != c.plain {
				tints[r.Style.Fg] = true
			}
		}
	}
	for _, l := range lines {
		for _, r := range l.Runs {
			if t := strings.TrimLeft(r.Text, " ("); row.StartsURL(t) || t != "" && strings.ContainsRune("│┌├└─", []rune(t)[0]) {
				delete(tints, r.Style.Fg)
			}
		}
	}
	return tints
}

// body reads a reply: each line of its Markdown is drawn by itself, with the marks taken off.
func (p *Parser) body(lines []row.Line) (text, md string) {
	c := colorsOf(lines, p.accent)
	if p.cli.Tinted {
		c.tints = tintsOf(lines, c)
	}
	lk := &markdown.Style{
		Left: 2, Right: p.cli.Right, Slack: 4, // older versions wrap up to four columns before the edge
		Item: inkItem, Table: markdown.FullFieldTable, Gutter: c.gutter, Marks: c.marks,
	}
	ls := lk.Lines(mendTables(lines))
	lk.Heading = func(l *markdown.Line) int { return c.heading(l, ls) }
	quotes := inkQuotes(lk, ls)
	lk.Quote = func(l *markdown.Line) (int, bool) {
		w, ok := quotes[l.At]
		return w, ok
	}
	return lk.Render(ls)
}

// marks reads inline styles; code is in the accent or a tint.
func (c colors) marks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if c.accented(s) && c.accent != c.plain || m == 0 && c.tints[s.Fg] {
		m |= row.MarkCode
	}
	return m
}

// inkItem reads a list item: Gemini draws it one column in, so a word that was wrapped is none.
func inkItem(l *markdown.Line) (markdown.Item, bool) {
	if l.Indent == 0 {
		return markdown.Item{}, false
	}
	return markdown.ListItem(l)
}

// gutter reads the line number of a code line: one column in at least, in the colour of comments.
func (c colors) gutter(l *markdown.Line) (width, n int, ok bool) {
	t := l.Text[l.Indent:]
	digits := t[:len(t)-len(strings.TrimLeft(t, "0123456789"))]
	if l.Indent == 0 || digits == "" || !row.Starts(t[len(digits):], " ") {
		return 0, 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, 0, false
	}
	end := l.Indent + len(digits)
	if s := row.Cut(l.Spans, l.Indent, end); s[0].Style.Fg == c.plain && c.plain.Kind != vterm.ColorDefault {
		return 0, 0, false
	}
	return end + 1, n, true
}

// heading tells a heading by its style: bold in a colour of its own, bold alone on its line, or
// italic in a colour of its own.
func (c colors) heading(l *markdown.Line, ls []markdown.Line) int {
	first := l.First()
	own := first.Fg != c.plain && first.Fg != c.accent
	bold := l.All(func(s vterm.Style) bool { return s.Bold })
	switch {
	case l.Indent > 0:
	case bold && own:
		return 2
	case own && first.Italic && l.All(func(s vterm.Style) bool { return s.Italic || s.Fg == c.accent }):
		return 4
	case bold && isTitle(l, ls):
		return 3
	}
	return 0
}

// isTitle tells a heading from a bold line of text, which looks alike: it has blank lines around it
// and does not end like a sentence.
func isTitle(l *markdown.Line, ls []markdown.Line) bool {
	i := slices.IndexFunc(ls, func(o markdown.Line) bool { return o.At == l.At })
	return (i < 1 || ls[i-1].Blank()) && !strings.ContainsAny(l.Text[len(l.Text)-1:], ":.,;!")
}

// inkQuotes finds the lines of quotes, which keep their sign: "> " before the first of those that
// were wrapped.
func inkQuotes(lk *markdown.Style, ls []markdown.Line) map[int]int {
	if !slices.ContainsFunc(ls, func(l markdown.Line) bool { return strings.HasPrefix(l.Text, ">") }) {
		return nil
	}
	quotes := map[int]int{}
	open := false
	for i := range ls {
		l := &ls[i]
		switch rest, quoted := strings.CutPrefix(l.Text, ">"); {
		case quoted:
			quotes[l.At], open = len(l.Text)-len(strings.TrimPrefix(rest, " ")), true
		case open && !l.Blank() && l.Indent == 0 && lk.SeamOf(&ls[i-1], l, 0) != markdown.SeamBreak:
			quotes[l.At] = 0
		default:
			open = false
		}
	}
	return quotes
}
