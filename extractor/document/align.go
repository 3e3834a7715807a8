package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
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
	if at >= 0 && at < d.Base && d.looksBack(at, body) {
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

// looksBack reports whether body, whose first row is at line at, is inside the document. It adds
// rows that the document lacks.
func (d *Document) looksBack(at int, body []row.Line) bool {
	return d.fill(body) || d.contains(at, body) || d.holds(at, body)
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
