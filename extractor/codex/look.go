package codex

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// replyLook is how the lines of a reply are drawn: Markdown whose signs are left standing, with
// styles, no fences.
func replyLook(ls []row.Line) *markdown.Style {
	c := &body{lines: ls, old: strings.HasPrefix(ls[0].Text, ">")}
	c.look = markdown.Style{
		Left: 2, Seam: c.seam, CodeHangs: !c.old,
		Marks: marks, QuoteMarks: row.MarkCode,
		Item: item, Heading: c.heading, Quote: c.quote, Code: c.code, Table: markdown.PipeTable,
		Border: func(ls []markdown.Line) bool { return ls[0].First().Dim },
	}
	return &c.look
}

// body is a reply's rows.
type body struct {
	look  markdown.Style
	lines []row.Line
	old   bool // 0.2x to 0.42
}

// cyan is the colour of code spans in versions without themes, white that of those on black.
var (
	cyan  = vterm.Color{Kind: vterm.ColorPalette, Palette: 6}
	white = vterm.Color{Kind: vterm.ColorPalette, Palette: 15}
)

// marks tells what a style means. Code spans are dim, cyan, white or, since there are themes, in a
// colour of the theme; words in bold may have one too.
func marks(s vterm.Style) row.Mark {
	themed := s.Fg.Kind == vterm.ColorRGB && !s.Bold
	return row.Marks(s, s.Underline == vterm.UnderlineNone && (s.Fg == cyan || s.Fg == white || !s.Italic && (s.Dim || themed)))
}

// tasks are the signs of a list of tasks.
var tasks = map[string]string{"☐": markdown.TaskOpen, "☑": markdown.TaskDone}

// item reads a list item: numbers always have a colour, "-" has none, "•" has one in most
// versions that draw it.
func item(l *markdown.Line) (markdown.Item, bool) {
	if l.First().Fg.Kind != vterm.ColorDefault || chat.Begins(l.Text[l.Indent:], "- ", "• ", "☐ ", "☑ ") {
		return markdown.TaskItem(l, tasks)
	}
	return markdown.Item{}, false
}

// isItem reports whether a line begins a list item.
func isItem(l *markdown.Line) bool {
	_, ok := item(l)
	return ok
}

func (c *body) heading(l *markdown.Line) int {
	if st := l.First(); st.Bold || st.Italic || c.old && c.alone(l) {
		return markdown.Hashes(l.Text)
	}
	return 0
}

func (c *body) quote(l *markdown.Line) (int, bool) {
	t := l.Text[l.Indent:]
	if t != ">" && !strings.HasPrefix(t, "> ") {
		return l.Indent, c.old && c.quotedOn(l.At)
	}
	return l.Indent + 2, c.old || l.First().Fg.Kind != vterm.ColorDefault
}

// quotedOn reports whether a row goes on with the quote above it: before 0.44 a wrapped quote has
// its sign once.
func (c *body) quotedOn(at int) bool {
	if at == 0 || c.fits(at) {
		return false
	}
	above := strings.TrimLeft(c.lines[at-1].Text, " ")
	return strings.HasPrefix(above, "> ") && at > 1 || c.quotedOn(at-1)
}

// fits reports whether a row's first word would have had room on the row above.
func (c *body) fits(at int) bool {
	above := c.lines[at-1]
	return row.Extent(above.Row)+1+row.Width(row.FirstWord(c.lines[at].Text)) <= above.Cols
}

// blank reports whether a row of the reply is blank, or is none of its rows.
func (c *body) blank(at int) bool { return at < 0 || at >= len(c.lines) || c.lines[at].Text == "" }

// alone reports whether a line has blank lines around it.
func (c *body) alone(l *markdown.Line) bool { return c.blank(l.At-1) && c.blank(l.At+1) }

// quotes reports whether lines are a quote up to a blank one: if others follow those that begin
// with ">", it is code.
func (c *body) quotes(ls []markdown.Line) bool {
	i := slices.IndexFunc(ls, func(l markdown.Line) bool { _, ok := c.quote(&l); return !ok })
	return i < 0 || ls[i].Blank()
}

// code counts the lines of a code block. Themes colour every character of it; without a theme, or
// without a language, only the words tell: prose has sentences, and its code spans have a style.
func (c *body) code(ls []markdown.Line) (n int, lang string) {
	l := &ls[0]
	if !c.old && !c.blank(l.At-1) || c.heading(l) > 0 || c.quotes(ls) {
		return 0, ""
	}
	n = c.themeCode(ls)
	if n == 0 && !isItem(l) {
		n = c.plainCode(ls)
	}
	untab(ls[:n])
	return n, ""
}

// untab makes tabs four blanks again: older versions write tabs to the terminal, whose stops count
// from its own edge.
func untab(ls []markdown.Line) {
	left := markdown.Edge(ls)
	if slices.ContainsFunc(ls, func(l markdown.Line) bool { return l.Indent > left && l.Indent%row.TabStop != row.TabStop-2 }) {
		return
	}
	stops := func(n int) int { return (n + 2) / row.TabStop }
	for i, l := range ls {
		if l.Indent > left {
			ls[i] = l.Indented(l.Indent, left+(stops(l.Indent)-stops(left))*4)
		}
	}
}

// themeCode counts the lines of code in the colours of a theme: no character is without one, and
// there is more than one colour, or the one that plain code has; a quote, a heading or a code span
// have one of their own throughout.
func (c *body) themeCode(ls []markdown.Line) int {
	n := markdown.CodeRun(ls, func(l *markdown.Line) bool {
		return !title(l) && !c.quoted(l) && l.All(func(s vterm.Style) bool { return s.Fg.Kind == vterm.ColorRGB })
	})
	first := ls[0].First().Fg
	if !codeText[first] && !slices.ContainsFunc(ls[:n], func(l markdown.Line) bool {
		return !l.Blank() && !l.All(func(s vterm.Style) bool { return s.Fg == first })
	}) {
		return 0
	}
	return n
}

// title reports whether a line is a heading or entirely bold: all of it is bold, in one colour.
func title(l *markdown.Line) bool {
	first := l.First()
	return first.Bold && l.All(func(s vterm.Style) bool { return s == first })
}

// quoted reports whether a line is one of a quote: the quote's own colour, which is that of its
// sign, is the text's, too. In code a sign ">" has that of other signs, or of plain text.
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

// unstyled reports whether a line is plain throughout.
func unstyled(l markdown.Line) bool {
	return l.All(func(s vterm.Style) bool {
		s.Bg, s.Link = vterm.Color{}, ""
		return s == vterm.Style{}
	})
}

// plainCode counts the lines of unstyled code. Before 0.44 it may have no blank lines around it.
func (c *body) plainCode(ls []markdown.Line) int {
	block := func(part []markdown.Line) int {
		if n := plainBlock(part); n > 0 && (part[0].Indent > ls[0].Indent || c.likeCode(part[:n])) {
			return n
		}
		return 0
	}
	if c.old {
		block = c.oldBlock
	}
	return markdown.CodeGroups(ls, block, block)
}

// plainBlock counts the unstyled lines up to a blank one or the next item of a list; 0 where a line
// has a style.
func plainBlock(ls []markdown.Line) int {
	n := row.Run(ls, func(l markdown.Line) bool { return !l.Blank() && (l.Indent >= ls[0].Indent || !isItem(&l)) })
	if row.Run(ls[:n], unstyled) < n {
		return 0
	}
	return n
}

// likeCode judges lines that have no style, as they were before they were wrapped.
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
	return code > 0 && code >= text
}

// judge tells code from prose by the words of a line without a style. Markdown's own marks are left
// standing in code only.
func judge(t string) prose.Kind {
	if literal().MatchString(t) {
		return prose.Code
	}
	return prose.Judge(t)
}

// literal matches words in bold, or a code span.
var literal = lazy.Regexp("\\*\\*[^ *][^*]*\\*\\*|`[^`]+`")

// oldBlock counts the lines of code up to a blank one or to prose.
func (c *body) oldBlock(ls []markdown.Line) int {
	n, code, wrapped := 0, false, false
	if isItem(&ls[0]) {
		return 0
	}
	for ; n < len(ls) && unstyled(ls[n]); n++ {
		wrapped = n > 0 && (wrapped || ls[n-1].Indent > ls[n].Indent) && c.look.SeamOf(&ls[n-1], &ls[n], ls[0].Indent) != markdown.SeamBreak
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
