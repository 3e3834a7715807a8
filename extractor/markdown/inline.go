package markdown

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Inline styles to Markdown: marks of neighbours that are alike are put around both, never around
// blanks.

// piece is words in one style, or the blanks beside them.
type piece struct {
	text  string
	mark  row.Mark
	link  string
	blank bool
}

func (p *piece) code() bool { return p.mark&row.MarkCode != 0 }

// inline writes spans as Markdown. drop are marks that the whole block has anyway.
func inline(spans []row.Span, drop row.Mark) string {
	if plainSpans(spans, drop) {
		return row.Text(spans)
	}
	var b strings.Builder
	for ps := pieces(spans, drop); len(ps) > 0; {
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
		if ps = ps[n:]; len(ps) > 0 { // some agents put the address in brackets behind it
			text := strings.TrimLeft(ps[0].text, " ")
			if rest, ok := strings.CutPrefix(text, "("+link+")"); ok {
				ps[0].text = rest
			}
		}
	}
	return b.String()
}

// signs are the marks as Markdown writes them, in the order in which they nest.
var signs = [...]struct {
	mark row.Mark
	sign string
}{{row.MarkBold, "**"}, {row.MarkItalic, "*"}, {row.MarkStrike, "~~"}}

// writePieces writes pieces in which the marks in open are open already. The mark that lasts
// longest is the outermost.
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

// plainSpans reports whether there is nothing to mark.
func plainSpans(spans []row.Span, drop row.Mark) bool {
	for i := range spans {
		if spans[i].Mark&^drop != 0 || spans[i].Style.Link != "" {
			return false
		}
	}
	return true
}

// pieces splits spans from the blanks at their ends and marks these with what their two neighbours
// share: renderers draw blanks in whatever style costs least.
func pieces(spans []row.Span, drop row.Mark) []piece {
	var ps []piece
	for _, s := range spans {
		word := strings.Trim(s.Text, " ")
		n := row.Indent(s.Text)
		ps = addPiece(ps, piece{text: s.Text[:n], blank: true})
		ps = addPiece(ps, piece{text: word, mark: s.Mark &^ drop, link: linkOf(s)})
		ps = addPiece(ps, piece{text: s.Text[n+len(word):], blank: true})
	}
	boldCode(ps)
	for i := 1; i < len(ps)-1; i++ {
		if a, p, b := &ps[i-1], &ps[i], &ps[i+1]; p.blank {
			p.mark = a.mark & b.mark
			if a.link == b.link {
				p.link = a.link
			}
		}
	}
	out := ps[:0]
	for _, p := range ps {
		p.blank = false
		out = addPiece(out, p)
	}
	return out
}

// addPiece appends a piece to pieces, or to the last of them if the two are alike. Code has no
// other marks within.
func addPiece(ps []piece, p piece) []piece {
	if p.text == "" {
		return ps
	}
	if n := len(ps) - 1; n >= 0 && ps[n].blank == p.blank && ps[n].link == p.link && (ps[n].mark == p.mark || ps[n].code() && p.code()) {
		ps[n].text += p.text
		return ps
	}
	return append(ps, p)
}

// boldCode makes a code span between bold words bold: agents draw code in one style, whatever is
// around it.
func boldCode(ps []piece) {
	word := func(i, step int) row.Mark {
		for i += step; i >= 0 && i < len(ps); i += step {
			if !ps[i].blank {
				return ps[i].mark
			}
		}
		return 0
	}
	for i := range ps {
		if ps[i].mark == row.MarkCode && word(i, -1) == row.MarkBold && word(i, 1) == row.MarkBold {
			ps[i].mark |= row.MarkBold
		}
	}
}

// linkOf is a span's link where it says more than the text.
func linkOf(s row.Span) string {
	u := s.Style.Link
	if strings.HasPrefix(u, "file:") || strings.Contains(u, s.Text) {
		return ""
	}
	return u
}

// codeSpan puts as many backticks around a text as it needs.
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

// commonMarks are the marks that all words have.
func commonMarks(spans []row.Span) row.Mark {
	m := ^row.Mark(0)
	for _, s := range spans {
		if strings.TrimLeft(s.Text, " ") != "" {
			m &= s.Mark
		}
	}
	return m
}
