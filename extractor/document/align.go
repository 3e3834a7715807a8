package document

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// Align puts body, the rows of an alternate screen's window, at its place in the document. It drops
// rows that were torn since the first of several resizes.
func (d *Document) Align(body []row.Line) {
	if !d.restore(0, body) {
		d.align(body, d.Resizing())
	}
	d.Waited()
}

// align finds the place of body and puts it there, so that the document ends as body does. A body
// that is completely inside the document means that the user has scrolled back, and changes
// nothing. resized reports whether the window was resized recently.
func (d *Document) align(body []row.Line, resized bool) {
	d.body = append(d.body[:0], body...)
	body = d.body
	at := d.find(body, resized)
	if at >= 0 && at < d.Base && (d.fill(body) || d.contains(at, body) || d.holds(at, body)) {
		d.Placed = PlacedLookBack
		return
	}
	nowhere := at < 0 || at < d.Base && !resized && d.saidAgain(body)
	switch {
	case nowhere:
		at, d.Placed = d.end(body), PlacedBelow // the rows between were never shown
	case at < d.Base && body[0].Text != d.Lines[at].Text: // the same may have been repeated below
		at = max(at, leads(d.Lines, d.Base, body, 12))
	}
	d.Base = at
	n := min(row.SkipBlank(body, 0), len(body)-1) // blank rows do not show what was above
	first := row.SkipBlank(d.Lines, at)
	painted := d.Placed == PlacedHead && first-at > n+1 // nothing shows what was above the blank rows
	body[n].Lost = body[n].Lost || nowhere || painted || row.AnyLost(d.Lines[at:min(max(at+n, first)+1, len(d.Lines))])
	d.replace(at, body)
}

// Bridge closes the gap between the document and body, the next window, if these have nothing in
// common: it aligns the newest of windows that has text in common with both, or else with body
// alone. windows are those that were not read, because the agent had not drawn for a new size yet
// or an overlay was there; what scrolled by meanwhile was on the screen only then. above are the
// rows directly above body that scrolled off: they belong there even if the gap stays.
func (d *Document) Bridge(windows [][]row.Line, above, body []row.Line) {
	if len(windows)+len(above) == 0 || d.knows(body) {
		return
	}
	if len(above) > 0 {
		windows = append(windows, slices.Concat(above, body))
	}
	for _, w := range slices.Backward(windows) {
		if d.knows(w) && (&Document{Lines: w}).knows(body) {
			d.align(w, true)
			return
		}
	}
	if len(above) > 0 {
		d.align(windows[len(windows)-1], false)
		return
	}
	for _, w := range slices.Backward(windows) { // the gap is above it
		if len(d.Lines) > 0 && (&Document{Lines: w}).knows(body) {
			d.align(w, false)
			return
		}
	}
}

// knows reports whether body, a window, has text in common with the document.
func (d *Document) knows(body []row.Line) bool {
	if len(d.Lines) == 0 || len(body) == 0 {
		return false
	}
	at, _ := d.search(body)
	return at >= 0 || d.findRedrawn(body).at >= 0 || d.findWords(body).at >= 0
}

// Extend appends what body, a window that the user has scrolled back, shows below the document's
// last row, which may continue there. Blank rows may have been inserted between the last ones:
// agents insert some between the items of a list once they know more of it. A window with enough
// text that has nothing in common with the document is below a gap, unless it may show other
// missing rows.
func (d *Document) Extend(body []row.Line) {
	d.Placed = PlacedLookBack
	if d.fill(body) {
		return
	}
	lines, at := filled(d.Lines)
	rows, from := filled(body)
	switch i := goesOnIn(lines, 0, rows); {
	case i >= 0 && common(lines[i:], rows) < len(rows) && !d.has(body, 0, 0, len(d.Lines)):
		d.replace(at[i], body[from[0]:])
	case shared(d.Lines[d.Base:], body) >= 24: // the last rows have changed since
		at := max(overlap(d.Lines[d.Base:], body), 0)
		if end := row.Trim(body); shared(lines, end[len(end)-1:]) == 0 {
			d.replace(d.Base+at, body)
		}
	case shared(row.Trim(d.Lines), body) == 0 && shared(body, body) >= 24 && !row.AnyLost(lines):
		d.align(body, false)
	}
}

// filled returns the lines that are not blank, and their indices.
func filled(lines []row.Line) (rows []row.Line, at []int) {
	for i, l := range lines {
		if row.Filled(l) {
			rows, at = append(rows, l), append(at, i)
		}
	}
	return rows, at
}

// Meets reports whether body has rows of the window, or continues its last rows.
func (d *Document) Meets(body []row.Line) bool { return d.Shares(d.Base, body) || d.head(body) >= 0 }

// Pinned reports whether the first row of body, a window, does not belong directly above the rows
// below it.
func (d *Document) Pinned(body []row.Line) bool {
	at := leads(d.Lines, d.near(body), body[1:], 24)
	return at > 0 && d.Lines[at-1].Text != body[0].Text
}

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

// grown reports whether body is the previous window, except for rows that were continued and rows
// that were blank.
func (d *Document) grown(body []row.Line) bool {
	old := d.Lines[d.Base:]
	return slices.EqualFunc(old, body[:min(len(old), len(body))], extends) && tells(old)
}

// tells reports whether the common rows of two windows show that these belong together: enough
// rows, or a long one.
func tells(lines []row.Line) bool {
	return weights(lines) >= 12 || slices.ContainsFunc(lines, func(l row.Line) bool { return weight(l) >= 8 })
}

// head returns the line that body's first row shows if body begins with the last rows up to the one
// that only the document has, which continues there.
func (d *Document) head(body []row.Line) int {
	end := d.last(body) + 1
	return goesOnIn(d.Lines[:end], min(d.Base, end), body)
}

// end returns the line below the document's last. A row that body shows further down, where it
// continues, is not the last, nor are the rows with which body ends, too: new rows are above them.
func (d *Document) end(body []row.Line) int {
	last := d.last(body)
	if last >= d.Base && slices.ContainsFunc(body, func(l row.Line) bool { return extends(d.Lines[last], l) }) {
		return last
	}
	at := max(last+1, d.Base)
	at += row.SkipBlank(d.Lines[at:], 0)
	below, body := row.Trim(d.Lines[at:]), row.Trim(body)
	if n := len(body) - len(below); n > 0 && tells(below) && slices.EqualFunc(below, body[n:], extends) {
		return at
	}
	return len(d.Lines)
}

// last returns the last line with text that body does not have, or -1. A text that is continued in
// the last of several rows of body may be a status.
func (d *Document) last(body []row.Line) int {
	body = content(body)
	status := body[max(len(body)-1, min(len(body), 1)):]
	return row.Last(d.Lines, func(l row.Line) bool {
		grows := func(b row.Line) bool { return extends(l, b) }
		return l.Text != "" && !slices.ContainsFunc(status, grows) &&
			!slices.ContainsFunc(body, func(b row.Line) bool { return b.Text == l.Text })
	})
}

// moved reports whether body is the previous window, except for blank rows around its text and rows
// below it.
func (d *Document) moved(body []row.Line) bool {
	old := content(d.Lines[d.Base:])
	return len(old) > 0 && common(old, content(body)) == len(old)
}

// content returns lines without the blank ones around them.
func content(lines []row.Line) []row.Line { return row.Trim(lines[row.SkipBlank(lines, 0):]) }

// contains reports whether body is completely at line at, and the document continues below it.
func (d *Document) contains(at int, body []row.Line) bool {
	body = row.Trim(body)
	same, total := d.likeness(at, body)
	return at+len(body) < len(row.Trim(d.Lines)) && same*10 >= total*9
}

// holds reports whether the lower half of body is above the window, from line at on, or, if that is
// significant enough, its lower third anywhere from there on except at the end. What is above has
// changed, as a tip in a welcome does when an agent redraws everything.
func (d *Document) holds(at int, body []row.Line) bool {
	body = content(body)
	n := len(body)
	return d.has(body[n/2:], 12, at, d.Base) || d.has(body[2*n/3:], 36, at, len(row.Trim(d.Lines))-1)
}

// has reports whether rows of sufficient weight are among the lines [from, to).
func (d *Document) has(rows []row.Line, enough int32, from, to int) bool {
	for ; from+len(rows) <= to; from++ {
		if same, total := d.likeness(from, rows); same == total && total >= enough {
			return true
		}
	}
	return false
}

func equal(a, b row.Line) bool {
	return a.Lost == b.Lost && (a.Row == b.Row ||
		a.Wrapped == b.Wrapped && a.Blanks == b.Blanks && slices.Equal(a.Runs, b.Runs) && slices.Equal(a.Marks, b.Marks))
}

// extends reports whether the text of b begins with that of a.
func extends(a, b row.Line) bool { return strings.HasPrefix(b.Text, a.Text) }
