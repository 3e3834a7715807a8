package opencode

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

// theme is the colours of a conversation by purpose. There are dozens of themes, and users write
// more, so the colours are learned from places that are drawn in the same way in all of them.
type theme struct {
	text, muted vterm.Color // of ordinary and of subdued text
	inline      vterm.Color // of inline code, if there is any
	strong      vterm.Color // of bold words, if there are any
}

// standard is the default theme. In code, orange, violet and red without bold are numbers, keywords
// and names.
var (
	standard = theme{text: rgb(0xeeeeee), muted: rgb(0x808080), inline: rgb(0x7fd88f), strong: rgb(0xf5a742)}
	syntax   = []vterm.Color{standard.strong, rgb(0x9d7cd8), rgb(0xe06c75)}
)

func rgb(c int) vterm.Color {
	return vterm.Color{Kind: vterm.ColorRGB, R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c)}
}

// themeOf determines the theme of a conversation from the row that ends a turn: the name of the
// mode is in the colour of text, the rest is subdued. Without such a row, or with its colours, it
// is the default theme.
func themeOf(lines []row.Line) theme {
	at := row.Last(lines, row.Prefixed(ending))
	if at < 0 {
		return standard
	}
	name := lines[at].Runs
	sign := slices.IndexFunc(name, func(r vterm.Run) bool { return strings.Contains(r.Text, "▣") })
	name = slices.DeleteFunc(slices.Clone(name[1+sign:]),
		func(r vterm.Run) bool { return strings.Trim(r.Text, " ") == "" })
	if len(name) < 2 {
		return standard
	}
	t := theme{text: name[0].Style.Fg, muted: name[len(name)-1].Style.Fg}
	if t.text == t.muted || row.Shows(t.text, standard.text) && row.Shows(t.muted, standard.muted) {
		return standard
	}
	t.learn(lines)
	return t
}

// learn determines the colours of inline code and of bold words: most of the coloured words within
// sentences are one or the other. Where no bold line has another colour than bold words, such lines
// are headings.
func (t *theme) learn(lines []row.Line) {
	inline, strong := map[vterm.Color]int{}, map[vterm.Color]int{}
	titles := map[vterm.Color]int{}
	for _, l := range lines {
		if ink := l.StyleAt(left).Fg; row.Indent(l.Text) == left && ink != t.text && l.All(row.Bold) {
			titles[ink]++
		}
		spans := row.Spans(l.Row, row.Indent(l.Text), -1, nil)
		if row.Indent(l.Text) < left || prose.Judge(strings.TrimLeft(l.Text, " ")) != prose.Prose && !t.sentence(spans) {
			continue
		}
		if !slices.ContainsFunc(spans, func(s row.Span) bool {
			return s.Style.Fg == t.text && !s.Style.Bold && strings.Trim(s.Text, " ") != ""
		}) {
			continue
		}
		for i, s := range spans {
			switch {
			case strings.Trim(s.Text, " ") == "":
			case s.Style.Bold:
				strong[s.Style.Fg]++
			case i > 0 && t.coloured(s.Style):
				inline[s.Style.Fg]++
			}
		}
	}
	t.inline, t.strong = most(inline), most(strong)
	if len(titles) == 1 && titles[t.strong] > 0 {
		t.strong = vterm.Color{}
	}
}

// sentence reports whether a line begins with at least three words in the colour of text, before
// something in another colour. In code, fewer words have that colour.
func (t *theme) sentence(spans []row.Span) bool {
	return len(spans) > 1 && spans[0].Style.Fg == t.text && firstWords().MatchString(spans[0].Text)
}

// firstWords matches the beginning of a sentence.
var firstWords = lazy.Regexp(`^\pL[\pL']*(?: \pL[\pL']*,?){2,} $`)

// most returns the colour with the highest count.
func most(counts map[vterm.Color]int) (c vterm.Color) {
	n := 0
	for k, v := range counts {
		if v > n || v == n && (k.R < c.R || k.R == c.R && k.G < c.G) {
			c, n = k, v
		}
	}
	return c
}

// coloured reports whether text is neither ordinary nor subdued, bold, italic or a link.
func (t *theme) coloured(s vterm.Style) bool {
	return s.Fg != t.text && s.Fg != t.muted && !s.Bold && !s.Italic && s.Underline == vterm.UnderlineNone
}

// subdued reports whether text is subdued.
func (t *theme) subdued(s vterm.Style) bool {
	if *t == standard {
		return row.Grey(s)
	}
	return s.Fg == t.muted
}

// ofGrammar reports whether a part of a line has a colour that only a grammar of code uses: not
// that of inline code or of a list item's marker.
func (t *theme) ofGrammar(s row.Span) bool {
	if *t == standard {
		shown := func(c vterm.Color) bool { return row.Shows(s.Style.Fg, c) }
		return !s.Style.Bold && slices.ContainsFunc(syntax, shown)
	}
	return t.coloured(s.Style) && s.Style.Fg != t.inline && !marker(s.Text)
}

// marker reports whether a text may be a list item's marker.
func marker(t string) bool {
	t = strings.Trim(t, " ")
	return t == "" || t == "-" || strings.Trim(t, "0123456789") == "."
}

// notice reports whether a panel is an error message in grey.
func (t *theme) notice(lines []row.Line, _ []chat.Item) bool {
	at := row.Run(lines[:panelRows(lines)-1], row.Matching(bareBar))
	return t.subdued(lines[at].StyleAt(left)) && row.Red(lines[at].StyleAt(2).Fg)
}

// style describes how replies are drawn: Markdown in the colours of the theme.
func (t *theme) style() *markdown.Style {
	return &markdown.Style{
		Left: left, Right: right, Marks: t.marks, QuoteMarks: row.MarkItalic, Seam: seam,
		Heading: t.heading,
		Quote:   t.quote,
		Item:    item,
		Code:    t.code, Announced: t.announced,
		Border: func(ls []markdown.Line) bool { return t.subdued(ls[0].First()) },
	}
}

// quoteSign begins each line of a quote.
var quoteSign = markdown.QuoteSign("│ ")

// quote parses the sign of a quote. All words of a quote are in italics, inline code too.
func (t *theme) quote(l *markdown.Line) (width int, ok bool) {
	if width, ok = quoteSign(l); !ok {
		return 0, false
	}
	for i := range l.Spans {
		if s := &l.Spans[i]; s.Style.Italic && t.shows(s.Style.Fg, t.inline) {
			s.Mark |= row.MarkCode
		}
	}
	return width, true
}

// heading returns the level of a heading, which is bold and has another colour than bold words.
func (t *theme) heading(l *markdown.Line) int {
	is := func(s vterm.Style) bool {
		return s.Bold && !row.Plain(s.Fg) && s.Fg != t.text && !t.shows(s.Fg, t.strong)
	}
	if l.Indent == 0 && l.All(is) {
		return 2
	}
	return 0
}

// marks returns the marks of a style.
func (t *theme) marks(s vterm.Style) row.Mark {
	return row.Marks(s, t.shows(s.Fg, t.inline) && !s.Italic)
}

// shows reports whether a terminal shows colour c of the theme as a.
func (t *theme) shows(a, c vterm.Color) bool { return c != vterm.Color{} && row.Shows(a, c) }
