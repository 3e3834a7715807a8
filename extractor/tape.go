package extractor

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// tape holds the rows of one continuous text, top to bottom: what left the window, then what is in
// it. On the main screen the terminal says how far the text moved; on the alternate screen stitch
// finds it out.
type tape struct {
	lines  []row.Line
	base   int        // the line on the window's first row
	placed Placement  // how base was found
	dirty  int        // lines from here on are new since the last call of clean
	were   []row.Line // the lines that were cut off since then, from line dirty on

	// A window that begins within a line of the tape shows only that line's rest: there raw
	// takes the place of mended.
	mendAt      int
	raw, mended row.Line
}

// clean forgets what is new.
func (t *tape) clean() { t.dirty, t.were = len(t.lines), t.were[:0] }

// advance puts body where the window's text stood, after the rows that left the window (main
// screen).
func (t *tape) advance(left, body []row.Line) {
	t.replace(t.base, left, body)
	t.base += len(left)
	t.placed = PlacedScrolled
}

// repainted notices an agent that has redrawn the window from its top row (main screen): what it
// drew below scrolled the text up, and when that is gone it shows again what had left the window.
// It returns the line that body's first row shows again. It is not to be asked while rows leave the
// window: then the agent goes on below, and what looks like rows above is said again.
func (t *tape) repainted(left, body []row.Line) (at int, ok bool) {
	body = row.Trim(body)
	place := t.base + len(left)
	line := func(i int) (row.Line, bool) {
		switch {
		case i >= t.base && i < place:
			return left[i-t.base], true
		case i >= 0 && i < len(t.lines):
			return t.lines[i], true
		}
		return row.Line{}, false
	}
	match := func(at int) (sum, head int32) {
		broken := false
		for i, l := range body {
			if old, ok := line(at + i); ok && old.Text == l.Text {
				sum += weight(l)
			} else {
				broken = true
			}
			if !broken {
				head = sum
			}
		}
		return sum, head
	}
	total := int32(0)
	for _, l := range body {
		total += weight(l)
	}
	here, head := match(place)
	if here*2 >= total || head >= 12 { // it is where it was, though below it the same may be said again
		return 0, false
	}
	best := max(2*here, 11)
	for k := place - 1; k >= max(0, place-2*len(body)-8); k-- {
		if m, head := match(k); head > 0 && m > best && m*3 >= total {
			best, at, ok = m, k, true
		}
	}
	return at, ok
}

// likeness returns how much of body is at line at, by weight, and how much there is.
func (t *tape) likeness(at int, body []row.Line) (same, total int32) {
	for i, l := range body {
		w := weight(l)
		total += w
		if k := at + i; k < len(t.lines) && t.lines[k].Text == l.Text {
			same += w
		}
	}
	return same, total
}

// replace sets the lines from at on, and notes from where on they differ.
func (t *tape) replace(at int, parts ...[]row.Line) {
	i := at
	same := true
	for _, part := range parts {
		for _, l := range part {
			if i == t.mendAt && t.raw.Row != nil && equal(l, t.raw) {
				l = t.mended
			}
			if same && i < len(t.lines) && equal(t.lines[i], l) && t.lines[i].Lost == l.Lost {
				i++
				continue
			}
			if same {
				same = false
				t.cut(i)
			}
			t.lines = append(t.lines, l)
			i++
		}
	}
	if same && i < len(t.lines) {
		t.cut(i)
	}
}

// forget drops the first n lines.
func (t *tape) forget(n int) {
	t.lines = append([]row.Line(nil), t.lines[n:]...)
	t.base = max(0, t.base-n)
	t.dirty = max(0, t.dirty-n)
	t.mendAt -= n
}

// leaveOut replaces the lines from up to, not including, to by one that says how many they are, and
// returns by how many lines the tape is shorter then. It changes nothing if there are too few.
func (t *tape) leaveOut(from, to int) (by int) {
	if to-from < 2 {
		return 0
	}
	n := 0
	for _, l := range t.lines[from:to] {
		switch {
		case l.Omitted > 0:
			n += l.Omitted
		case !l.Wrapped:
			n++
		}
	}
	t.lines[from] = gapLine(t.lines[from], n)
	t.lines = append(t.lines[:from+1], t.lines[to:]...)
	by = to - from - 1
	t.base = max(0, t.base-by)
	t.dirty = min(t.dirty, from)
	t.mendAt -= by
	return by
}

// gapLine returns a line that says how many lines are left out, in the place and style of one of
// them: an agent's borders and indentation around it stay.
func gapLine(l row.Line, n int) row.Line {
	none := func(vterm.Style) row.Mark { return 0 }
	text := gapText(session.Gap{Lines: n})
	r := &vterm.Row{Wrapped: l.Wrapped}
	frame := strings.TrimLeft(l.Text, " │┃▌▎")
	left := row.Width(l.Text[:len(l.Text)-len(frame)])
	spans := row.Spans(l.Row, 0, left, none)
	style := l.StyleAt(left)
	spans = append(spans, row.Span{Text: text, Width: row.Width(text), Style: style})
	if end := row.Extent(l.Row); left > 0 && strings.HasSuffix(l.Text, "│") && end-1 > row.SpansWidth(spans) {
		spans = append(spans, row.Span{Text: row.Blanks(end - 1 - row.SpansWidth(spans)), Width: end - 1 - row.SpansWidth(spans)})
		spans = append(spans, row.Spans(l.Row, end-1, end, none)...)
	}
	for _, s := range spans {
		r.Runs = append(r.Runs, vterm.Run{Text: s.Text, Col: rowEnd(r), Width: s.Width, Style: s.Style})
		r.Text += s.Text
	}
	return row.Line{Row: r, Cols: l.Cols, Omitted: n}
}

// rowEnd returns the column behind a row's runs.
func rowEnd(r *vterm.Row) int {
	if len(r.Runs) == 0 {
		return 0
	}
	last := &r.Runs[len(r.Runs)-1]
	return last.Col + last.Width
}

// leftOut returns how many lines were left out of lines.
func leftOut(lines []row.Line) int {
	n := 0
	for i := range lines {
		n += lines[i].Omitted
	}
	return n
}

// before returns lines from up to, not including, to as they were at the last call of clean.
func (t *tape) before(from, to int) []row.Line {
	kept := min(t.dirty, len(t.lines))
	out := slices.Clone(t.lines[min(from, kept):min(max(from, to), kept)])
	n := len(t.were)
	return append(out, t.were[min(max(from-kept, 0), n):min(max(to-kept, 0), n)]...)
}

// cut drops the lines from i on.
func (t *tape) cut(i int) {
	if end := min(t.dirty, len(t.lines)); i < end {
		t.were = slices.Insert(t.were, 0, t.lines[i:end]...)
	}
	clear(t.lines[i:])
	t.lines = t.lines[:i]
	t.dirty = min(t.dirty, i)
}

// stitch finds where body, the window of an alternate screen, belongs and puts it there: everything
// from its first row on is as it says. A body that lies wholly inside the tape is a look back and
// changes nothing.
func (t *tape) stitch(body []row.Line) {
	if len(body) > 0 && t.raw.Row != nil && equal(body[0], t.raw) {
		body = append([]row.Line{t.mended}, body[1:]...)
	}
	at, ok := t.find(body)
	switch {
	case !ok:
		at, t.placed = len(t.lines), PlacedBelow // what was between was never shown
	case at < t.base && t.contains(at, body):
		t.placed = PlacedLookBack
		return
	}
	t.base = at
	if len(body) == 0 {
		t.replace(at)
		return
	}
	first := body[0]
	first.Lost = !ok || at < len(t.lines) && t.lines[at].Lost
	t.replace(at, []row.Line{first}, body[1:])
}

// find returns the tape line that body's first row shows.
func (t *tape) find(body []row.Line) (at int, ok bool) {
	t.placed = PlacedFirst
	if len(t.lines) == 0 {
		return 0, true
	}
	t.placed = PlacedWrapped
	if len(body) > 0 && t.base < len(t.lines) && body[0].Cols != t.lines[len(t.lines)-1].Cols {
		at, within, ok := t.findRewrapped(body)
		t.join(at, within, body)
		return at, ok
	}
	for _, lo := range []int{t.base - len(body), 0} {
		lo = max(lo, 0)
		if at, ok := overlap(t.lines[lo:], body); ok && t.plausible(at+lo, body) {
			at += lo
			if t.otherWidth(at, body) {
				if p, within, ok := t.findRewrapped(body); ok && p < at {
					t.join(p, within, body)
					return p, true
				}
			}
			t.placed = PlacedOverlap
			return at, true
		}
		if lo == 0 {
			break
		}
	}
	t.placed = PlacedHead
	if at, ok := t.headStays(body); ok {
		return at, ok
	}
	t.placed = PlacedTable
	return t.findTable(body)
}

// plausible reports whether the window may show line at on its first row. Above where it was, one
// row in common is too little, if others are not: "Reading 1 file…" is said again.
func (t *tape) plausible(at int, body []row.Line) bool {
	if at >= t.base {
		return true
	}
	known := map[string]bool{}
	for _, l := range t.lines[at:] {
		known[l.Text] = true
	}
	same, total := int32(0), int32(0)
	for _, l := range body {
		w := weight(l)
		total += w
		if known[l.Text] {
			same += w
		}
	}
	return same == total || same >= 12
}

// otherWidth reports whether body, which overlaps the tape from line at on, begins with rows that
// the tape has not got there, and what is above was drawn at another width: it may be the same
// text.
func (t *tape) otherWidth(at int, body []row.Line) bool {
	if at < len(t.lines) && t.lines[at].Text == body[0].Text {
		return false
	}
	return slices.ContainsFunc(t.lines[max(0, at-len(body)):at], func(l row.Line) bool { return l.Text != "" && l.Cols != body[0].Cols })
}

// findTable finds body where a new row has widened a column of a table, so that all its rows were
// drawn again: by the letters in them.
func (t *tape) findTable(body []row.Line) (at int, ok bool) {
	cells := func(lines []row.Line) []row.Line {
		out := make([]row.Line, len(lines))
		for i, l := range lines {
			text := strings.Map(func(r rune) rune {
				if r == ' ' || r >= '─' && r <= '╿' {
					return -1
				}
				return r
			}, l.Text)
			out[i] = row.Line{Row: &vterm.Row{Text: text}}
		}
		return out
	}
	if !slices.ContainsFunc(body, func(l row.Line) bool {
		return strings.Contains(l.Text, " │ ") || strings.Contains(l.Text, "─  ─")
	}) {
		return 0, false
	}
	lo := max(0, t.base-len(body))
	at, ok = overlap(cells(t.lines[lo:]), cells(body))
	return lo + at, ok
}

// headStays finds body by its first rows if all below them was redrawn: a table that grows.
func (t *tape) headStays(body []row.Line) (at int, ok bool) {
	most := int32(0)
	for j := max(0, min(t.base, len(t.lines)-len(body))); j < len(t.lines); j++ {
		run := int32(0)
		for k := 0; k < len(body) && j+k < len(t.lines) && t.lines[j+k].Text == body[k].Text; k++ {
			run += weight(body[k])
		}
		if run >= 12 && run > most {
			at, ok, most = j, true, run
		}
	}
	return at, ok
}

// contains reports whether all of body is at line at, and the tape goes on below it.
func (t *tape) contains(at int, body []row.Line) bool {
	body = row.Trim(body)
	if at+len(body) >= len(row.Trim(t.lines)) {
		return false
	}
	miss := 0
	for i, l := range body {
		if t.lines[at+i].Text != l.Text {
			miss++
		}
	}
	return miss*10 <= len(body)
}

func equal(a, b row.Line) bool {
	if a.Row == b.Row {
		return true
	}
	if a.Text != b.Text || a.Wrapped != b.Wrapped || a.Blanks != b.Blanks || len(a.Runs) != len(b.Runs) || !slices.Equal(a.Marks, b.Marks) {
		return false
	}
	for i := range a.Runs {
		if a.Runs[i] != b.Runs[i] {
			return false
		}
	}
	return true
}

// overlap aligns body with old, rows of text weighing by their length, and returns the place in old
// where body begins. Rows may have changed, come or gone between the two; too little in common is
// no overlap.
func overlap(old, body []row.Line) (at int, ok bool) {
	if at, ok := leads(old, body); ok {
		return at, true
	}
	n, m := len(body), len(old)
	best := make([]int32, (n+1)*(m+1))
	total := int32(0)
	for i := n - 1; i >= 0; i-- {
		w := weight(body[i])
		total += w
		for j := m - 1; j >= 0; j-- {
			b := max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1])
			if w > 0 && body[i].Text == old[j].Text {
				b = max(b, w+best[(i+1)*(m+1)+j+1])
			}
			best[i*(m+1)+j] = b
		}
	}
	room := int32(0)
	for _, l := range old {
		room += weight(l)
	}
	if best[0]*5 < min(total, room) || best[0] == 0 {
		return 0, false
	}
	i, j := firstRun(old, body, best)
	if i > 0 && !redrawn(old, body, i, j) {
		return j, true
	}
	return max(j-i, 0), true
}

// leads finds where old goes on as body begins, row for row, either up to old's end or far enough
// to be trusted.
func leads(old, body []row.Line) (at int, ok bool) {
	most := int32(0)
	for j := range old {
		run := int32(0)
		k := 0
		for k < len(body) && j+k < len(old) && old[j+k].Text == body[k].Text {
			run += weight(body[k])
			k++
		}
		if run > most && (j+k == len(old) || k == len(body) || run >= 24) {
			at, ok, most = j, true, run
		}
	}
	return at, ok
}

// redrawn reports whether the first i rows of body, which are not in old, replace the i rows of old
// above j: a marker or a counter changed. Otherwise they came in between.
func redrawn(old, body []row.Line, i, j int) bool {
	same, rows := 0, 0
	for k := range i {
		if j-i+k < 0 {
			continue
		}
		if strings.TrimSpace(body[k].Text) == strings.TrimSpace(old[j-i+k].Text) {
			continue
		}
		rows++
		a, b := unmarked(body[k].Text), unmarked(old[j-i+k].Text)
		if n := len(commonStart(a, b)); n > 0 && n*2 >= min(len(a), len(b)) {
			same++
		}
	}
	return same*2 >= rows
}

// unmarked returns a row's text without what is before its first letter or digit: a bullet may
// blink, and a spinner turn.
func unmarked(text string) string {
	return strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// weight is how much a row says about its place.
func weight(l row.Line) int32 {
	n := int32(len(strings.TrimSpace(l.Text)))
	if n == 0 {
		return 0
	}
	return 2 + min(n, 40)/4
}

// firstRun walks the best alignment and returns the place of its first row that occurs only once,
// or of its first run that is long enough to be trusted, else of the heaviest run.
func firstRun(old, body []row.Line, best []int32) (i0, j0 int) {
	n, m := len(body), len(old)
	times := map[string]int{}
	for _, l := range old {
		times[l.Text]++
	}
	for _, l := range body {
		times[l.Text] += 1 << 16
	}
	si, sj, run, heaviest := 0, 0, int32(0), int32(0) // the run at hand
	for i, j := 0, 0; i < n && j < m; {
		b := best[i*(m+1)+j]
		w := weight(body[i])
		switch {
		case w > 0 && body[i].Text == old[j].Text && b == w+best[(i+1)*(m+1)+j+1]:
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
		case b == best[i*(m+1)+j+1]:
			j++
		default:
			i++
		}
	}
	return i0, j0
}

// findRewrapped finds body in a tape that was drawn at another width: by its letters, without the
// blanks. Body begins behind so many bytes of letters of the line at.
func (t *tape) findRewrapped(body []row.Line) (at, within int, ok bool) {
	lo, need := min(t.base, len(t.lines)), lettersBetween(body, 0, len(body))
	for lo > 0 && (t.base-lo < 200 || need > 0) { // a wider window may show again what needed many rows
		lo--
		need -= len(row.Letters(t.lines[lo].Text))
	}
	var text strings.Builder
	ends := make([]int, 0, len(t.lines)-lo) // ends[i]: letters up to the end of line lo+i
	for _, l := range t.lines[lo:] {
		text.WriteString(row.Letters(l.Text))
		ends = append(ends, text.Len())
	}
	half := len(body)/2 + 1
	pos, skipped := -1, 0
	for _, try := range []struct{ letters, rows int }{
		{400, half}, {200, 0}, {100, 0}, // what is short may be said again below
		{40, half},
	} {
		if pos < 0 {
			pos, skipped = place(text.String(), body, try.letters, try.rows)
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
	// Letters that are not on the tape belong below a gap, not to the line above it.
	for k := i; k < len(ends) && ends[k] <= pos+skipped; k++ {
		if k+1 < len(ends) && t.lines[lo+k+1].Lost {
			return lo + k + 1, 0, true
		}
	}
	if i == len(ends) {
		return lo + i, 0, true
	}
	return lo + i, pos - start, true
}

// join puts the beginning of the line at, so many bytes of letters, before a body that an agent
// wrapped again.
func (t *tape) join(at, within int, body []row.Line) {
	if within > 0 {
		t.mendAt, t.raw = at, body[0]
		body[0] = mend(t.lines[at], within, body[0])
		t.mended = body[0]
	}
}

// cutAt cuts the line at behind n bytes of letters, where the terminal has wrapped it now: rest
// goes on there. It returns the beginning.
func (t *tape) cutAt(at, n int, rest row.Line) row.Line {
	l := t.lines[at]
	head := headOf(l.Row, n)
	r := *l.Row
	r.Text, r.Runs = head.text, head.Runs
	behind := l.Text[min(len(head.text), len(l.Text)):]
	r.Blanks = row.Indent(behind) - row.Indent(rest.Text)
	if len(head.text) == len(l.Text) {
		r.Blanks += l.Blanks
		if at+1 < len(t.lines) {
			r.Blanks += row.Indent(t.lines[at+1].Text)
		}
	}
	r.Blanks = max(0, r.Blanks)
	r.Marks = slices.DeleteFunc(slices.Clone(r.Marks), func(m vterm.Mark) bool { return m.Col > head.width || m.Col == head.width && behind != "" })
	return row.Line{Row: &r, Cols: l.Cols}
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
		skipped += len(row.Letters(body[i].Text))
		if i >= rows {
			break
		}
	}
	return -1, 0
}

// mend returns the line whose first n letters are old's and whose rest is next.
func mend(old row.Line, n int, next row.Line) row.Line {
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
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(row.Letters(l.Text))
		if b.Len() >= n {
			return b.String()[:n]
		}
	}
	return b.String()
}
