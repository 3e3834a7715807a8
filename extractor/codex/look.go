package codex

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// replyLook returns the style of a reply: Markdown whose signs are kept, with styles, but without
// fences.
func replyLook(ls []row.Line) *markdown.Style { return &newBody(ls).look }

func newBody(ls []row.Line) *body {
	c := &body{lines: ls}
	c.look = markdown.Style{
		Left: 2, Seam: c.seam, CodeHangs: true,
		Marks: marks, QuoteMarks: row.MarkCode,
		Item: c.item, Heading: heading, Quote: quoteSign, Code: c.code, Table: markdown.PipeTable,
		Border: func(ls []markdown.Line) bool { return ls[0].First().Dim },
	}
	return c
}

// body is a reply's rows.
type body struct {
	look  markdown.Style
	lines []row.Line
}

// spanInks are the palette's colours of code spans in versions without themes: cyan, or white on
// black.
var spanInks = []uint8{6, 15}

// marks returns the marks of a style. Code spans are dim, in one of spanInks or, since there are
// themes, in a colour of the theme. Bold words may have one, too.
func marks(s vterm.Style) row.Mark {
	themed := themed(s) && !s.Bold
	return row.Marks(s, s.Underline == vterm.UnderlineNone &&
		(slices.Contains(spanInks, s.Fg.Palette) || !s.Italic && (s.Dim || themed)))
}

// themed reports whether text has a colour of a theme, exactly or as the nearest of a palette of
// 256.
func themed(s vterm.Style) bool { return s.Fg.Kind == vterm.ColorRGB || s.Fg.Palette >= 16 }

// tasks are the signs of a list of tasks.
var tasks = map[string]string{"☐": markdown.TaskOpen, "☑": markdown.TaskDone}

// item parses a list item: numbers always have a colour, "-" has none, "•" has one in most versions
// that draw it. A line completely in the colour of a code span is the rest of a wrapped one.
func item(l *markdown.Line) (markdown.Item, bool) {
	end := l.Indent + len(row.FirstWord(l.Text)) // where the blank is
	first, more := l.First(), end < len(l.Text)
	if more && themed(first) && l.StyleOf(end+1) == first && l.StyleOf(end) == first {
		return markdown.Item{}, false
	}
	if coloured(l.First()) || row.Starts(l.Text[l.Indent:], "- ", "• ", "☐ ", "☑ ") {
		return markdown.TaskItem(l, tasks)
	}
	return markdown.Item{}, false
}

// number matches a number before a list item that has no colour.
var number = lazy.Regexp(`^ *(\d{1,3})\. `)

// item parses a list item. A number without colours counts if a blank row is above, or the item
// before it; elsewhere a sentence was wrapped there.
func (c *body) item(l *markdown.Line) (markdown.Item, bool) {
	if it, ok := item(l); ok {
		return it, true
	}
	m := number().FindStringSubmatch(l.Text)
	if m == nil || !unstyled(*l) {
		return markdown.Item{}, false
	}
	for at := l.At - 1; !c.blank(at); at-- {
		above := c.line(at)
		if above.Indent > l.Indent {
			continue
		}
		before := number().FindStringSubmatch(above.Text)
		if before == nil || above.Indent < l.Indent {
			return markdown.Item{}, false
		}
		n, _ := strconv.Atoi(m[1])
		k, _ := strconv.Atoi(before[1])
		if n != k+1 || coloured(above.First()) {
			return markdown.Item{}, false
		}
		break
	}
	return markdown.ListItem(l)
}

// counts reports whether a line is a sentence after a number without a colour.
func (c *body) counts(l *markdown.Line) bool {
	it, ok := c.item(l)
	return ok && prose.Judge(l.Text[min(it.Content, len(l.Text)):]) == prose.Prose
}

// isItem reports whether a line begins a list item.
func isItem(l *markdown.Line) bool {
	_, ok := item(l)
	return ok
}

func heading(l *markdown.Line) int {
	if st := l.First(); st.Bold || st.Italic {
		return markdown.Hashes(l.Text)
	}
	return 0
}

var quoteSign = markdown.QuoteSign("> ")

// blank reports whether a row of the reply is blank or does not exist.
func (c *body) blank(at int) bool { return at < 0 || at >= len(c.lines) || c.lines[at].Text == "" }

// code returns the number of lines of a code block. Themes colour every character of it. Without a
// theme or a language, only the words show it: prose has sentences, and its code spans have a
// style.
func (c *body) code(ls []markdown.Line) (n int) {
	l := &ls[0]
	if !c.blank(l.At - 1) {
		return 0
	}
	n = c.themeCode(ls)
	if n == 0 && !isItem(l) && !c.counts(l) {
		n = c.plainCode(ls)
		c.outdent(ls[:n])
	}
	untab(ls[:n])
	return n
}

// deeper returns how many columns deeper a line is indented than text would be, which is aligned
// with the block or list item above.
func (c *body) deeper(l *markdown.Line) int {
	if c.line(l.At).Indent != l.Indent { // in a quote
		return 0
	}
	for at := l.At - 1; at >= 0; at-- {
		above := c.line(at)
		if above.Blank() || above.Indent >= l.Indent {
			continue
		}
		if it, ok := item(&above); ok {
			return l.Indent - it.Content
		}
		return l.Indent - above.Indent
	}
	return 0
}

// line is a row of the reply as a line.
func (c *body) line(at int) markdown.Line { return c.look.Lines(c.lines[at : at+1])[0] }

// outdent removes the four blanks that make lines code, which Codex keeps.
func (c *body) outdent(ls []markdown.Line) {
	if len(ls) == 0 || markdown.Edge(ls) != ls[0].Indent || c.deeper(&ls[0]) != 4 {
		return
	}
	for i, l := range ls {
		if !l.Blank() {
			ls[i] = reindented(&l, 4, 0)
		}
	}
}

// reindented returns a line from a column on, with another indentation. As much of the row is free
// as before.
func reindented(l *markdown.Line, col, blanks int) markdown.Line {
	n := l.Indented(col, blanks)
	n.Room += n.Width - l.Width
	return n
}

// untab converts tabs back to four blanks: older versions write tabs to the terminal, whose tab
// stops count from its own edge.
func untab(ls []markdown.Line) {
	left := markdown.Edge(ls)
	if slices.ContainsFunc(ls, func(l markdown.Line) bool {
		return l.Indent > left &&
			l.Indent%row.TabStop != row.TabStop-2
	}) {
		return
	}
	stops := func(n int) int { return (n + 2) / row.TabStop }
	for i, l := range ls {
		if l.Indent > left {
			ls[i] = reindented(&l, l.Indent, left+(stops(l.Indent)-stops(left))*4)
		}
	}
}

// themeCode returns the number of lines of code in the colours of a theme: every character has one,
// even the blanks between words, and there is more than one colour, or only the one for plain code.
// A quote, a heading or a code span has a single colour of its own.
func (c *body) themeCode(ls []markdown.Line) int {
	n := markdown.CodeRun(ls, func(l *markdown.Line) bool {
		bullet := strings.HasPrefix(l.Text[l.Indent:], "• ")
		return !bullet && !title(l) && !c.quoted(l) && l.All(themed) && !parted(l)
	})
	first := ls[0].First().Fg
	if !codeText[first] && !slices.ContainsFunc(ls[:n], func(l markdown.Line) bool {
		return !l.Blank() && !l.All(func(s vterm.Style) bool { return s.Fg == first })
	}) {
		return 0
	}
	return n
}

// parted reports whether a blank between two words has no colour.
func parted(l *markdown.Line) bool {
	col := 0
	return slices.ContainsFunc(l.Spans, func(s row.Span) bool {
		col += s.Width
		return col > l.Indent && !themed(s.Style)
	})
}

// title reports whether a line is completely bold, or begins with several bold words, or is a
// heading: its # signs are bold, or italic from the fourth level on. Its other words may be code
// spans. A comment in code, "# ", is italic, too.
func title(l *markdown.Line) bool {
	first, signs := l.First(), markdown.Hashes(l.Text)
	words := strings.Contains(strings.TrimSpace(row.Cut(l.Spans, l.Indent, l.Width)[0].Text), " ")
	return l.All(row.Bold) || first.Bold && (signs > 0 || words) || first.Italic && signs > 3
}

// quoted reports whether a line belongs to a quote: its text has the colour of the quote's sign. In
// code a sign ">" has the colour of other signs, or of plain text.
func (c *body) quoted(l *markdown.Line) bool {
	r := c.lines[l.At]
	t := strings.TrimLeft(r.Text, " •")
	if !strings.HasPrefix(t, ">") {
		return false
	}
	sign := r.StyleAt(row.Width(strings.TrimSuffix(r.Text, t))).Fg
	text := l.From(min(l.Indent+1, l.Width))
	return !codeText[sign] && !text.All(func(s vterm.Style) bool { return s.Fg != sign })
}

// codeText are the colours of plain text in code, in the themes that are chosen by themselves
// for a dark and a light window.
var codeText = map[vterm.Color]bool{
	{Kind: vterm.ColorRGB, R: 0xcd, G: 0xd6, B: 0xf4}: true,
	{Kind: vterm.ColorRGB, R: 0x4c, G: 0x4f, B: 0x69}: true,
}

// unstyled reports whether a line has no style.
func unstyled(l markdown.Line) bool {
	return l.All(func(s vterm.Style) bool {
		s.Bg, s.Link = vterm.Color{}, ""
		return s == vterm.Style{}
	})
}

// plainCode returns the number of lines of unstyled code.
func (c *body) plainCode(ls []markdown.Line) int {
	block := func(part []markdown.Line) int {
		n := plainBlock(part)
		if part[0].Indent > ls[0].Indent || c.deeper(&part[0]) > 0 || c.likeCode(part[:max(n, 1)]) {
			return n
		}
		return 0
	}
	return markdown.CodeGroups(ls, block, block)
}

// plainBlock returns the number of unstyled lines up to a blank one or the next item of a list, or
// 0 if a line has a style, or the first is markup.
func plainBlock(ls []markdown.Line) int {
	if prose.Markup(ls[0].Text[ls[0].Indent:]) { // as code it has colours
		return 0
	}
	n := row.Run(ls, func(l markdown.Line) bool { return !l.Blank() && (l.Indent >= ls[0].Indent || !isItem(&l)) })
	if row.Run(ls[:n], unstyled) < n {
		return 0
	}
	return n
}

// likeCode judges lines without a style, as they were before they were wrapped.
func (c *body) likeCode(ls []markdown.Line) bool {
	if slices.ContainsFunc(ls, func(l markdown.Line) bool { return l.Indent != ls[0].Indent }) {
		return true // text is in line
	}
	code, text := 0, 0
	for _, l := range c.look.Unwrap(ls, ls[0].Indent) {
		switch t := row.Text(l); judge(t) {
		case prose.Code:
			code++
		case prose.Prose:
			text++
			if len(ls) == 1 && prose.Fragment(t) {
				return true
			}
		}
	}
	return code >= max(text, 1)
}

// judge distinguishes code from prose by the words of a line without a style. Only code contains
// marks of Markdown.
func judge(t string) prose.Kind {
	if strings.ContainsAny(t, "*`") {
		return prose.Code
	}
	return prose.Judge(t)
}
