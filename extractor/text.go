package extractor

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/ptyrec/ptyrec/vterm"
)

// The toolkit that all profiles share: body lines of one message in, Text and Markdown out.
//
//	body     a reply: blocks (text_block.go), unwrapped (text_wrap.go), written (text_write.go)
//	prompt   what a user typed: unwrapped, otherwise unchanged
//	verbatim a tool's output: rows as they are, soft wraps joined
//
// A look says how one agent draws all that. Columns count cells from 0; inside a body they count
// from its left edge.

// mark is a set of inline styles that Markdown can say.
type mark uint8

const (
	markBold mark = 1 << iota
	markItalic
	markStrike
	markCode
)

// look says how an agent draws the body of a message. Its zero value is plain text over the full
// width.
type look struct {
	Left   int    // columns at the left that are not content: the marker of the first line, blanks below it
	Right  int    // columns at the right that the agent leaves free; lines wrap at Cols-Left-Right cells
	Slack  int    // lines may be that much shorter than Right says: a line that goes on in lower case was wrapped then, too
	Breaks string // characters after which the agent also cuts a word at the edge, such as "-"
	Points bool   // words are as wide as vterm.Points has them
	Ideo   bool   // Chinese and Japanese are cut between any two characters, not only at blanks
	// Seam knows the agent's own ways to cut a line in two; where it does not (false), the
	// rules of all agents hold.
	Seam func(a, b *textLine) (seam, bool)

	// Marks tells what a run's style means within a paragraph; nil: bold, italic and
	// strikethrough, no code.
	Marks func(s vterm.Style) mark
	// CodePad is the character that the agent draws before and after inline code, if any.
	CodePad string
	// Item reads a list item's marker at the start of a line (see listItem, the default). Veto
	// by style here.
	Item func(l *textLine) (item, bool)
	// Heading is the level of a heading's line, 0 where it is none. A line of `#` signs left
	// standing keeps their number.
	Heading func(l *textLine) int
	// Quote is the width of the quote mark at the start of a line, such as "▎ "; ok reports
	// whether the line is quoted at all.
	Quote func(l *textLine) (width int, ok bool)
	// QuoteMarks are the styles that a quote has anyway, so that they are no marks in it.
	QuoteMarks mark
	// Code tells how many of the lines, from the first, are a code block: 0 where none begins
	// there. It may reach over blank lines; blank lines at its end don't count. See codeRun.
	Code func(ls []textLine) (n int, lang string)
	// GoesOn reports whether the text of line a goes on with line b, which looks like code by
	// itself. nil: it never does.
	GoesOn func(a, b *textLine) bool
	// CodeLeft is the column of the code's left edge in the body.
	CodeLeft int
	// CodeOutdents: code in a list item is at the body's left edge all the same. It belongs to
	// the item where the list goes on right below it, without a blank line.
	CodeOutdents bool
	// CodeTabs: tabs of code are written as such at column Left, so that they reach to the
	// terminal's tab stops.
	CodeTabs bool
	// Gutter reads a line number at the start of a code line: its width in columns, with the
	// blank after it, and the number. A code line that was wrapped goes on below an empty
	// gutter.
	Gutter func(l *textLine) (width, n int, ok bool)
	// Rule reports whether a line is a horizontal rule (see ruleLine, the default).
	Rule func(l *textLine) bool
	// Table reads a table in a form of the agent's own from the lines' start; n is 0 if there
	// is none. Tables drawn with ┌┬┐ boxes or with ━━ rulers are read without it.
	Table func(ls []textLine) (rows [][]cell, n int)
	// Border reports whether the first lines, in box characters, can be the top of a table, and
	// are not code. nil: they always can.
	Border func(ls []textLine) bool
	// WholeCells: words are cut in a table's cells only where all columns are narrower than
	// their longest word.
	WholeCells bool
}

// span is a piece of a line in one style.
type span struct {
	text  string
	width int // cells
	style vterm.Style
	mark  mark
}

// cell is the content of a table's cell.
type cell []span

// textLine is one line of a body: soft wraps joined, cut to the body's columns.
type textLine struct {
	spans   []span // from column 0, blanks between included, none at the end
	text    string // of all spans
	indent  int    // blanks at its start
	width   int    // cells, indent included
	room    int    // cells that a line could have
	at      int    // index of its first row among the lines given
	wrapped bool   // put together from rows that the terminal wrapped
	lost    bool   // the rows above it were never on the screen
	note    uint16 // what a look keeps of the line, so as to find it out once; 0: nothing
}

func (l *textLine) blank() bool { return l.width == 0 }

// first is the style of the first character that is no blank.
func (l *textLine) first() vterm.Style {
	for _, s := range l.spans {
		if strings.TrimLeft(s.text, " ") != "" {
			return s.style
		}
	}
	return vterm.Style{}
}

// all reports whether every character that is no blank has a style for which ok holds.
func (l *textLine) all(ok func(vterm.Style) bool) bool {
	for _, s := range l.spans {
		if strings.TrimLeft(s.text, " ") != "" && !ok(s.style) {
			return false
		}
	}
	return !l.blank()
}

// from is the line's part from a column on, as a line of its own.
func (l *textLine) from(col int) textLine {
	n := *l
	n.spans = cutSpans(l.spans, col, l.width)
	n.room = l.room - col
	n.measure()
	return n
}

// measure sets text, width and indent by the spans, and drops blanks at the end.
func (l *textLine) measure() {
	for len(l.spans) > 0 {
		s := &l.spans[len(l.spans)-1]
		t := strings.TrimRight(s.text, " ")
		if t == s.text {
			break
		}
		if t != "" {
			c := *s // spans may be shared with another line
			c.width -= len(s.text) - len(t)
			c.text = t
			l.spans = append(append([]span{}, l.spans[:len(l.spans)-1]...), c)
			break
		}
		l.spans = l.spans[:len(l.spans)-1]
	}
	l.text, l.width, l.note = spansText(l.spans), spansWidth(l.spans), 0
	l.indent = len(l.text) - len(strings.TrimLeft(l.text, " "))
}

// textLines cuts rows to the body's columns and joins what the terminal wrapped.
func (lk *look) textLines(lines []Line) []textLine {
	out := make([]textLine, 0, len(lines))
	for i, l := range lines {
		if l.Row == nil {
			continue
		}
		room := l.Cols - lk.Left - lk.Right
		if l.Wrapped && i > 0 && len(out) > 0 {
			p := &out[len(out)-1]
			p.spans = append(append(p.spans[:len(p.spans):len(p.spans)], wrapGap(lines[i-1])...), cutRow(l.Row, 0, -1, lk.marks)...)
			p.wrapped = true
			p.measure()
			if p.width > p.room {
				p.room = p.width
			}
			continue
		}
		t := textLine{spans: cutRow(l.Row, lk.Left, -1, lk.marks), room: room, at: i, lost: l.lost}
		t.measure()
		out = append(out, t)
	}
	return out
}

// wrapGap is the blanks that were written at the end of a row which the terminal wrapped: its text
// comes without them.
func wrapGap(a Line) []span {
	if a.Blanks <= 0 {
		return nil
	}
	return []span{{text: blanks(a.Blanks), width: a.Blanks}}
}

func (lk *look) marks(s vterm.Style) mark {
	if lk.Marks != nil {
		return lk.Marks(s)
	}
	return plainMarks(s)
}

// plainMarks reads the marks that every agent draws alike.
func plainMarks(s vterm.Style) mark {
	var m mark
	if s.Bold {
		m |= markBold
	}
	if s.Italic {
		m |= markItalic
	}
	if s.Strikethrough {
		m |= markStrike
	}
	return m
}

// cutRow is a row's cells [from, to) as spans; to < 0: up to its end.
func cutRow(r *vterm.Row, from, to int, marks func(vterm.Style) mark) []span {
	spans := make([]span, 0, len(r.Runs))
	col := 0
	for _, run := range r.Runs {
		if run.Col > col {
			spans = append(spans, span{text: blanks(run.Col - col), width: run.Col - col})
		}
		col = run.Col + run.Width
		spans = append(spans, span{text: run.Text, width: run.Width, style: run.Style, mark: marks(run.Style)})
	}
	if to < 0 {
		to = col
	}
	return appendCut(spans[:0], spans, from, to)
}

// cutSpans is the columns [from, to) of spans. A wide character that is cut in two is left out.
func cutSpans(spans []span, from, to int) []span {
	return appendCut(make([]span, 0, len(spans)), spans, from, to)
}

// appendCut appends the columns [from, to) of spans to out, which may be spans[:0].
func appendCut(out, spans []span, from, to int) []span {
	col := 0
	for _, s := range spans {
		a, b := col, col+s.width
		col = b
		if b <= from || a >= to {
			continue
		}
		if a < from || b > to {
			s = cutSpan(s, max(from-a, 0), min(to, b)-a)
		}
		if s.text != "" {
			out = append(out, s)
		}
	}
	return out
}

// cutSpan is the columns [from, to) of one span.
func cutSpan(s span, from, to int) span {
	if len(s.text) == s.width {
		s.text, s.width = s.text[from:to], to-from
		return s
	}
	g := displaywidth.StringGraphemes(s.text)
	points := displaywidth.String(s.text) != s.width
	col, pos, start, end := 0, 0, -1, 0
	for g.Next() {
		w, n := g.Width(), len(g.Value())
		if points {
			w = vterm.PointsWidth(g.Value())
		}
		if col >= from && col+w <= to {
			if start < 0 {
				start = pos
			}
			end = pos + n
		}
		col += w
		pos += n
	}
	if start < 0 {
		s.text, s.width = "", 0
		return s
	}
	s.text = s.text[start:end]
	s.width = textWidth(s.text)
	if points {
		s.width = vterm.PointsWidth(s.text)
	}
	return s
}

func spansText(spans []span) string {
	if len(spans) == 1 {
		return spans[0].text
	}
	var b strings.Builder
	b.Grow(spansLen(spans))
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// spansLen returns len(spansText(spans)).
func spansLen(spans []span) int {
	n := 0
	for i := range spans {
		n += len(spans[i].text)
	}
	return n
}

func spansWidth(spans []span) int {
	n := 0
	for _, s := range spans {
		n += s.width
	}
	return n
}

// textWidth is a text's width in cells.
func textWidth(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return displaywidth.String(s)
		}
	}
	return len(s)
}

// wordWidth returns a word's width in cells, as the agent takes it.
func (lk *look) wordWidth(s string) int {
	if lk.Points {
		return vterm.PointsWidth(s)
	}
	return textWidth(s)
}

// rowWidth is the number of cells up to a row's last character.
func rowWidth(r *vterm.Row) int { return textWidth(r.Text) }

const manyBlanks = "                                                                                "

func blanks(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(manyBlanks) {
		return manyBlanks[:n]
	}
	return strings.Repeat(" ", n)
}

// cutLines returns the columns [from, to) of lines, as lines: what is in a box or beside a margin.
// to < 0: to their ends; else the window counts as that much narrower.
func cutLines(lines []Line, from, to int) []Line {
	out := make([]Line, len(lines))
	for i, l := range lines {
		out[i] = cutLine(l, from, to)
	}
	return out
}

func cutLine(l Line, from, to int) Line {
	none := func(vterm.Style) mark { return 0 }
	r := &vterm.Row{Wrapped: l.Wrapped}
	if to < 0 {
		r.Blanks = l.Blanks
	}
	col := 0
	for _, s := range cutRow(l.Row, from, to, none) {
		r.Runs = append(r.Runs, vterm.Run{Text: s.text, Col: col, Width: s.width, Style: s.style})
		r.Text += s.text
		col += s.width
	}
	r.Text = strings.TrimRight(r.Text, " ")
	cols := l.Cols - from
	if to >= 0 {
		cols = to - from
	}
	return Line{Row: r, Cols: cols}
}
