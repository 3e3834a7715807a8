package document

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// searches are the ways to find the line that a window's first row shows, in the order in which
// they are tried.
var searches = [...]struct {
	placed Placement
	find   func(d *Document, body []row.Line) (at int) // returns -1 if there is none
}{
	{PlacedOverlap, (*Document).nearby},
	{PlacedOverlap, (*Document).anywhere},
	{PlacedHead, (*Document).inPlace},
	{PlacedHead, (*Document).leads},
	{PlacedHead, (*Document).head},
	{PlacedTable, (*Document).sameCells},
	{PlacedTable, (*Document).lastCells},
	{PlacedWords, (*Document).sameWords},
}

// find returns the document line that body's first row shows, or -1.
func (d *Document) find(body []row.Line, resized bool) (at int) {
	if d.Placed = PlacedFirst; len(d.Lines) == 0 {
		return 0
	}
	if body[0].Cols == d.Lines[len(d.Lines)-1].Cols {
		at, placed := d.search(body)
		if !resized && (at < 0 || placed == PlacedOverlap && d.loses(at, body)) {
			if filled := d.filledIn(body); filled >= 0 {
				at, placed = filled, PlacedOverlap
			}
		}
		if at >= 0 {
			d.Placed = placed
			return d.above(at, body)
		}
		if !resized {
			return d.concealed(body)
		}
	}
	d.Placed = PlacedWrapped // an agent may draw twice for a new width: half of it, then all
	return d.rewrapped(body)
}

// search returns the line that body's first row shows, or -1, and how it was found.
func (d *Document) search(body []row.Line) (at int, placed Placement) {
	for _, s := range searches {
		if at := s.find(d, body); at >= 0 {
			return at, s.placed
		}
	}
	return -1, PlacedBelow
}

// saidAgain reports whether body ends with the document's last row, a status, but has next to
// nothing else in common with the window: what it has in common with the lines above was repeated
// below.
func (d *Document) saidAgain(body []row.Line) bool {
	lines, body := row.Trim(d.Lines), row.Trim(body)
	n, m := len(lines), len(body)
	return n > 0 && m > 0 && lines[n-1].Text == body[m-1].Text && shared(d.Lines[d.Base:], body) < 12
}

// above returns line at, or the place of body's text above that at another width.
func (d *Document) above(at int, body []row.Line) int {
	if l := d.Lines[at]; body[0].Text == l.Text || row.Filled(l) && extends(l, body[0]) {
		return at
	}
	p := d.findRedrawn(body)
	if p.at >= at || !p.goesOn {
		return at
	}
	d.Placed = PlacedWrapped
	return d.parted(p, body)
}

// nearby searches common rows in what a window can show that scrolls by less than its height.
func (d *Document) nearby(body []row.Line) int { return d.among(d.near(body), asIs, body) }

// filledIn returns the line of the window from which on body has all its rows, with others between
// them: an agent draws code once it has coloured it. -1: there is none, or too little says so.
func (d *Document) filledIn(body []row.Line) int {
	n := row.SkipBlank(body, 0)
	for at := d.Base; at < len(d.Lines) && n < len(body); at++ {
		old := row.Trim(d.Lines[at:])
		switch {
		case len(old) == 0 || weights(old[:len(old)-1]) < 12:
			return -1
		case row.Filled(old[0]) && extends(old[0], body[n]) && inOrder(old, body[n:], extends):
			return d.blankAbove(at, body)
		}
	}
	return -1
}

// loses reports whether rows from line at on would be lost if body were there.
func (d *Document) loses(at int, body []row.Line) bool {
	return !inOrder(d.Lines[at:], body, extendsWords) && !d.contains(at, body)
}

// inOrder reports whether body has all rows of old in their order, where one is found in the row
// that goes on with it.
func inOrder(old, body []row.Line, goesOn func(a, b row.Line) bool) bool {
	k := 0
	for _, l := range old {
		if !row.Filled(l) {
			continue
		}
		n := slices.IndexFunc(body[k:], func(b row.Line) bool { return goesOn(l, b) })
		if n < 0 {
			return false
		}
		k += n + 1
	}
	return true
}

// extendsWords reports whether b begins with the letters and digits of a: marks may have vanished.
func extendsWords(a, b row.Line) bool {
	if extends(a, b) { // as most do
		return true
	}
	words := onlyWords(a.Text)
	return words != "" && strings.HasPrefix(onlyWords(b.Text), words)
}

// anywhere searches common rows in the whole document.
func (d *Document) anywhere(body []row.Line) int { return d.among(0, asIs, body) }

// sameCells searches rows with the same cells of tables, or the same words after a bar: a new row
// may widen a column, so that all are redrawn, and a call may get a box with its result.
func (d *Document) sameCells(body []row.Line) int { return d.among(d.near(body), cells, body) }

// lastCells returns the line of the window's last row if it belongs to a table and body begins with
// it and continues it: its last cells were not drawn yet.
func (d *Document) lastCells(body []row.Line) int {
	window := row.Trim(cells(d.Lines[d.Base:]))
	last := len(window) - 1
	if last < 0 || !strings.HasSuffix(d.Lines[d.Base+last].Text, "│") || !continues(window[last:], cells(body)) {
		return -1
	}
	return d.Base + last
}

// sameWords searches rows with the same letters and digits: marks of Markdown are shown until an
// agent has parsed it.
func (d *Document) sameWords(body []row.Line) int {
	at := d.among(d.near(body), lettersOnly, body)
	if at < 0 || shared(lettersOnly(d.Lines[at:]), lettersOnly(body)) < 24 {
		return -1
	}
	return at
}

// inPlace returns the place of the window if body may be there.
func (d *Document) inPlace(body []row.Line) int {
	if d.grown(body) || d.moved(body) {
		return d.Base
	}
	return -1
}

// leads finds a window of which everything below the first rows was redrawn: a table that grows.
func (d *Document) leads(body []row.Line) int {
	return leads(d.Lines, max(0, min(d.Base, len(d.Lines)-len(body))), body, 12)
}

// near returns the first line that a window which scrolls by less than its height can show.
func (d *Document) near(body []row.Line) int { return max(0, d.Base-len(body)) }

// blankAbove returns the line that body's first row shows if line at shows the first row that is
// neither blank nor a bar, and the document has such rows above it, too.
func (d *Document) blankAbove(at int, body []row.Line) int {
	says := func(l row.Line) bool { return row.Filled(l) && !isBar(l) }
	return max(at-row.Run(body, row.Not(says)), 1+row.Last(d.Lines[:at], says))
}

// among returns the line of the document at which body begins, from one on, comparing the rows
// after as has converted them. Above the window, one common row does not suffice, because "Reading
// 1 file…" is repeated.
func (d *Document) among(from int, as func([]row.Line) []row.Line, body []row.Line) int {
	lines, body := as(d.Lines[from:]), as(body)
	at := overlap(lines, body)
	if at < 0 || from+at < d.Base && shared(lines[at:], body) < 12 {
		return -1
	}
	return from + at
}

// asIs returns lines.
func asIs(lines []row.Line) []row.Line { return lines }

// rewrapped finds body by its letters, and repairs its first row if it begins within a line. If
// that line continues differently, it stays complete, and what was between is lost.
func (d *Document) rewrapped(body []row.Line) (at int) {
	p := d.findRedrawn(body)
	switch {
	case p.at < 0:
		return -1
	case p.within > 0 && !p.goesOn:
		body[row.SkipBlank(body, 0)].Lost = true
		return p.at + 1
	}
	return d.parted(p, body)
}

// concealed finds body only by its letters and digits, and repairs its first row if that begins
// within a line: marks of Markdown that vanish may change the wrapping.
func (d *Document) concealed(body []row.Line) (at int) {
	p := d.findWords(body)
	if p.at < 0 || p.within > 0 && !p.goesOn {
		return -1
	}
	d.Placed = PlacedWords
	if p.within == 0 {
		return d.blankAbove(p.at, body)
	}
	d.repairAt, d.raw = p.at, body[0]
	body[0] = joinedLine(row.Spans(p.line.Row, 0, row.Width(beginning(p.line.Text, p.within)), nil), body[0])
	d.repaired = body[0]
	return p.at
}

// beginning returns a text up to its nth byte of letters and digits, and the blank that follows, or
// what else is before the next letter.
func beginning(text string, n int) string {
	words := 0
	for i, r := range text {
		letter := len(onlyWords(string(r)))
		if words == n && r == ' ' {
			return text[:i+1]
		}
		if words += letter; words > n {
			return text[:i]
		}
	}
	return text
}

// findWords finds body only by its letters and digits.
func (d *Document) findWords(body []row.Line) spot {
	return d.findReduced(d.near(body), body, lettersOnly)
}

// parted returns the line that body's first row shows at p, after it has split the line that the
// terminal has wrapped above that row.
func (d *Document) parted(p spot, body []row.Line) int {
	begin := d.repair(p, body)
	if begin == nil {
		return d.blankAbove(p.at, body)
	}
	d.replace(p.at, begin, body[:1], slices.Clone(d.Lines[p.at+1:]))
	d.Base++
	return p.at + 1
}

// cells returns the contents of the cells of tables, and the texts after bars.
func cells(lines []row.Line) []row.Line {
	out := make([]row.Line, len(lines))
	for i, l := range lines {
		out[i] = row.Line{Row: &vterm.Row{Text: tableLines.Replace(l.Text)}}
	}
	return out
}

// lettersOnly returns lines of the letters and digits in lines.
func lettersOnly(lines []row.Line) []row.Line {
	out := make([]row.Line, len(lines))
	for i, l := range lines {
		out[i] = row.Line{Row: &vterm.Row{Text: onlyWords(l.Text)}}
	}
	return out
}

// onlyWords returns the letters and digits of a text.
func onlyWords(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// tableLines removes what is drawn between cells, and bars, because rules are the same in all
// tables.
var tableLines = strings.NewReplacer(" ", "", "│", "", "┃", "", "─", "", "━", "", "┌", "", "┬", "", "┐", "", "├", "",
	"┼", "", "┤", "", "└", "", "┴", "", "┘", "")
