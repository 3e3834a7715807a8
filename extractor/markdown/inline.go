package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Inline styles as Markdown: marks that neighbours share are put around both of them, but never
// around blanks.

// piece is a text in one style, without blanks at its ends.
type piece struct {
	gap  string // the blanks before it, whose style is not decided yet
	bare bool   // some of these blanks are not in the style of code
	text string
	mark row.Mark
	link string
}

func (p *piece) code() bool { return p.mark&row.MarkCode != 0 }

// inForms returns spans in both forms.
func inForms(spans []row.Span) (text, markdown string) {
	text = row.Text(spans)
	if !slices.ContainsFunc(spans, func(s row.Span) bool { return s.Mark != 0 || s.Style.Link != "" }) {
		return text, text
	}
	return text, inline(spans)
}

// inline returns spans as Markdown.
func inline(spans []row.Span) string {
	var b strings.Builder
	for ps := pieces(spans); len(ps) > 0; {
		link := ps[0].link
		n := row.Run(ps, func(p piece) bool { return p.link == link })
		if link == "" {
			writePieces(&b, ps[:n], 0)
			ps = ps[n:]
			continue
		}
		b.WriteByte('[')
		writePieces(&b, ps[:n], 0)
		b.WriteString("](" + link + ")")
		if ps = ps[n:]; len(ps) > 0 { // some agents add the address in brackets
			if rest, ok := strings.CutPrefix(strings.TrimLeft(ps[0].text, " "), "("+link+")"); ok {
				ps[0].text = rest
			}
		}
	}
	return b.String()
}

// signs are the marks in Markdown, in the order in which they nest.
var signs = [...]struct {
	mark row.Mark
	sign string
}{{row.MarkBold, "**"}, {row.MarkItalic, "*"}, {row.MarkStrike, "~~"}}

// writePieces writes pieces. The marks in open are already open. The mark that lasts longest is the
// outermost.
func writePieces(b *strings.Builder, ps []piece, open row.Mark) {
	for len(ps) > 0 {
		best, longest := 0, 0
		for i, s := range signs {
			if n := row.Run(ps, func(p piece) bool { return p.mark&^open&s.mark != 0 }); n > longest {
				best, longest = i, n
			}
		}
		switch {
		case longest > 0:
			b.WriteString(signs[best].sign)
			writePieces(b, ps[:longest], open|signs[best].mark)
			b.WriteString(signs[best].sign)
			ps = ps[longest:]
			continue
		case ps[0].code():
			b.WriteString(codeSpan(ps[0].text))
		default:
			b.WriteString(ps[0].text)
		}
		ps = ps[1:]
	}
}

// pieces splits spans into pieces, and gives the blanks between them the marks that their two
// neighbours share, because renderers draw blanks in whatever style is cheapest. They draw the
// blanks of a code span in its colour, though, so a blank without it separates two code spans.
func pieces(spans []row.Span) (out []piece) {
	ws := words(spans)
	boldCode(ws)
	above := piece{}
	for _, w := range ws {
		gap := piece{text: w.gap, mark: above.mark & w.mark}
		if w.bare { // between two code spans
			gap.mark &^= row.MarkCode
		}
		if above.link == w.link {
			gap.link = w.link
		}
		above, w.gap = w, ""
		out = addPiece(addPiece(out, gap), w)
	}
	return out
}

// words returns spans without the blanks at their ends, and a last piece without text.
func words(spans []row.Span) (ws []piece) {
	gap, bare := "", false
	for _, s := range spans {
		text := strings.TrimLeft(s.Text, " ")
		blanks, code := len(s.Text)-len(text), s.Mark&row.MarkCode != 0
		gap, bare = gap+row.Blanks(blanks), bare || blanks > 0 && !code
		if text = strings.TrimRight(text, " "); text != "" {
			ws = addPiece(ws, piece{gap, bare, text, s.Mark, linkOf(s)})
			blanks = len(s.Text) - len(strings.TrimRight(s.Text, " "))
			gap, bare = row.Blanks(blanks), blanks > 0 && !code
		}
	}
	return append(ws, piece{gap: gap})
}

// addPiece appends a piece, or merges it with the last one if both have the same style. Code has no
// other marks inside.
func addPiece(ps []piece, p piece) []piece {
	if n := len(ps) - 1; n >= 0 && p.gap == "" && ps[n].link == p.link &&
		(ps[n].mark == p.mark || ps[n].code() && p.code()) {
		ps[n].text += p.text
		return ps
	}
	return append(ps, p)
}

// boldCode makes a code span between bold texts bold, because agents draw code in one style.
func boldCode(ws []piece) {
	for i := 1; i+1 < len(ws); i++ {
		if ws[i].mark == row.MarkCode && ws[i-1].mark&ws[i+1].mark == row.MarkBold {
			ws[i].mark |= row.MarkBold
		}
	}
}

// linkOf returns a span's link, if it differs from the text.
func linkOf(s row.Span) string {
	u := s.Style.Link
	if strings.HasPrefix(u, "file:") || strings.Contains(u, s.Text) {
		return ""
	}
	return u
}

// codeSpan returns a text as a code span with as many backticks as necessary.
func codeSpan(t string) string {
	f := "`"
	for strings.Contains(t, f) {
		f += "`"
	}
	if f != "`" {
		t = " " + t + " "
	}
	return f + t + f
}

// unmark removes the marks in drop from spans, because their block implies them.
func unmark(spans []row.Span, drop row.Mark) {
	for i := range spans {
		spans[i].Mark &^= drop
	}
}

// commonMarks returns the marks that all texts share, ignoring those with the marks in apart.
func commonMarks(spans []row.Span, apart row.Mark) row.Mark {
	m := ^apart
	for _, s := range spans {
		if s.Mark&apart == 0 && strings.TrimLeft(s.Text, " ") != "" {
			m &= s.Mark
		}
	}
	return m
}

// unmarked returns an incomplete text without the last marks of Markdown in it that are not closed:
// those of a code span, of bold text or of a link, with its address.
func unmarked(spans []row.Span) []row.Span {
	said := func(s row.Span) bool { return s.Mark&row.MarkCode == 0 }
	if at := lastSign(spans, "](", said); at.span >= 0 && !strings.Contains(row.Text(spans[at.span:])[at.byte:], ")") {
		begin := lastSign(spans[:at.span+1], "[", said)
		spans = slices.Clone(spans[:at.span+1])
		spans[at.span] = textSpan(spans[at.span], spans[at.span].Text[:at.byte])
		if begin.span >= 0 {
			spans = without(spans, begin, "[")
		}
	}
	for _, sign := range []string{"`", "**"} {
		n := 0
		for _, s := range spans {
			if said(s) {
				n += strings.Count(s.Text, sign)
			}
		}
		if n%2 == 1 {
			spans = without(spans, lastSign(spans, sign, said), sign)
		}
	}
	return spans
}

// place is a byte of a span.
type place struct{ span, byte int }

// lastSign returns the last place of a sign in the spans for which ok returns true. Its span is -1
// if there is none.
func lastSign(spans []row.Span, sign string, ok func(row.Span) bool) place {
	for i, s := range slices.Backward(spans) {
		if at := strings.LastIndex(s.Text, sign); at >= 0 && ok(s) {
			return place{i, at}
		}
	}
	return place{-1, 0}
}

// without returns spans without the sign at a place.
func without(spans []row.Span, at place, sign string) []row.Span {
	spans = slices.Clone(spans)
	text := spans[at.span].Text
	spans[at.span] = textSpan(spans[at.span], text[:at.byte]+text[at.byte+len(sign):])
	return spans
}

// textSpan returns a span with another text.
func textSpan(s row.Span, text string) row.Span {
	s.Text, s.Width = text, row.Width(text)
	return s
}
