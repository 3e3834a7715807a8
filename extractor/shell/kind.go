package shell

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// kind is a prompt with all later ones that look like it.
type kind struct {
	text  string
	input int // how many columns it takes
	style []vterm.Style

	id    int        // of the first that was read
	above []row.Line // the rows above that one's last
	told  int        // how many of them are part of it, as the shell says; -1: it does not say
	col   int        // the column in which the first of those begins
	rows  int        // how many are part of every one; -1: only one was read
}

// maxPromptRows is how many rows a prompt has at most above its last.
const maxPromptRows = 8

// styles returns the styles of a row up to a column, one for each change.
func styles(r *vterm.Row, to int) (out []vterm.Style) {
	for _, run := range r.Runs {
		if run.Col < to && strings.TrimSpace(run.Text) != "" || row.Highlighted(run.Style) && run.Col < to {
			out = append(out, run.Style)
		}
	}
	return out
}

// alike reports whether a prompt is of the kind: the same text, or the same styles or half of the
// text around a piece that varies.
func (k *kind) alike(text string, style []vterm.Style) bool {
	return k.text == text || alike(k.text, k.style, text, style)
}

func alike(a string, as []vterm.Style, b string, bs []vterm.Style) bool {
	if len(as) > 1 && slices.Equal(as, bs) {
		return true
	}
	head := row.CommonStart(a, b)
	tail := commonEnd(a[len(head):], b[len(head):])
	common := strings.TrimSpace(head) + strings.TrimSpace(tail)
	return slices.Equal(as[:min(1, len(as))], bs[:min(1, len(bs))]) && 2*len(common) >= max(len(a), len(b), 3)
}

// alikeRows reports whether two rows may be the same row of a prompt, drawn twice.
func alikeRows(a, b row.Line) bool {
	if a.Text == b.Text || a.Text == "" || b.Text == "" {
		return a.Text == b.Text
	}
	return alike(a.Text, styles(a.Row, a.Cols), b.Text, styles(b.Row, b.Cols))
}

// kindOf returns the kind of a prompt, a new one if it is of none.
func (p *prompts) kindOf(text string, style []vterm.Style) *kind {
	i := slices.IndexFunc(p.kinds, func(k kind) bool { return k.text == text })
	if i < 0 {
		i = slices.IndexFunc(p.kinds, func(k kind) bool { return k.alike(text, style) })
	}
	if i < 0 {
		p.kinds = append(p.kinds[max(0, len(p.kinds)+1-maxPrompts):], kind{text: text, style: style, rows: -1})
		i = len(p.kinds) - 1
	}
	return &p.kinds[i]
}

// rowsAbove returns how many rows above line i belong to the prompt on that line. Output ends at
// line out, so rows above that do not. told is how many rows the shell's marks name, or -1. Without
// marks, the rows that all prompts of this kind have in common belong to it. id identifies the
// prompt, so that it is not compared with itself. sure is false if more may belong to it.
func (p *prompts) rowsAbove(lines []row.Line, i, out int, at prompted, told, col, id int) (n int, sure bool) {
	p.came(at.prompt, id)
	k := p.kindOf(at.prompt, styles(lines[i].Row, at.input))
	above := lines[min(i, max(out, i-maxPromptRows, 0)):i]
	if a, b := len(above), len(k.above); a > 0 && b > 0 && above[a-1].Row == k.above[b-1].Row {
		k.id = id // numbers of prompts without marks change
	}
	switch {
	case k.id == 0 || k.id == id && k.rows < 0:
		k.id, k.above, k.told, k.col, k.input = id, slices.Clone(above), told, col, at.input-at.col
		if p.final {
			return 0, true // no other says that these rows are its own
		}
		p.pending = p.pending || told > 0
		return max(told, 0), told >= 0
	case k.id == id:
		if told < 0 {
			return k.rows, true
		}
		return min(told, k.rows), true
	}
	n = k.common(above, told, col)
	rows := n
	if k.rows >= 0 {
		rows = min(k.rows, n)
	}
	if k.rows != rows {
		if k.told != rows || k.rows > rows {
			p.learned++
			p.rowsLearned, p.pending = p.pending, false
		}
		k.rows = rows
	}
	if told >= 0 {
		return n, true
	}
	return rows, true
}

// common compares the rows above a prompt with those above the first one of its kind, and returns
// how many of them belong to it. told is how many the marks name, or -1, and col the column in
// which the first of those begins. Marks of two prompts that name as many whole rows need no more
// proof.
func (k *kind) common(above []row.Line, told, col int) (n int) {
	if told == k.told && told >= 0 && col == 0 && k.col == 0 {
		return told
	}
	most := min(len(above), len(k.above))
	for _, m := range [...]int{told, k.told} {
		if m >= 0 {
			most = min(most, m)
		}
	}
	for n < most {
		a, b := above[len(above)-1-n], k.above[len(k.above)-1-n]
		if n == told-1 {
			a = row.CutLine(a, col, rowEnd)
		}
		if n == k.told-1 {
			b = row.CutLine(b, k.col, rowEnd)
		}
		if !alikeRows(a, b) {
			break
		}
		n++
	}
	return n
}
