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

// inline writes spans as Markdown. drop are marks that the whole block has anyway.
func inline(spans []row.Span, drop row.Mark) string {
	if plainSpans(spans, drop) {
		return row.Text(spans)
	}
	ps := pieces(foldLinks(spans), drop)
	var b strings.Builder
	var open []row.Mark
	link := ""
	for i := 0; i < len(ps); i++ {
		p := &ps[i]
		if p.link != link {
			open = closeMarks(&b, open, 0)
			if link != "" {
				b.WriteString("](" + link + ")")
			}
			if link = p.link; link != "" {
				b.WriteByte('[')
			}
		}
		open = openMarks(&b, closeMarks(&b, open, p.mark), p.mark, ps[i:])
		if p.mark&row.MarkCode == 0 {
			b.WriteString(p.text)
			continue
		}
		n := codeEnd(ps, i)
		b.WriteString(codeSpan(ps[i:n]))
		i = n - 1
	}
	closeMarks(&b, open, 0)
	if link != "" {
		b.WriteString("](" + link + ")")
	}
	return b.String()
}

// foldLinks leaves out the address that an agent puts in brackets behind a link's text, which has
// it, too.
func foldLinks(spans []row.Span) []row.Span {
	for i := 0; i < len(spans); i++ {
		u := linkOf(spans[i])
		if u == "" {
			continue
		}
		end := i + 1
		for end < len(spans) && linkOf(spans[end]) == u {
			end++
		}
		if n := addressBehind(spans[end:], u); n > 0 {
			rest := append([]row.Span(nil), spans[end+n:]...)
			close := strings.TrimLeft(spans[end+n-1].Text, " ")[1:]
			spans = append(append(append([]row.Span(nil), spans[:end]...), row.Span{Text: close, Width: row.Width(close)}), rest...)
		}
		i = end - 1
	}
	return spans
}

// addressBehind counts the spans that are ` (`, the address, and a span that begins with the
// closing bracket.
func addressBehind(spans []row.Span, u string) int {
	n, before := 0, ""
	for n < len(spans) && spans[n].Style.Link != u {
		before += spans[n].Text
		n++
	}
	if strings.TrimSpace(before) != "(" {
		return 0
	}
	address := ""
	for n < len(spans) && spans[n].Style.Link == u {
		address += spans[n].Text
		n++
	}
	if address != u || n == len(spans) || !strings.HasPrefix(spans[n].Text, ")") {
		return 0
	}
	return n + 1
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
	add := func(s string, m row.Mark, link string, blank bool) {
		if n := len(ps) - 1; n >= 0 && ps[n].blank == blank && (blank || ps[n].mark == m && ps[n].link == link) {
			ps[n].text += s
			return
		}
		ps = append(ps, piece{text: s, mark: m, link: link, blank: blank})
	}
	for _, s := range spans {
		m, link := s.Mark&^drop, linkOf(s)
		t := strings.TrimLeft(s.Text, " ")
		if n := len(s.Text) - len(t); n > 0 {
			add(s.Text[:n], m, link, true)
		}
		word := strings.TrimRight(t, " ")
		if word != "" {
			add(word, m, link, false)
		}
		if word != t {
			add(t[len(word):], m, link, true)
		}
	}
	boldCode(ps)
	for i := range ps {
		if !ps[i].blank {
			continue
		}
		if i == 0 || i == len(ps)-1 {
			ps[i].mark, ps[i].link = 0, ""
			continue
		}
		ps[i].mark = ps[i-1].mark & ps[i+1].mark
		if ps[i].link = ""; ps[i-1].link == ps[i+1].link {
			ps[i].link = ps[i-1].link
		}
	}
	return mergePieces(ps)
}

// boldCode makes a code span between bold words bold: agents draw code in one style, whatever is
// around it.
func boldCode(ps []piece) {
	for i := range ps {
		if ps[i].mark != row.MarkCode {
			continue
		}
		a, b := i-1, i+1
		for a >= 0 && ps[a].blank {
			a--
		}
		for b < len(ps) && ps[b].blank {
			b++
		}
		if a >= 0 && b < len(ps) && ps[a].mark == row.MarkBold && ps[b].mark == row.MarkBold && ps[a].link == ps[i].link && ps[b].link == ps[i].link {
			ps[i].mark |= row.MarkBold
		}
	}
}

// mergePieces joins neighbours that are alike.
func mergePieces(ps []piece) []piece {
	out := ps[:0]
	for _, p := range ps {
		if n := len(out) - 1; n >= 0 && out[n].mark == p.mark && out[n].link == p.link {
			out[n].text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}

// linkOf is a span's link where it says more than the text.
func linkOf(s row.Span) string {
	u := s.Style.Link
	if u == "" || strings.HasPrefix(u, "file:") || strings.Contains(u, s.Text) {
		return ""
	}
	return u
}

// marksInOrder is how marks nest, the outermost first.
var marksInOrder = [...]row.Mark{row.MarkBold, row.MarkItalic, row.MarkStrike}

func sign(m row.Mark) string {
	switch m {
	case row.MarkBold:
		return "**"
	case row.MarkItalic:
		return "*"
	case row.MarkStrike:
		return "~~"
	}
	return ""
}

// closeMarks closes the marks that keep does not have, and those within them.
func closeMarks(b *strings.Builder, open []row.Mark, keep row.Mark) []row.Mark {
	for i, m := range open {
		if keep&m != 0 {
			continue
		}
		for k := len(open) - 1; k >= i; k-- {
			b.WriteString(sign(open[k]))
		}
		return open[:i]
	}
	return open
}

// openMarks opens the marks of want that are not open: first those that last longest.
func openMarks(b *strings.Builder, open []row.Mark, want row.Mark, rest []piece) []row.Mark {
	var have row.Mark
	for _, m := range open {
		have |= m
	}
	need := want &^ have &^ row.MarkCode
	for need != 0 {
		best, length := row.Mark(0), -1
		for _, m := range marksInOrder {
			if need&m == 0 {
				continue
			}
			n := 0
			for n < len(rest) && rest[n].mark&m != 0 {
				n++
			}
			if n > length {
				best, length = m, n
			}
		}
		b.WriteString(sign(best))
		open = append(open, best)
		need &^= best
	}
	return open
}

// codeEnd is the end of the code span that begins at piece i: it may hold other marks, which code
// cannot have.
func codeEnd(ps []piece, i int) int {
	n := i + 1
	for n < len(ps) && ps[n].mark&row.MarkCode != 0 && ps[n].link == ps[i].link {
		n++
	}
	return n
}

// codeSpan puts as many backticks around a text as it needs.
func codeSpan(ps []piece) string {
	t := ""
	for _, p := range ps {
		t += p.text
	}
	fence, run, longest := "`", 0, 0
	for i := range len(t) {
		if t[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	if longest == 0 {
		return fence + t + fence
	}
	fence = strings.Repeat("`", longest+1)
	return fence + " " + t + " " + fence
}

// commonMarks are the marks that all words have.
func commonMarks(spans []row.Span) row.Mark {
	m, any := ^row.Mark(0), false
	for _, s := range spans {
		if strings.TrimLeft(s.Text, " ") != "" {
			m &= s.Mark
			any = true
		}
	}
	if !any {
		return 0
	}
	return m
}
