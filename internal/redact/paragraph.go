package redact

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// paragraph determines the width of the rows around a break: the rows up to the next empty row or
// edge of a box are as wide as the widest of them.
type paragraph struct {
	text       string
	start, end int // range in the text
	rows       []row
	full       int // width of the widest row with its indentation, in cells
	inner      int // the same without indentation, and without the first row
}

// row is a row of a paragraph, without the box around it.
type row struct {
	start, end   int // range in the text; the indentation is before start
	width        int // in cells, with the indentation
	indent, next int // width of the indentation in cells; start of the next row in the text
}

// at sets p to the paragraph of the row at line. line must not decrease.
func (p *paragraph) at(line int) {
	if line >= p.start && line < p.end {
		return
	}
	p.start, p.end, p.rows, p.full, p.inner = line, line, p.rows[:0], 0, 0
	for p.end < len(p.text) {
		r := p.row(p.end)
		p.end = r.next
		if r.start == r.end || r.width > maxRow || isRule(p.text[r.start:r.end]) {
			return
		}
		p.full = max(p.full, r.width)
		if len(p.rows) > 0 {
			p.inner = max(p.inner, r.width-r.indent)
		}
		p.rows = append(p.rows, r)
	}
}

// row parses the row at line.
func (p *paragraph) row(line int) row {
	text, _, _ := strings.Cut(p.text[line:], "\n")
	r := row{next: min(len(p.text), line+len(text)+1)}
	text = strings.TrimRight(text, " \t\r")
	inner := strings.TrimLeft(text, " \t")
	if inner != "" && (inner[0] == '|' || inner[0] >= 0x80) {
		bare := strings.TrimLeft(inner, borderRune)
		if bare != inner && (inner[0] != '|' || strings.HasSuffix(inner, "|")) { // otherwise it is a pipe
			text = strings.TrimRight(strings.TrimRight(bare, borderRune), " \t")
			inner = strings.TrimLeft(text, " \t")
			line += strings.Index(p.text[line:], bare)
		}
	}
	r.indent = len(text) - len(inner)
	r.start, r.end = line+r.indent, line+len(text)
	if r.width = cells(text); r.width < len(text) { // some characters take two cells
		r.width = displaywidth.String(text)
	}
	return r
}

// isRule reports whether a row is the edge of a box, or a line between two parts.
func isRule(row string) bool {
	return strings.HasPrefix(row, "+--") || row[0] >= 0x80 && strings.IndexAny(row, "─━═╭╰┌└├╔╚╠") == 0
}

// isFull reports whether a row is as wide as its paragraph minus less cells. The first row may lack
// its indentation.
func (p *paragraph) isFull(r row, less int) bool {
	return r.width == p.full-less || r.start == p.rows[0].start && r.width-r.indent == p.inner-less
}

// cutsWord reports whether a break cuts a word that is longer than a row: the row at line is full,
// is one word with a digit, and continues in the next.
func (p *paragraph) cutsWord(line int, s seam) bool {
	if !inToken(p.text[s.end-1]) || !inToken(p.text[s.to]) {
		return false
	}
	next := p.text[s.to:]
	if n := strings.IndexAny(next, " \r\n"); n >= 0 {
		next = next[:n]
	}
	if len(next) > 3 && !looksRandom(next) || variable().MatchString(next) {
		return false
	}
	p.at(line)
	r := p.row(line)
	word := p.text[r.start:r.end]
	return s.to < p.end && len(p.rows) > 0 && p.isFull(r, 0) && strings.IndexByte(word, ' ') < 0 &&
		strings.ContainsAny(word, digits)
}

// hardWrap returns a view of those paragraphs in places of the folded text whose rows were cut by
// the window's edge, at any point of the text. A full row continues in the next one, and a row that
// lacks a cell ended in a blank. It leaves out paragraphs for which fold and unwrap have the same
// result.
func (v *view) hardWrap(places []span) *view {
	h := &view{text: v.text, blanks: true, hard: true}
	var b []byte
	p := paragraph{}
	for start, end := range v.wholeRows(places) {
		p = paragraph{text: v.text[:end], start: start, end: start, rows: p.rows}
		for p.end < end {
			p.at(p.end)
			if seams := p.seams(); seams != nil {
				b = h.join(b, &p, seams)
			}
		}
	}
	h.folded = string(b)
	return h
}

// seams returns the breaks of a paragraph that the window's edge made. There are none if the other
// views remove the same ones.
func (p *paragraph) seams() (seams []seam) {
	if len(p.rows) < 2 || p.full < minRow {
		return nil
	}
	indent := p.rows[1].indent
	for _, r := range p.rows[2:] {
		indent = min(indent, r.indent)
	}
	cuts, blanks, signs := false, false, false
	for i, r := range p.rows[:len(p.rows)-1] {
		below := p.rows[i+1]
		s := seam{end: r.end, to: below.start}
		switch {
		case p.isFull(r, 1), p.isFull(r, 0) && below.indent > max(indent, r.indent):
			s.glue, blanks = " ", true
		case !p.isFull(r, 0):
			continue
		case mayCut(p.text[r.start:r.end], p.text[below.start:below.end]):
			cuts = true
		default:
			signs = true
		}
		seams = append(seams, s)
	}
	if !signs && !(cuts && blanks) {
		return nil
	}
	return seams
}

// join appends a paragraph without its seams.
func (v *view) join(b []byte, p *paragraph, seams []seam) []byte {
	from := p.start
	v.folds = append(v.folds, foldAt{at: len(b), back: from})
	for _, s := range seams {
		b = append(append(b, p.text[from:s.end]...), s.glue...)
		from = s.to
		v.folds = append(v.folds, foldAt{at: len(b), back: from})
	}
	return append(append(b, p.text[from:p.end]...), apart...)
}

func blanksBefore(row string) int { return len(row) - len(strings.TrimLeft(row, " \t")) }
