package document

import (
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// overlap aligns body with old, weighting rows by their length, and returns the line of old at
// which body begins. Rows may have changed, been inserted or removed. It returns -1 if they have
// too little in common, or less than half of what old would lose below them, because then a block
// was repeated.
func overlap(old, body []row.Line) (at int) {
	if at := leads(old, 0, body, 24); at >= 0 {
		return at
	}
	n, m := len(body), len(old)
	best := make([]int32, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		w := weight(body[i])
		for j := m - 1; j >= 0; j-- {
			b := max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1])
			if body[i].Text == old[j].Text {
				b = w + best[(i+1)*(m+1)+j+1] // none is better: equal rows weigh the same
			}
			best[i*(m+1)+j] = b
		}
	}
	below := 0
	for below < m && best[below]*4 >= best[0] {
		below++
	}
	if best[0]*5 < max(1, min(weights(body), weights(old))) || weights(old[below:]) > 2*best[0] {
		return -1
	}
	i, j := firstRun(old, body, best)
	if redrawn(old, body, i, j) {
		return max(j-i, 0)
	}
	if at := goesOnIn(row.Trim(old[:j]), 0, body[:i]); at >= 0 {
		return at
	}
	return j
}

// goesOnIn returns the line that body's first row shows if body begins with the last of lines, from
// one on, and may continue the very last one; otherwise -1.
func goesOnIn(lines []row.Line, from int, body []row.Line) (at int) {
	for at = max(from, len(lines)-len(body)); at < len(lines); at++ {
		if continues(lines[at:], body) {
			return at
		}
	}
	return -1
}

// continues reports whether body begins with lines, and maybe continues the last one.
func continues(lines, body []row.Line) bool {
	last := len(lines) - 1
	return common(lines, body) >= last && extends(lines[last], body[last]) && weights(lines) > 2
}

// common returns the number of rows with which both texts begin.
func common(a, b []row.Line) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i].Text != b[i].Text {
			return i
		}
	}
	return n
}

// leads finds the place in old, from a line on, with the longest match with the beginning of body,
// row by row, up to the end of one of the two, or with enough weight. It returns -1 if there is
// none. The last of the rows may continue in body. A rule between the rows of a table does not
// suffice.
func leads(old []row.Line, from int, body []row.Line, enough int32) (at int) {
	at, most := -1, int32(1)
	for j := from; j < len(old); j++ {
		n := common(old[j:], body)
		ends := n == min(len(old)-j, len(body))
		run := weights(body[:n])
		if n > 0 && !ends && extends(old[j+n], body[n]) {
			run += weight(old[j+n])
		}
		if run <= most {
			continue
		}
		if at, most = -1, run; run >= enough || ends {
			at = j
		}
	}
	return at
}

// redrawn reports whether the first i rows of body, which are not in old, replace the i rows of old
// above j: a marker or a counter changed, or marks of Markdown vanished. Otherwise they were
// inserted.
func redrawn(old, body []row.Line, i, j int) bool {
	same, rows := 0, 0
	for k := max(0, i-j); k < i; k++ {
		if strings.TrimSpace(body[k].Text) == strings.TrimSpace(old[j-i+k].Text) {
			continue
		}
		rows++
		a, b := body[k].Text, old[j-i+k].Text
		if alike(unmarked(a), unmarked(b)) || alike(onlyWords(a), onlyWords(b)) {
			same++
		}
	}
	return same*2 >= rows
}

// alike reports whether the beginnings of two texts agree for half of the shorter one.
func alike(a, b string) bool {
	return len(row.CommonStart(a, b))*2 >= max(1, min(len(a), len(b)))
}

// unmarked returns a row's text without what is before its first letter or digit, because a bullet
// may blink, and a spinner changes.
func unmarked(text string) string {
	return strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// weight returns how much a row counts when two windows are aligned. Long text counts most. A rule,
// such as one between the rows of a table, hardly counts, because many rows look like it.
func weight(l row.Line) int32 {
	text := strings.TrimSpace(l.Text)
	if len(text) == len("─")*strings.Count(text, strokes) {
		return int32(min(len(text), 1))
	}
	return 2 + min(int32(len(text)), 40)/4
}

// strokes is the first byte of the characters of rules and tables, and of other signs that are not
// letters (U+2000 to U+2FFF).
const strokes = "\xe2"

// weights returns the sum of the rows' weights.
func weights(lines []row.Line) (sum int32) {
	for _, l := range lines {
		sum += weight(l)
	}
	return sum
}

// firstRun follows the best alignment and returns the place of its first row that occurs only once,
// or of its first run that is long enough to be trusted, else of the heaviest run.
func firstRun(old, body []row.Line, best []int32) (i0, j0 int) {
	m := len(old)
	times := map[string]int{}
	for _, l := range old {
		times[l.Text]++
	}
	for _, l := range body {
		times[l.Text] += 1 << 16
	}
	si, sj, run, heaviest := 0, 0, int32(0), int32(0) // the current run
	for i, j := 0, 0; best[i*(m+1)+j] > 0; {
		w := weight(body[i])
		switch {
		case w > 0 && body[i].Text == old[j].Text:
			if run == 0 || j-i != sj-si {
				si, sj, run = i, j, 0
			}
			if run += w; run > heaviest {
				i0, j0, heaviest = si, sj, run
			}
			if run >= 12 || w >= 4 && times[body[i].Text] == 1<<16+1 {
				return si, sj
			}
			i, j = i+1, j+1
		case best[i*(m+1)+j] == best[i*(m+1)+j+1]:
			j++
		default:
			i++
		}
	}
	return i0, j0
}
