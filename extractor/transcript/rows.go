package transcript

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// tableRow is what is known of a row of a table. Some agents show a row as the model writes it
// while it arrives, and then in a table, with its cells shortened to their columns.
type tableRow []tableCell

// tableCell is a cell as far as it was seen.
type tableCell struct {
	text, md string
	part     bool // it may be incomplete
}

// likeness returns the number of letters that a row has in common with another sight of it, or 0 if
// that is another row. same reports whether both show the same.
func (r tableRow) likeness(o tableRow) (n int, same bool) {
	if len(o) > len(r) {
		return 0, false
	}
	same = len(r) == len(o)
	for i := range o {
		a, b := letters(r[i].md), letters(o[i].md)
		same = same && a == b
		if a != b && !(r[i].part && strings.HasPrefix(b, a)) && !(o[i].part && strings.HasPrefix(a, b)) {
			return 0, false
		}
		n += len(b)
	}
	return n, same
}

// part reports whether one of its cells may be incomplete.
func (r tableRow) part() bool {
	return slices.ContainsFunc(r, func(c tableCell) bool { return c.part })
}

// with returns the row with everything that is known of it.
func (r tableRow) with(o tableRow) tableRow {
	r = slices.Clone(r)
	for i, c := range o {
		switch a, b := len(letters(r[i].md)), len(letters(c.md)); {
		case b > a:
			r[i] = c
		case a == b:
			r[i].part = r[i].part && c.part
		}
	}
	return r
}

// letters returns a row or a cell without blanks, bars and marks of Markdown.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" |*`\\", r) {
			return -1
		}
		return r
	}, s)
}

// keepRows is the maximum number of rows of a reply's tables to remember.
const keepRows = 100

// learn remembers the rows at the end of a reply that are shown as they were written, and returns
// them.
func (s *sight) learn(it *session.Sighting) (open []int) {
	text, md := it.Text, it.Markdown
	for range 3 { // a head may arrive together with the dashes below it
		var t, m string
		if text, t = cutLastLine(text); !strings.HasPrefix(t, "|") {
			break
		}
		if md, m = cutLastLine(md); !strings.HasPrefix(m, "|") {
			break
		}
		if r := writtenRow(t, m); r != nil {
			open = append(open, s.addRow(r))
		}
	}
	return open
}

// cutLastLine splits a text into its last line and what is above, without the blank lines between.
func cutLastLine(s string) (above, last string) {
	i := strings.LastIndexByte(s, '\n')
	return strings.TrimRight(s[:max(i, 0)], "\n"), s[i+1:]
}

// writtenRow parses a row between bars, whose last cell may be incomplete. It returns nil for other
// lines and for dashes.
func writtenRow(text, md string) tableRow {
	ts, ms := cellsOf(text), cellsOf(md)
	if len(ts) != len(ms) || strings.Trim(text, "|-: ") == "" {
		return nil
	}
	r := make(tableRow, len(ts))
	for i := range r {
		r[i] = tableCell{ts[i], ms[i], i == len(r)-1 && !strings.HasSuffix(text, "|")}
	}
	return r
}

// cellsOf returns the cells of a row between bars.
func cellsOf(line string) []string {
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	return cells
}

// addRow remembers a row. It replaces an incomplete form of it, or a row of a table in which it was
// shortened. It returns the row's index.
func (s *sight) addRow(r tableRow) int {
	i := slices.IndexFunc(s.rows, func(old tableRow) bool {
		last := len(old) - 1
		return last < len(r) && slices.Equal(old[:last], r[:last]) && strings.HasPrefix(r[last].text, old[last].text)
	})
	if i >= 0 {
		s.rows[i] = r
		return i
	}
	for i, old := range s.rows {
		long, short := old, r
		if len(r) > len(old) {
			long, short = r, old
		}
		if n, _ := long.likeness(short); n >= sureLetters {
			s.rows[i] = long.with(short)
			return i
		}
	}
	if len(s.rows) < keepRows {
		s.rows = append(s.rows, r)
	}
	return len(s.rows) - 1
}

// sureLetters is how many letters two rows must have in common to be the same row, shortened or
// not.
const sureLetters = 12

// lengthen restores words that were shortened in the cells of a reply's tables, as far as they were
// seen. If all of them were, the reply is complete. open are the rows that are not in a table yet.
func (s *sight) lengthen(it *session.Sighting, open []int) {
	md, text := strings.Split(it.Markdown, "\n"), strings.Split(it.Text, "\n")
	whole := true
	at := 0 // in text
	used := slices.Clone(open)
	for i := 0; i < len(md); i++ {
		if !strings.HasPrefix(md[i], "|") || i+1 == len(md) || !strings.HasPrefix(md[i+1], "| --- ") {
			continue
		}
		n := 1
		for i+n < len(md) && strings.HasPrefix(md[i+n], "|") {
			n++
		}
		t := newTable(md[i:i+n], text[at:])
		used = t.lengthen(s, used)
		at += t.write()
		whole = whole && t.whole()
		i += n - 1
	}
	it.Markdown, it.Text = strings.Join(md, "\n"), strings.Join(text, "\n")
	if whole && it.TruncatedAt == session.TruncatedMiddle && it.OmittedLines == 0 {
		it.Truncated, it.TruncatedAt = false, ""
	}
}

// sameAround reports whether two texts have the same number of table rows and the same words around
// them.
func sameAround(a, b string) bool {
	a, n := around(a)
	b, m := around(b)
	return n == m && a == b
}

// around returns the words of a text outside of tables, and the number of table rows.
func around(text string) (w string, n int) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, " | ") {
			n++
		} else {
			b.WriteString(words(line))
		}
	}
	return b.String(), n
}
