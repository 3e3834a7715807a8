package agentapi

import (
	"maps"
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
	left   []line          // rows that scrolled off since the prompt
	before map[string]bool // rows that the screen had at the prompt
	last   string          // the last row with text at the prompt: the program's own prompt, perhaps
	sent   []string        // the lines of the prompt
}

// line is a row of the screen.
type line struct {
	text    string
	blanks  int  // behind the text
	wrapped bool // it continues the row above
}

func lineOf(r *vterm.Row) line { return line{r.Text, r.Blanks, r.Wrapped} }

func newPage(cols, rows int) *page {
	return &page{term: vterm.New(vterm.Options{Cols: cols, Rows: rows, Scrollback: -1}), before: map[string]bool{}}
}

// write takes output.
func (p *page) write(data []byte) {
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
		p.before, p.last, p.sent = was.before, was.last, was.sent
	}
	p.left, p.before, p.last = nil, map[string]bool{}, ""
	if agent {
		maps.Copy(p.before, was.before)
	}
	for _, row := range p.term.Snapshot().Lines {
		p.before[row.Text] = true
		if strings.TrimSpace(row.Text) != "" {
			p.last = row.Text
		}
	}
	p.sent = strings.Split(text, "\n")
	return undo
}

// text returns what appeared since the prompt, without the prompt's echo.
func (p *page) text() string {
	rows := p.lines()
	from := slices.IndexFunc(rows, func(row string) bool { return !p.before[row] })
	if from < 0 {
		return ""
	}
	rows = rows[from:]
	rows = p.withoutEcho(rows)
	for len(rows) > 0 && (strings.TrimSpace(rows[len(rows)-1]) == "" || p.last != "" && rows[len(rows)-1] == p.last) {
		rows = rows[:len(rows)-1]
	}
	for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
		rows = rows[1:]
	}
	return strings.Join(rows, "\n")
}

// lines returns the logical lines since the prompt, those of the screen included.
func (p *page) lines() []string {
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
	for _, row := range p.term.Snapshot().Lines {
		add(lineOf(row))
	}
	return lines
}

// withoutEcho removes the lines of the prompt from the beginning of rows: the program or its
// terminal shows what is typed, perhaps behind a prompt of its own.
func (p *page) withoutEcho(rows []string) []string {
	for _, line := range p.sent {
		line = strings.TrimSpace(line)
		if len(rows) == 0 || line == "" || !strings.HasSuffix(strings.TrimSpace(rows[0]), line) {
			return rows
		}
		rows = rows[1:]
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
