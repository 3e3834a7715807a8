package agentapi

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// maxLeft is how many rows that left the screen since the prompt are kept.
const maxLeft = 20_000

// page is what a program shows that is no known agent: its screen, and the rows that left it since
// the last prompt.
type page struct {
	term   *vterm.Term
	left   []line   // rows that scrolled off since the prompt
	before []string // the lines above the input area at the prompt
	covers []string // the same of a prompt that was sent before an agent covered it
	area   area     // the input area at the prompt
	sent   []string // the lines of the prompt
	wrote  bool     // there was output since the prompt
}

// line is a row of the screen.
type line struct {
	text    string
	blanks  int  // behind the text
	wrapped bool // it continues the row above
}

func lineOf(r *vterm.Row) line { return line{r.Text, r.Blanks, r.Wrapped} }

func newPage(cols, rows int) *page {
	return &page{term: vterm.New(vterm.Options{Cols: cols, Rows: rows, Scrollback: -1})}
}

// write takes output.
func (p *page) write(data []byte) {
	p.wrote = true
	const step = 4 << 10 // fewer rows than the terminal keeps for us leave within it
	for len(data) > 0 {
		n := min(step, len(data))
		_, _ = p.term.Write(data[:n]) // never fails
		data = data[n:]
		for _, h := range p.term.TakeHistory() {
			if h.Kind == vterm.Scrolled && len(p.left) < maxLeft {
				p.left = append(p.left, lineOf(h.Row))
			}
		}
	}
}

// mark says that a prompt is typed now. If it is not, undo must be called. An agent may cover rows
// that show again when it is left.
func (p *page) mark(text string, agent bool) (undo func()) {
	was := *p
	undo = func() {
		p.left = append(was.left, p.left...)
		p.before, p.covers, p.area, p.sent = was.before, was.covers, was.area, was.sent
	}
	p.left, p.covers, p.wrote = nil, nil, false
	if agent {
		p.covers = slices.Concat(was.covers, was.before)
	}
	now := areaOf(p.term.Snapshot(), p.area, true)
	p.before = withoutBlanks(p.lines(now.top))
	p.area, p.sent = now, strings.Split(text, "\n")
	return undo
}

// text returns what appeared since the prompt, without the prompt's echo and the place for the next
// one.
func (p *page) text() string {
	rows := p.lines(areaOf(p.term.Snapshot(), p.area, false).top)
	rows = p.withoutEcho(trimmed(p.since(withoutBlanks(rows))))
	return strings.Join(trimmed(rows), "\n")
}

// trimmed returns rows without the blank ones at both ends.
func trimmed(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
		rows = rows[1:]
	}
	return withoutBlanks(rows)
}

// withoutBlanks returns rows without the blank ones at the end.
func withoutBlanks(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// since returns the rows that were not there at the prompt. Those above the input area that go
// along with it, such as a status, are left out.
func (p *page) since(rows []string) []string {
	head := 0
	for head < min(len(p.before), len(rows)) && p.before[head] == rows[head] {
		head++
	}
	rest := p.before[head:]
	if len(rest) == 0 && head == len(rows) {
		return p.behindEcho(rows)
	}
	if above := len(rows) - len(rest); above >= head && len(rest) <= maxStatus && equalButDigits(rest, rows[above:]) {
		return rows[head:above]
	}
	for n := min(len(rest), len(rows)-head); n >= 0; n-- { // a program that has all of the screen scrolls them away
		if n > 0 && slices.Equal(rest[len(rest)-n:], rows[head:head+n]) || len(rest) == 0 {
			return rows[head+n:]
		}
	}
	first := slices.IndexFunc(rows, func(row string) bool {
		return !slices.Contains(p.before, row) && !slices.Contains(p.covers, row)
	})
	if first < 0 {
		return nil
	}
	return rows[first:]
}

func equalButDigits(a, b []string) bool {
	return slices.EqualFunc(a, b, func(a, b string) bool { return withoutDigits(a) == withoutDigits(b) })
}

// behindEcho returns the rows behind the newest one that shows the prompt: a program that has all
// of the screen shows the same again for the same prompt.
func (p *page) behindEcho(rows []string) []string {
	want := letters(strings.Join(p.sent, ""))
	for i := len(rows) - 1; i >= 0 && want != "" && p.wrote; i-- {
		if letters(rows[i]) == want {
			return rows[i:]
		}
	}
	return nil
}

// lines returns the logical lines since the prompt, those of the screen's first rows included.
func (p *page) lines(rows int) []string {
	lines, blanks := make([]string, 0, len(p.left)), 0
	add := func(l line) {
		if l.wrapped && len(lines) > 0 {
			lines[len(lines)-1] += strings.Repeat(" ", blanks) + l.text
		} else {
			lines = append(lines, l.text)
		}
		blanks = l.blanks
	}
	for _, l := range p.left {
		add(l)
	}
	for _, row := range p.term.Snapshot().Lines[:rows] {
		add(lineOf(row))
	}
	return lines
}

// withoutEcho removes the lines of the prompt from the beginning of rows: the program or its
// terminal shows what is typed, perhaps behind a prompt of its own, or wrapped, or in a box.
func (p *page) withoutEcho(rows []string) []string {
	rest := rows
	for _, line := range p.sent {
		line = strings.TrimSpace(line)
		if len(rest) == 0 || line == "" || !strings.HasSuffix(strings.TrimSpace(rest[0]), line) {
			return withoutWords(rows, letters(strings.Join(p.sent, "")))
		}
		rest = rest[1:]
	}
	return rest
}

// withoutWords removes the rows at the beginning that have these letters and no others.
func withoutWords(rows []string, want string) []string {
	shown, boxed := "", false
	for i, row := range rows {
		shown += letters(row)
		boxed = boxed || isSide(strings.TrimSpace(row))
		switch {
		case want == "" || !strings.HasPrefix(want, shown):
			return rows
		case shown == want && boxed && i+1 < len(rows) && isLine(strings.TrimSpace(rows[i+1])): // of a box around it
			return rows[i+2:]
		case shown == want:
			return rows[i+1:]
		}
	}
	return rows
}

// screen returns the rows of the screen, without the blanks at their ends and below.
func (p *page) screen() string {
	var b strings.Builder
	for i, row := range p.term.Snapshot().Lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(row.Text)
	}
	return strings.TrimRight(b.String(), " \t\r\n")
}
