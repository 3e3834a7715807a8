package transcript

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// table is a table of a reply with shortened cells.
type table struct {
	md, text []string // lines of its Markdown, and those of the text from before it on
	rows     []shortRow
}

// shortRow is a row of such a table.
type shortRow struct {
	tableRow
	signs []string // after the shortened cells
	found bool     // the row is among the known ones
	md    int      // its line in the table's md
	text  int      // its line in the text, or -1
}

// newTable parses a table.
func newTable(md, text []string) *table {
	t := &table{md: md, text: text}
	at := 0
	for i, line := range md {
		if i == 1 {
			continue // the dashes
		}
		ms := cellsOf(line)
		ts, found := ms, -1
		if n := slices.IndexFunc(text[at:], func(l string) bool { return letters(l) == letters(line) }); n >= 0 {
			if cells := cellsOf("|" + text[at+n] + "|"); len(cells) == len(ms) {
				ts, found = cells, at+n
			}
			at += n + 1
		}
		r := shortRow{tableRow: make(tableRow, len(ms)), signs: make([]string, len(ms)), md: i, text: found}
		for k, m := range ms {
			c := unshortened(m)
			r.tableRow[k], r.signs[k] = tableCell{unshortened(ts[k]), c, c != m}, m[len(c):]
		}
		t.rows = append(t.rows, r)
	}
	for k := range t.rows[0].tableRow {
		t.judge(k)
	}
	return t
}

// judge marks the cells of a column that is too narrow for the sign of shortening, because any of
// them may be shortened.
func (t *table) judge(col int) {
	for _, r := range t.rows {
		if col >= len(r.tableRow) || r.signs[col] != "" || utf8.RuneCountInString(r.tableRow[col].text) > 3 {
			return
		}
	}
	for _, r := range t.rows {
		r.tableRow[col].part = true
	}
}

// unshortened returns a cell without the sign of shortening.
func unshortened(cell string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(cell, "…"), "..."), " ")
}

// lengthen makes the rows as long as they are known to be, and remembers what they add to that. It
// takes no row that is among used, and returns them with those that it has taken.
func (t *table) lengthen(s *sight, used []int) []int {
	for _, exactly := range []bool{true, false} {
		for i := range t.rows {
			r := &t.rows[i]
			best, most := -1, 0
			for k, known := range s.rows {
				if n, same := r.likeness(known); n > most && (same && !r.part()) == exactly && !slices.Contains(used, k) {
					best, most = k, n
				}
			}
			if best < 0 || r.found {
				continue
			}
			r.tableRow, r.found = r.with(s.rows[best]), true
			s.rows[best] = r.tableRow
			used = append(used, best)
		}
	}
	for _, r := range t.rows {
		if !r.found {
			used = append(used, s.addRow(r.tableRow))
		}
	}
	return used
}

// whole reports whether nothing is missing in any cell.
func (t *table) whole() bool {
	return !slices.ContainsFunc(t.rows, func(r shortRow) bool { return r.part() })
}

// write writes the rows into the lines that they were read from, and returns where the text goes
// on.
func (t *table) write() (at int) {
	for _, r := range t.rows {
		if r.text < 0 {
			continue
		}
		ms, ts := make([]string, len(r.tableRow)), make([]string, len(r.tableRow))
		for k, c := range r.tableRow {
			ms[k], ts[k] = c.md, c.text
			if c.part {
				ms[k], ts[k] = ms[k]+r.signs[k], ts[k]+r.signs[k]
			}
		}
		t.md[r.md], t.text[r.text] = "| "+strings.Join(ms, " | ")+" |", strings.TrimRight(strings.Join(ts, " | "), " ")
		at = r.text + 1
	}
	return at
}
