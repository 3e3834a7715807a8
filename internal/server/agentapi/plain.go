package agentapi

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// maxLeft is the maximum number of rows to keep that scrolled off the screen since the prompt.
const maxLeft = 20_000

// page reads the replies of an unknown program from its screen. A reply is what the program has
// shown since the last prompt was typed.
type page struct {
	term    *vterm.Term
	left    []line   // rows that have scrolled off the screen since the prompt
	sent    []string // lines of the prompt
	area    area     // the input area when the prompt was typed
	before  []string // lines above the input area when the prompt was typed
	covered []string // lines above the input area at earlier prompts, which an agent covers until it ends
	wrote   bool     // whether the program has written since the prompt
}

// line is a row of the screen.
type line struct {
	text    string
	blanks  int  // number of blanks after the text
	wrapped bool // whether it continues the row above
}

func lineOf(r *vterm.Row) line { return line{r.Text, r.Blanks, r.Wrapped} }

func newPage(cols, rows int) *page {
	return &page{term: vterm.New(vterm.Options{Cols: cols, Rows: rows, Scrollback: -1})}
}

// write adds output of the program.
func (p *page) write(data []byte) {
	p.wrote = true
	const step = 4 << 10 // few enough bytes that the terminal keeps all rows that scroll off
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

// mark starts the reply to a prompt, which is typed next. If typing fails, undo must be called.
// agent means that an agent was started: it may cover rows that are shown again when it ends.
func (p *page) mark(text string, agent bool) (undo func()) {
	was := *p
	undo = func() {
		p.left = append(was.left, p.left...)
		p.before, p.covered, p.area, p.sent = was.before, was.covered, was.area, was.sent
	}
	p.left, p.covered, p.wrote = nil, nil, false
	if agent {
		p.covered = slices.Concat(was.covered, was.before)
	}
	p.before, p.area = p.above(true)
	p.sent = strings.Split(text, "\n")
	return undo
}

// text returns the reply to the prompt, without the prompt's echo and the input area.
func (p *page) text() string {
	rows, _ := p.above(false)
	rows = p.withoutEcho(trimmed(p.since(rows)))
	return strings.Join(trimmed(rows), "\n")
}

// trimmed removes the blank rows at both ends.
func trimmed(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
		rows = rows[1:]
	}
	return withoutBlanks(rows)
}

// withoutBlanks removes the blank rows at the end.
func withoutBlanks(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// since returns the rows that were added since the prompt, without those that keep their place
// above the input area, such as a status.
func (p *page) since(rows []string) []string {
	head := 0 // rows that have not changed
	for head < min(len(p.before), len(rows)) && p.before[head] == rows[head] {
		head++
	}
	rest := p.before[head:]
	if len(rest) == 0 && head == len(rows) {
		return p.afterEcho(rows)
	}
	if above := len(rows) - len(rest); above >= head && len(rest) <= maxStatus && equalButDigits(rest, rows[above:]) {
		return rows[head:above]
	}
	for n := min(len(rest), len(rows)-head); n > 0; n-- { // a full-screen program has scrolled them up
		if slices.Equal(rest[len(rest)-n:], rows[head:head+n]) {
			return rows[head+n:]
		}
	}
	first := slices.IndexFunc(rows, func(row string) bool {
		return !slices.Contains(p.before, row) && !slices.Contains(p.covered, row)
	})
	if first < 0 {
		return nil
	}
	return rows[first:]
}

// equalButDigits reports whether rows differ only in digits, as counters do.
func equalButDigits(a, b []string) bool {
	return slices.EqualFunc(a, b, func(a, b string) bool { return withoutDigits(a) == withoutDigits(b) })
}

// afterEcho returns the rows from the last one that shows the prompt. If the same prompt is typed
// again, a full-screen program may show the same rows again.
func (p *page) afterEcho(rows []string) []string {
	want := letters(strings.Join(p.sent, ""))
	for i := len(rows) - 1; i >= 0 && want != "" && p.wrote; i-- {
		if letters(rows[i]) == want {
			return rows[i:]
		}
	}
	return nil
}

// above finds the input area, see areaOf. It returns the lines above it, including those that
// scrolled off since the prompt, without blank ones at the end.
func (p *page) above(waits bool) (lines []string, a area) {
	s := p.term.Snapshot()
	a = areaOf(s, p.area, waits)
	lines, blanks := make([]string, 0, len(p.left)+a.top), 0
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
	for _, row := range s.Lines[:a.top] {
		add(lineOf(row))
	}
	return withoutBlanks(lines), a
}

// withoutEcho removes the echo of the prompt from the start of rows. The program may have put its
// own prompt before it, wrapped it, or drawn a box around it.
func (p *page) withoutEcho(rows []string) []string {
	rest := rows
	for _, line := range p.sent {
		line = strings.TrimSpace(line)
		if len(rest) == 0 || line == "" || !strings.HasSuffix(strings.TrimSpace(rest[0]), line) {
			return withoutLetters(rows, letters(strings.Join(p.sent, "")))
		}
		rest = rest[1:]
	}
	return rest
}

// withoutLetters removes rows from the start that have exactly these letters, and the rest of the
// box around them.
func withoutLetters(rows []string, want string) []string {
	shown, boxed := "", false
	for i, row := range rows {
		shown += letters(row)
		boxed = boxed || isSide(strings.TrimSpace(row))
		switch {
		case want == "" || !strings.HasPrefix(want, shown):
			return rows
		case shown == want && boxed && i+1 < len(rows) && isLine(strings.TrimSpace(rows[i+1])):
			return rows[i+2:]
		case shown == want:
			return rows[i+1:]
		}
	}
	return rows
}

// screen returns the text of the screen, without blanks at its end.
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
