package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// findRewrapped finds body in a document that was drawn at another width: by its letters, without
// the blanks. Body begins behind so many bytes of letters of the line at.
func (d *Document) findRewrapped(body []row.Line) (at, within int, ok bool) {
	lo, need := min(d.Base, len(d.Lines)), lettersLen(body)
	for lo > 0 && (d.Base-lo < 200 || need > 0) { // a wider window may show again what needed many rows
		lo--
		need -= row.LettersLen(d.Lines[lo].Text)
	}
	var buf []byte
	ends := make([]int, 0, len(d.Lines)-lo) // ends[i]: letters up to the end of line lo+i
	for _, l := range d.Lines[lo:] {
		buf = row.AppendLetters(buf, l.Text)
		ends = append(ends, len(buf))
	}
	text := string(buf)
	half := len(body)/2 + 1
	pos, skipped := -1, 0
	for _, try := range []struct{ letters, rows int }{
		{400, half}, {200, 0}, {100, 0}, // what is short may be said again below
		{40, half},
	} {
		if pos < 0 {
			pos, skipped = place(text, body, try.letters, try.rows)
		}
	}
	if pos < 0 {
		return 0, 0, false
	}
	i := 0
	for i < len(ends) && ends[i] <= pos {
		i++
	}
	start := 0
	if i > 0 {
		start = ends[i-1]
	}
	// Letters that are not on the document belong below a gap, not to the line above it.
	for k := i; k < len(ends) && ends[k] <= pos+skipped; k++ {
		if k+1 < len(ends) && d.Lines[lo+k+1].Lost {
			return lo + k + 1, 0, true
		}
	}
	if i == len(ends) {
		return lo + i, 0, true
	}
	return lo + i, pos - start, true
}

// place finds where in a text of letters body begins, by n letters of one of its rows and those
// below it; -1: nowhere. The letters of the rows above that one, skipped in number and at most as
// many rows as given, need not be in text.
func place(text string, body []row.Line, n, rows int) (at, skipped int) {
	for i := range body {
		key := lettersFrom(body[i:], n)
		if len(strings.Trim(key, "▄▀─━")) >= 12 && (len(key) == n || n <= 40) { // bars are alike everywhere
			if p := strings.LastIndex(text, key); p >= skipped {
				return p - skipped, skipped
			}
		}
		skipped += row.LettersLen(body[i].Text)
		if i >= rows {
			break
		}
	}
	return -1, 0
}

// repair puts the beginning of the line at, so many bytes of letters, before a body that an agent
// wrapped again.
func (d *Document) repair(at, within int, body []row.Line) {
	if within > 0 {
		d.repairAt, d.raw = at, body[0]
		body[0] = repairedLine(d.Lines[at], within, body[0])
		d.repaired = body[0]
	}
}

// repairedLine returns the line whose first n letters are old's and whose rest is next.
func repairedLine(old row.Line, n int, next row.Line) row.Line {
	head := headOf(old.Row, n)
	runs := append(head.Runs[:len(head.Runs):len(head.Runs)], vterm.Run{Text: " ", Col: head.width, Width: 1})
	text, col, lead := head.text+" ", head.width+1, true
	for _, r := range next.Runs {
		if lead {
			s := strings.TrimLeft(r.Text, " ")
			r.Width -= len(r.Text) - len(s)
			r.Text = s
			if s == "" {
				continue
			}
			lead = false
		}
		r.Col = col
		col += r.Width
		text += r.Text
		runs = append(runs, r)
	}
	return row.Line{Row: &vterm.Row{Text: strings.TrimRight(text, " "), Runs: runs}, Cols: next.Cols - row.Indent(next.Text) + head.width + 1}
}

// cutAt cuts the line at behind n bytes of letters, where the terminal has wrapped it now: rest
// goes on there. It returns the beginning.
func (d *Document) cutAt(at, n int, rest row.Line) row.Line {
	l := d.Lines[at]
	head := headOf(l.Row, n)
	r := *l.Row
	r.Text, r.Runs = head.text, head.Runs
	behind := l.Text[min(len(head.text), len(l.Text)):]
	r.Blanks = row.Indent(behind) - row.Indent(rest.Text)
	if len(head.text) == len(l.Text) {
		r.Blanks += l.Blanks
		if at+1 < len(d.Lines) {
			r.Blanks += row.Indent(d.Lines[at+1].Text)
		}
	}
	r.Blanks = max(0, r.Blanks)
	r.Marks = slices.DeleteFunc(slices.Clone(r.Marks), func(m vterm.Mark) bool { return m.Col > head.width || m.Col == head.width && behind != "" })
	return row.Line{Row: &r, Cols: l.Cols}
}

type headRow struct {
	vterm.Row
	text  string
	width int
}

// headOf returns the part of a row up to its nth byte of letters.
func headOf(r *vterm.Row, n int) headRow {
	var h headRow
	for _, run := range r.Runs {
		cut := 0
		for cut < len(run.Text) && n > 0 {
			if run.Text[cut] != ' ' {
				n--
			}
			cut++
		}
		part := run
		part.Text = run.Text[:cut]
		if cut < len(run.Text) {
			part.Text = strings.TrimRight(part.Text, " ")
			part.Width = row.Width(part.Text)
		}
		h.Runs = append(h.Runs, part)
		h.text += part.Text
		h.width += part.Width
		if n == 0 {
			break
		}
	}
	return h
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

// lettersLen counts the bytes of letters of lines.
func lettersLen(lines []row.Line) int {
	n := 0
	for _, l := range lines {
		n += row.LettersLen(l.Text)
	}
	return n
}

// letters returns the letters of lines.
func letters(lines []row.Line) string { return lettersFrom(lines, allLetters) }

// allLetters is more than a document has.
const allLetters = 1 << 30

// skipLetters returns the first line behind n letters from line from on.
func skipLetters(lines []row.Line, from, n int) int {
	for from < len(lines) && n > 0 {
		n -= row.LettersLen(lines[from].Text)
		from++
	}
	return from
}
