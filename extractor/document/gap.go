package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// fill puts missing rows into a gap of the document, and reports whether body contains them: the
// whole gap, between the rows above and below it.
func (d *Document) fill(body []row.Line) bool {
	body = row.Trim(body)
	for g, l := range d.Lines {
		if !l.Lost {
			continue
		}
		above := max(0, min(g, len(body)-1))
		for common(d.Lines[g-above:g], body) < above {
			above--
		}
		if weights(body[:above]) < 12 {
			continue
		}
		for end := above + 1; weights(body[end:]) >= 12; end++ {
			if below := min(len(d.Lines)-g, len(body)-end); common(d.Lines[g:], body[end:]) == below {
				rest := slices.Clone(d.Lines[g:])
				rest[0].Lost = false
				d.replace(g, slices.Clone(body[above:end]), rest)
				if d.Base >= g {
					d.Base += end - above
				}
				return true
			}
		}
	}
	return false
}

// LeaveOut replaces the lines [from, to) by one that tells their number, and returns by how many
// lines the document becomes shorter. It does nothing if there are too few.
func (d *Document) LeaveOut(from, to int) (by int) {
	if to-from < 2 {
		return 0
	}
	n := 0
	for _, l := range d.Lines[from:to] {
		switch {
		case l.Omitted > 0:
			n += l.Omitted
		case !l.Wrapped:
			n++
		}
	}
	d.Lines[from] = gapLine(d.Lines[from], n)
	d.Lines = append(d.Lines[:from+1], d.Lines[to:]...)
	by = to - from - 1
	d.Base = max(0, d.Base-by)
	d.Dirty = min(d.Dirty, from)
	d.repairAt -= by
	return by
}

// gapLine returns a line that tells how many lines are left out, in the place and style of one of
// them: an agent's border and indentation stay.
func gapLine(l row.Line, n int) row.Line {
	text := GapText(session.Gap{Lines: n})
	left := row.Width(l.Text) - row.Width(strings.TrimLeft(l.Text, " │┃▌▎"))
	r := row.Join(append(row.Spans(l.Row, 0, left, nil),
		row.Span{Text: text, Width: row.Width(text), Style: l.StyleAt(left)}))
	r.Wrapped = l.Wrapped
	return row.Line{Row: r, Cols: l.Cols, Omitted: n}
}

// LeftOut returns how many lines were left out of lines.
func LeftOut(lines []row.Line) int {
	n := 0
	for i := range lines {
		n += lines[i].Omitted
	}
	return n
}

// GapText describes a gap.
func GapText(g session.Gap) string {
	if g.Lines == 0 {
		return fmt.Sprintf("[… %d bytes left out …]", g.Bytes)
	}
	return fmt.Sprintf("[… %d lines left out …]", g.Lines)
}
