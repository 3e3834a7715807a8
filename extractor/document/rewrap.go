package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// spot is the place at which a window begins in a document that was drawn at another width: after a
// number of bytes of letters in a line. goesOn reports whether the document continues there as the
// window begins.
type spot struct {
	at, within int
	line       row.Line
	goesOn     bool
}

// findRewrapped finds body in a document that was drawn at another width by its letters, without
// the blanks. The line is -1 if there is none.
func (d *Document) findRewrapped(body []row.Line) spot {
	lo := max(0, min(d.Base, len(d.Lines))-1000) // a wider window may show again what had taken many rows
	var buf []byte
	ends := make([]int, 0, len(d.Lines)-lo) // ends[i]: number of letters up to the end of line lo+i
	for _, l := range d.Lines[lo:] {
		buf = row.AppendLetters(buf, l.Text)
		ends = append(ends, len(buf))
	}
	text := string(buf)
	half := len(body)/2 + 1
	pos, skipped := -1, 0
	for _, by := range []struct{ least, most, rows int }{
		{400, 400, half},
		{100, 100, 0}, // a short text may be repeated below
		{12, 40, half},
	} {
		if pos, skipped = place(text, body, by.least, by.most, by.rows); pos >= 0 {
			break
		}
	}
	if pos < 0 {
		return spot{at: -1}
	}
	if all := letters(body); !strings.HasPrefix(text[pos:], all[:skipped]) { // rows between may be there twice, torn
		if p, _ := place(text[:pos+skipped], body, 100, 100, 0); p >= 0 && pos-p < len(all) {
			pos, skipped = p, 0
		}
	}
	i, _ := slices.BinarySearch(ends, pos+1)
	// Letters that are not on the document belong to a gap. They may begin with those above it.
	for k := i; ends[k] <= pos+skipped; k++ {
		if d.Lines[lo+k+1].Lost {
			n := continued(text[:ends[k]], lettersFrom(body, skipped))
			if n < 12 {
				return d.spot(lo+k+1, 0, body)
			}
			pos = ends[k] - n
			i, _ = slices.BinarySearch(ends, pos+1)
			break
		}
	}
	return d.spot(lo+i, pos-ends[i]+row.LettersLen(d.Lines[lo+i].Text), body)
}

// findRedrawn finds body like findRewrapped after an agent has drawn it for another width. It
// ignores rules and the bars above and below prompts, which are as wide as the window.
func (d *Document) findRedrawn(body []row.Line) spot {
	if !slices.ContainsFunc(body, isBar) { // as in most windows
		return d.findRewrapped(body)
	}
	return d.findReduced(max(0, min(d.Base, len(d.Lines))-1000), body, withoutBars)
}

// findReduced finds body like findRewrapped, from line lo on, comparing rows after reduce.
func (d *Document) findReduced(lo int, body []row.Line, reduce func([]row.Line) []row.Line) spot {
	reduced := Document{Lines: reduce(d.Lines[lo:]), Base: d.Base - lo}
	p := reduced.findRewrapped(reduce(body))
	if p.at >= 0 {
		p.at += lo
		p.line = d.Lines[p.at]
	}
	return p
}

// isBar reports whether a row is a bar or a rule.
func isBar(l row.Line) bool { return row.IsBar(l) || row.IsRuled(l) }

// withoutBars returns lines with blank ones instead of bars.
func withoutBars(lines []row.Line) []row.Line {
	out := slices.Clone(lines)
	for i := range out {
		if isBar(out[i]) {
			out[i].Row = &vterm.Row{}
		}
	}
	return out
}

// continued returns how many bytes at the end of above are the beginning of below.
func continued(above, below string) int {
	n := min(len(above), len(below))
	for !strings.HasSuffix(above, below[:n]) {
		n--
	}
	return n
}

func (d *Document) spot(at, within int, body []row.Line) spot {
	first := row.SkipBlank(body, 0)
	key := letters(body[first : first+1])
	return spot{at, within, d.Lines[at], strings.HasPrefix(key, lettersFrom(d.Lines[at:], within+len(key))[within:])}
}

// place finds where body begins in text, a text of letters, by the letters of one of its rows and
// those below it, at least least and at most most of them. It returns -1 if there is none. The
// letters of the rows above that one need not be in text; skipped is their number, and rows the
// maximum number of such rows.
func place(text string, body []row.Line, least, most, rows int) (at, skipped int) {
	for i, l := range body[:min(rows+1, len(body))] {
		key := lettersFrom(body[i:], most)
		if len(key) >= least && len(strings.Trim(key, "▄▀─━")) >= 12 { // bars are the same everywhere
			if p := agrees(text, key, letters(body[i:])); p >= skipped {
				return p - skipped, skipped
			}
		}
		skipped += row.LettersLen(l.Text)
	}
	return -1, 0
}

// agrees returns the place of key in text from which text agrees longest with all, which begins
// with key, or -1. It prefers agreement up to the end of one of the two, and then the lowest place.
func agrees(text, key, all string) (at int) {
	at, most := -1, 0
	for p := strings.LastIndex(text, key); p >= 0; p = strings.LastIndex(text[:p+len(key)-1], key) {
		n := len(row.CommonStart(text[p:], all))
		if n == min(len(text)-p, len(all)) {
			n += allLetters
		}
		if n > most {
			at, most = p, n
		}
	}
	return at
}

// repair puts the beginning of a line of the document before a body at p that an agent has
// rewrapped. If the terminal has wrapped that line, it returns the beginning instead.
func (d *Document) repair(p spot, body []row.Line) (begin []row.Line) {
	d.repairAt, d.raw = p.at, row.Line{}
	switch {
	case d.torn(p, body[0]):
		d.raw = body[0]
		body[0] = row.CutLine(body[0], row.Indent(body[0].Text), -1)
		body[0].Wrapped = true
		d.repaired = body[0]
	case p.within == 0:
	case body[0].Wrapped:
		begin = []row.Line{cutAt(p.line, p.within, body[0])}
	default:
		d.raw = body[0]
		body[0] = repairedLine(p.line, p.within, body[0])
		d.repaired = body[0]
	}
	return begin
}

// torn reports whether l, at the beginning of the line at p, has blanks where the terminal has lost
// the previous line, which it had wrapped there.
func (d *Document) torn(p spot, l row.Line) bool {
	return p.within == 0 && p.at > 0 && p.line.Row != nil && p.line.Wrapped && !l.Wrapped &&
		row.Indent(l.Text) == row.Extent(d.Lines[p.at-1].Row)
}

// repairedLine returns the line whose first n letters are those of old and whose rest is next.
func repairedLine(old row.Line, n int, next row.Line) row.Line {
	return joinedLine(append(head(old, n), row.Span{Text: " ", Width: 1}), next)
}

// joinedLine returns the line that begins with spans and continues with next.
func joinedLine(spans []row.Span, next row.Line) row.Line {
	indent := row.Indent(next.Text)
	cols := row.SpansWidth(spans) + next.Cols - indent
	return row.Line{Row: row.Join(append(spans, row.Spans(next.Row, indent, -1, nil)...)), Cols: cols}
}

// cutAt cuts a line after n bytes of letters, where the terminal has wrapped it now and rest
// continues. It returns the beginning.
func cutAt(l row.Line, n int, rest row.Line) row.Line {
	spans := head(l, n)
	r := row.Join(spans)
	r.Wrapped, r.Blanks = l.Wrapped, max(0, row.Indent(l.Text[len(r.Text):])-row.Indent(rest.Text))
	r.Marks = slices.DeleteFunc(slices.Clone(l.Marks), func(m vterm.Mark) bool { return m.Col >= row.SpansWidth(spans) })
	return row.Line{Row: r, Cols: l.Cols}
}

// head returns the part of a line up to its nth byte of letters.
func head(l row.Line, n int) []row.Span {
	to := 0
	for n > 0 {
		if l.Text[to] != ' ' {
			n--
		}
		to++
	}
	return row.Spans(l.Row, 0, row.Width(l.Text[:to]), nil)
}

// lettersFrom returns the first n bytes of letters of lines.
func lettersFrom(lines []row.Line, n int) string {
	var b []byte
	for _, l := range lines {
		if b = row.AppendLetters(b, l.Text); len(b) >= n {
			return string(b[:n])
		}
	}
	return string(b)
}

// letters returns the letters of lines.
func letters(lines []row.Line) string { return lettersFrom(lines, allLetters) }

// allLetters is more than the number of letters in any document.
const allLetters = 1 << 30

// skipLetters returns the first line after n letters, counted from line from.
func skipLetters(lines []row.Line, from, n int) int {
	for i, l := range lines[from:] {
		if n <= 0 {
			return from + i
		}
		n -= row.LettersLen(l.Text)
	}
	return len(lines)
}
