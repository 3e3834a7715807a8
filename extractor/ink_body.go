package extractor

import (
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// inkColors are the colours of a reply, which depend on the user's theme: what the sign ✦ has is
// the accent, which code spans have too; what most of the text has is plain.
type inkColors struct {
	accent, plain vterm.Color
	tints         map[vterm.Color]bool // of code spans, beside the accent
}

// inkColorsOf finds the colours in the lines of a reply whose sign has the colour accent.
func inkColorsOf(lines []Line, accent vterm.Color) inkColors {
	c := inkColors{accent: accent}
	count := make(map[vterm.Color]int, 4)
	for i, l := range lines {
		for k := range l.Runs {
			r := &l.Runs[k]
			if i == 0 && r.Col == 0 || r.Style.Bold || r.Style.Italic || r.Style.Dim || strings.TrimLeft(r.Text, " │") == "" {
				continue
			}
			count[r.Style.Fg] += r.Width
		}
	}
	best := 0
	for col, n := range count {
		if n > best && col != c.accent || n == best && less(col, c.plain) {
			best, c.plain = n, col
		}
	}
	return c
}

// tintsOf finds the colours of code spans in prose: all but those of the text, of addresses, and of
// the borders and bars around tables and quotes.
func tintsOf(lines []Line, c inkColors) map[vterm.Color]bool {
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
			if t := strings.TrimLeft(r.Text, " ("); startsURL(t) || t != "" && strings.ContainsRune("│┌├└─", []rune(t)[0]) {
				delete(tints, r.Style.Fg)
			}
		}
	}
	return tints
}

// less orders colours, so that a tie is always settled alike.
func less(a, b vterm.Color) bool {
	ka, kb := [...]uint8{uint8(a.Kind), a.Palette, a.R, a.G, a.B}, [...]uint8{uint8(b.Kind), b.Palette, b.R, b.G, b.B}
	for i := range ka {
		if ka[i] != kb[i] {
			return ka[i] < kb[i]
		}
	}
	return false
}

// body reads a reply: each line of its Markdown is drawn by itself, with the marks taken off.
func (p *inkParser) body(lines []Line) (text, markdown string) {
	c := inkColorsOf(lines, p.accent)
	if p.tinted {
		c.tints = tintsOf(lines, c)
	}
	lines = mendTables(lines)
	lk := &look{Left: 2, Right: p.right, Slack: 4} // older versions wrap up to four columns before the edge
	lk.Marks = func(s vterm.Style) mark {
		m := plainMarks(s)
		if s.Fg == c.accent && c.accent != c.plain || m == 0 && c.tints[s.Fg] {
			m |= markCode
		}
		return m
	}
	lk.Item = inkItem
	lk.Gutter = func(l *textLine) (width, n int, ok bool) { return c.gutter(l) }
	ls := lk.textLines(lines)
	lk.Heading = func(l *textLine) int { return c.heading(l, ls) }
	quotes := inkQuotes(lk, ls)
	lk.Quote = func(l *textLine) (int, bool) {
		w, ok := quotes[l.at]
		return w, ok
	}
	bs := lk.blocks(ls)
	return writeText(bs), writeMarkdown(bs, 0)
}

// inkItem reads a list item: Gemini draws it one column in, so a word that was wrapped is none.
func inkItem(l *textLine) (item, bool) {
	if l.indent == 0 || strings.HasPrefix(l.text[l.indent:], "•") {
		return item{}, false
	}
	return listItem(l)
}

// gutter reads the line number of a code line: one column in at least, in the colour of comments.
func (c inkColors) gutter(l *textLine) (width, n int, ok bool) {
	if l.indent == 0 {
		return 0, 0, false
	}
	i := l.indent
	for i < len(l.text) && l.text[i] >= '0' && l.text[i] <= '9' && i-l.indent < 6 {
		n = n*10 + int(l.text[i]-'0')
		i++
	}
	if i == l.indent || i < len(l.text) && l.text[i] != ' ' || l.text[l.indent] == '0' {
		return 0, 0, false
	}
	s := cutSpans(l.spans, l.indent, i)
	if len(s) != 1 || s[0].style.Fg == c.plain && c.plain.Kind != vterm.ColorDefault {
		return 0, 0, false
	}
	return i + 1, n, true
}

// heading tells a heading by its style: bold in a colour of its own, bold alone on its line, or
// italic in a colour of its own.
func (c inkColors) heading(l *textLine, ls []textLine) int {
	if l.indent > 0 || l.blank() {
		return 0
	}
	first := l.first()
	own := first.Fg != c.plain && first.Fg != c.accent
	switch {
	case first.Bold && own && l.all(func(s vterm.Style) bool { return s.Bold }):
		return 2
	case first.Italic && own && !first.Bold && l.all(func(s vterm.Style) bool { return s.Italic || s.Fg == c.accent }):
		return 4
	case first.Bold && !own && l.all(func(s vterm.Style) bool { return s.Bold }) && isTitle(l, ls):
		return 3
	}
	return 0
}

// isTitle tells a heading from a bold line of text, which looks alike: it has blank lines around it
// and does not end like a sentence.
func isTitle(l *textLine, ls []textLine) bool {
	for i := range ls {
		if ls[i].at == l.at && i > 0 && !ls[i-1].blank() {
			return false
		}
	}
	return !strings.ContainsAny(l.text[len(l.text)-1:], ":.,;!")
}

// inkQuotes finds the lines of quotes, which keep their sign: "> " before the first of those that
// were wrapped.
func inkQuotes(lk *look, ls []textLine) map[int]int {
	var quotes map[int]int
	open := false
	for i := range ls {
		l := &ls[i]
		t := l.text
		switch {
		case strings.HasPrefix(t, ">"):
			if quotes == nil {
				quotes = make(map[int]int)
			}
			w := 1
			if strings.HasPrefix(t, "> ") {
				w = 2
			}
			quotes[l.at], open = w, true
		case open && !l.blank() && l.indent == 0 && lk.seam(&ls[i-1], l, 0) != seamBreak:
			quotes[l.at] = 0
		default:
			open = false
		}
	}
	return quotes
}

// mendTables puts the right border of a table back behind its row: older looks draw a table as wide
// as the window, and a little wider where it has to shrink.
func mendTables(lines []Line) []Line {
	var out []Line
	end := 0 // the column of the right border
	for i, l := range lines {
		if i == 0 || !isBorderEnd(l.Text) || !isTableRow(lines[i-1].Text) {
			if out != nil {
				out = append(out, l)
			}
			continue
		}
		if out == nil {
			out = append(make([]Line, 0, len(lines)), lines[:i]...)
		}
		last := &out[len(out)-1]
		w := rowWidth(last.Row)
		sign := strings.TrimLeft(l.Text, " ")
		n := textWidth(sign)
		if strings.HasPrefix(strings.TrimLeft(last.Text, " "), "┌") {
			end = w + n - 1
		}
		at := max(end-n+1, w)
		r := &vterm.Row{Text: last.Text + blanks(at-w) + sign, Runs: append(last.Runs[:len(last.Runs):len(last.Runs)], vterm.Run{Text: sign, Col: at, Width: n})}
		*last = Line{Row: r, Cols: max(last.Cols, at+n)}
	}
	if out == nil {
		return lines
	}
	return out
}

// isBorderEnd reports whether a row has nothing but the right border of a table.
func isBorderEnd(t string) bool {
	switch strings.TrimLeft(strings.TrimLeft(t, " "), "─") {
	case "┐", "┤", "┘":
		return true
	}
	return strings.TrimLeft(t, " ") == "│"
}

func isTableRow(t string) bool {
	t = strings.TrimLeft(t, " ")
	return strings.HasPrefix(t, "┌─") || strings.HasPrefix(t, "│ ") || strings.HasPrefix(t, "├─") || strings.HasPrefix(t, "└─")
}
