package inkcli

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// colors are the colours of a reply, which depend on the user's theme: what the sign ✦ has is
// the accent, which code spans have too; what most of the text has is plain. In a terminal of few
// colours both may be the same, and code spans have it, too: then there is no accent.
type colors struct {
	accent, plain vterm.Color
	// Colours that code spans do not have; nil: every colour except the accent.
	others map[vterm.Color]bool
	// Colours of code spans within plain text; those in headings have them, too.
	spans   map[vterm.Color]bool
	codeCol int                            // column at which line numbers of code may begin
	wraps   func(a, b *markdown.Line) bool // reports whether line b continues line a
}

// colorsOf determines the colours in the lines of a reply whose sign has the colour accent. plain
// is the colour of most characters, but for those of code, which may be comments for the most part.
func colorsOf(lines []row.Line, accent vterm.Color) *colors {
	c := &colors{accent: accent}
	if !vivid(accent) && mostly(lines, accent) {
		c.accent = vterm.Color{}
	}
	width := map[vterm.Color]int{}
	for _, l := range lines {
		if counted(l) {
			continue
		}
		for _, r := range l.Runs {
			if fg := r.Style.Fg; !r.Style.Bold && !is(r.Style, c.accent) && strings.TrimLeft(r.Text, " │") != "" {
				if width[fg] += r.Width; width[fg] > width[c.plain] {
					c.plain = fg
				}
			}
		}
	}
	return c
}

// counted reports whether a line begins with a number that has a style of its own, as code does.
func counted(l row.Line) bool {
	i := slices.IndexFunc(l.Runs, func(r vterm.Run) bool { return strings.TrimLeft(r.Text, " ") != "" })
	return i >= 0 && strings.Trim(l.Runs[i].Text, " 0123456789") == ""
}

// mostly reports whether most letters have a colour.
func mostly(lines []row.Line, fg vterm.Color) bool {
	have := 0
	for _, l := range lines {
		for _, r := range l.Runs {
			n := strings.IndexFunc(r.Text, unicode.IsLetter)
			if n < 0 {
				continue
			}
			if n = r.Width; r.Style.Fg != fg {
				n = -n
			}
			have += n
		}
	}
	return have > 0
}

// is reports whether a style has a colour, which may not be known: no sign is above, or no text.
func is(s vterm.Style, c vterm.Color) bool { return s.Fg == c && c.Kind != vterm.ColorDefault }

// vivid reports whether a colour is not nearly grey, as the colours of text are in all themes.
func vivid(c vterm.Color) bool {
	r, g, b := row.Rgb(c)
	return max(r, g, b)-min(r, g, b) > 48
}

// othersOf returns the colours that code spans do not have: those of the text, of addresses, which
// are in brackets after a blank, and of the borders and bars around tables and quotes.
func othersOf(lines []row.Line, plain vterm.Color) map[vterm.Color]bool {
	others := map[vterm.Color]bool{plain: true, {}: true}
	for _, l := range lines {
		for _, r := range l.Runs {
			if t := strings.TrimLeft(r.Text, " ("); row.Starts(r.Text, " (") ||
				row.Starts(t, "https://", "http://", "file://", "ssh://", "ftp://", "│", "┌", "├", "└") {
				others[r.Style.Fg] = true
			}
		}
	}
	return others
}

// spansOf returns the colours of code spans: those of words without a mark, except others.
func spansOf(lines []row.Line, others map[vterm.Color]bool) map[vterm.Color]bool {
	spans := map[vterm.Color]bool{}
	for _, l := range lines {
		for _, r := range l.Runs {
			if row.PlainMarks(r.Style) == 0 && !others[r.Style.Fg] && strings.TrimLeft(r.Text, " ") != "" {
				spans[r.Style.Fg] = true
			}
		}
	}
	return spans
}

// Reply parses a reply whose sign has the colour accent. Each line of its Markdown is drawn
// separately, without the marks. tinted means that code spans have a colour of their own.
func Reply(lines []row.Line, lk markdown.Style, accent vterm.Color, tinted bool) chat.Item {
	c := colorsOf(lines, accent)
	c.codeCol = min(lk.Left, 1)
	if tinted {
		if len(lines) == 1 && vivid(c.plain) { // a code span without text beside it
			c.plain = vterm.Color{}
		}
		c.others = othersOf(lines, c.plain)
		c.spans = spansOf(lines, c.others)
	}
	lk.Table, lk.Gutter = markdown.FieldTable, c.gutter
	if lk.Marks == nil {
		lk.Marks = c.marks
	}
	ls := lk.Lines(mendTables(slices.DeleteFunc(slices.Clone(lines), stillToCome)))
	if lk.Heading == nil {
		c.wraps = func(a, b *markdown.Line) bool { return lk.SeamOf(a, b, 0) != markdown.SeamBreak }
		lk.Heading = func(l *markdown.Line) int { return c.heading(l, ls) }
	}
	markQuotes(&lk, ls)
	lk.Quote = func(l *markdown.Line) (int, bool) { return int(l.Note) - 1, l.Note > 0 }
	text, md := lk.Render(ls)
	return chat.Said(session.RoleAssistant, text, md)
}

// stillToCome reports whether a row is a placeholder for rows of a table or of code that follow
// later.
func stillToCome(l row.Line) bool {
	text := strings.TrimSpace(l.Text)
	return text == "… more rows streaming …" || text == "... generating more ..."
}

// marks returns inline styles. Code has the accent colour, or a colour of its own.
func (c *colors) marks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if is(s, c.accent) || m == 0 && c.others != nil && !c.others[s.Fg] || c.spans[s.Fg] {
		m |= row.MarkCode
	}
	return m
}

// number matches the number of a code line.
var number = lazy.Regexp(`^ *([0-9]+)(?: |$)`)

// gutter parses the line number of a code line, in the colour of comments.
func (c *colors) gutter(l *markdown.Line) (width, n int) {
	m := number().FindStringSubmatch(l.Text)
	if m == nil || l.Indent < c.codeCol || is(l.First(), c.plain) {
		return 0, 0
	}
	n, _ = strconv.Atoi(m[1])
	return l.Indent + len(m[1]) + 1, n
}

// heading returns the level of a heading, or 0. A heading is bold or italic, and has a colour of
// its own or is a title. Words in italics at the end are not a heading, but code in italics is.
func (c *colors) heading(l *markdown.Line, ls []markdown.Line) int {
	first := l.First()
	own := first.Fg != c.plain && first.Fg != c.accent && !c.spans[first.Fg]
	bold := l.All(row.Bold)
	switch {
	case l.Indent > 0:
	case bold && own:
		return 2
	case l.All(row.Italic) && (own || c.isTitle(l, ls) && (l.At < ls[len(ls)-1].At || c.marks(first)&row.MarkCode != 0)):
		return 4
	case bold && c.isTitle(l, ls):
		return 3
	}
	return 0
}

// isTitle distinguishes a title from a line of text that looks the same: it is not quoted, the line
// above it is blank, or bold as well and wrapped, and it does not end like a sentence.
func (c *colors) isTitle(l *markdown.Line, ls []markdown.Line) bool {
	i, _ := slices.BinarySearchFunc(ls, l.At, func(o markdown.Line, at int) int { return o.At - at })
	for l.All(row.Bold) && i > 0 && ls[i-1].All(row.Bold) && c.wraps(&ls[i-1], &ls[i]) {
		i--
	}
	return ls[i].Note == 0 && (i == 0 || ls[i-1].Blank()) && !strings.ContainsAny(l.Text[len(l.Text)-1:], ":.,;!")
}

// markQuotes marks the lines of quotes in Note: the width of their sign plus one. Either only the
// first of the wrapped lines has the sign "> ", or each line has a bar and its words are in
// italics.
func markQuotes(lk *markdown.Style, ls []markdown.Line) {
	open := false
	for i := range ls {
		l := &ls[i]
		rest, quoted := strings.CutPrefix(l.Text, ">")
		if words, bar := strings.CutPrefix(l.Text[l.Indent:], "│"); bar &&
			(open || slices.ContainsFunc(l.Spans, func(s row.Span) bool { return s.Style.Italic })) {
			rest, quoted, lk.QuoteMarks = words, true, row.MarkItalic
		}
		if open = quoted || open && lk.SeamOf(&ls[i-1], l, 0) != markdown.SeamBreak; open {
			l.Note = uint16(1 + row.Width(l.Text) - row.Width(strings.TrimPrefix(rest, " ")))
		}
	}
}
