// Package markdown makes text and Markdown of the rows of one message, however an agent draws them.
//
//	Render   a reply: blocks (block.go), unwrapped (wrap.go), written (write.go)
//	Prompt   what a user typed: unwrapped, otherwise unchanged
//	Verbatim a tool's output: rows as they are, soft wraps joined
//
// A Style says how an agent draws all that. Columns count cells from 0; inside a body they count
// from its left edge.
package markdown

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// Style says how an agent draws the body of a message. Its zero value is plain text over the full
// width.
type Style struct {
	Left  int // columns at the left that are not content: the marker of the first line, blanks below it
	Right int // columns at the right that the agent leaves free; lines wrap at Cols-Left-Right cells
	Slack int // lines may be that much shorter than Right says: a line that goes on in lower case was wrapped then, too
	// Seam knows the agent's own ways to cut a line in two, where what is wrapped begins at column
	// hang; where it does not (false), the rules of all agents hold.
	Seam func(a, b *Line, hang int) (Seam, bool)

	// MarkCells: some versions count a mark of Arabic as a cell. Where they put the cursor behind
	// such marks, there are as many blank cells as marks, which do not belong to the text.
	MarkCells bool

	// Marks returns what a run's style means within a paragraph; nil: bold, italic and
	// strikethrough, no code.
	Marks func(s vterm.Style) row.Mark
	// Item reads a list item's marker at the start of a line (see ListItem, the default). Veto
	// by style here.
	Item func(l *Line) (Item, bool)
	// Heading returns the level of a heading's line, or 0 if the line is no heading. A line
	// that still has its `#` signs keeps their number.
	Heading func(l *Line) int
	// HeadingGap: a line is a heading only if a blank line follows it.
	HeadingGap bool
	// Quote is the width of the quote mark at the start of a line, such as "▎ "; ok reports
	// whether the line is quoted at all.
	Quote func(l *Line) (width int, ok bool)
	// QuoteMarks are the styles that a quote has anyway, so that they are no marks in it.
	QuoteMarks row.Mark
	// Code returns how many of the lines, from the first, are a code block: 0 if no block
	// begins there. A block may contain blank lines, but does not end with one. See CodeRun.
	Code func(ls []Line) int
	// Announced is asked where Code found no block, below a block that ends with a colon. nil: nothing
	// is code because it was announced.
	Announced func(ls []Line) int
	// Language reports whether the first line of a code block is not code but the name of the
	// code's language. nil: it never is.
	Language func(ls []Line) bool
	// CodeTabs: tabs of code are written as such at column Left, so that they reach to the
	// terminal's tab stops.
	CodeTabs bool
	// CodeBlanks: tabs of code are drawn as blanks, up to tab stops that count from the code's edge.
	CodeBlanks bool
	// CodeHangs: what is wrapped of a code line may begin below the line's first character.
	CodeHangs bool
	// Gutter reads a line number at the start of a code line: its width in columns, with the
	// blank after it, and the number, 0 if it has none. A code line that was wrapped goes on
	// below an empty gutter.
	Gutter func(l *Line) (width, n int)
	// Table reads a table in a form of the agent's own from the lines' start; n is 0 if no
	// table begins there. Tables drawn with ┌┬┐ boxes or with ━━ rulers are read without it.
	Table func(ls []Line) (rows [][]Cell, n int)
	// WholeCells: words are cut in a table's cells only where all columns are narrower than
	// their longest word.
	WholeCells bool
	// Border reports whether the first lines, in box characters, can be the top of a table, and
	// are not code. nil: they always can.
	Border func(ls []Line) bool
}

// Cell is the content of a table's cell.
type Cell []row.Span

// Line is one line of a body: soft wraps joined, cut to the body's columns.
type Line struct {
	Spans   []row.Span // from column 0, blanks between included, none at the end
	Text    string     // of all spans
	Indent  int        // blanks at its start
	Width   int        // cells, indent included
	Room    int        // cells that a line could have
	At      int        // index of its first row among the lines given
	Wrapped bool       // put together from rows that the terminal wrapped
	Cell    bool       // of a table's cell
	Spaced  bool       // one blank in the style of its end follows: it was wrapped there, if agents paint it
	Bare    bool       // blanks in another style follow: no blank of its own does
	lost    bool       // the rows above it were never on the screen
	Note    uint16     // what a look keeps of the line, so as to find it out once; 0: nothing
}

// Blank reports whether nothing is on the line.
func (l *Line) Blank() bool { return l.Width == 0 }

// First is the style of the first character that is no blank.
func (l *Line) First() vterm.Style { return l.StyleOf(l.Indent) }

// All reports whether every character that is no blank has a style for which ok holds.
func (l *Line) All(ok func(vterm.Style) bool) bool {
	for _, s := range l.Spans {
		if strings.TrimLeft(s.Text, " ") != "" && !ok(s.Style) {
			return false
		}
	}
	return !l.Blank()
}

// From is the line's part from a column on, as a line of its own.
func (l *Line) From(col int) Line {
	n := *l
	n.Spans = row.Cut(l.Spans, col, l.Width)
	n.Room = l.Room - col
	n.Measure()
	return n
}

// content returns the line's spans without the indent.
func (l *Line) content() []row.Span { return row.Cut(l.Spans, l.Indent, l.Width) }

// Indented returns the line from a column on, behind as many blanks as given.
func (l *Line) Indented(col, blanks int) Line {
	n := *l
	n.Spans = append(make([]row.Span, 0, 1+len(l.Spans)), row.Span{Text: row.Blanks(blanks), Width: blanks})
	n.Spans = row.AppendCut(n.Spans, l.Spans, col, l.Width)
	n.Measure()
	return n
}

// Measure sets text, width and indent by the spans, and drops blanks at the end.
func (l *Line) Measure() {
	text := row.Text(l.Spans)
	l.Text, l.Width, l.Note = strings.TrimRight(text, " "), row.SpansWidth(l.Spans), 0
	if blanks := len(text) - len(l.Text); blanks > 0 {
		l.Width -= blanks
		l.Spans = row.Cut(l.Spans, 0, l.Width)
	}
	l.Indent = row.Indent(l.Text)
}

// Lines cuts rows to the body's columns and joins what the terminal wrapped.
func (lk *Style) Lines(lines []row.Line) []Line {
	out := make([]Line, 0, len(lines)+1) // one for a blank line at the end
	for i, l := range lines {
		room := l.Cols - lk.Left - lk.Right
		if l.Wrapped && len(out) > 0 {
			p, blanks := &out[len(out)-1], lines[i-1].Blanks // which belong to the line: its text comes without them
			p.Spans = append(slices.Clip(p.Spans), row.Span{Text: row.Blanks(blanks), Width: blanks})
			p.Spans = append(p.Spans, row.Spans(l.Row, 0, -1, lk.Marks)...)
			p.Wrapped = true
			p.Measure()
			p.Room = max(p.Room, p.Width)
			continue
		}
		t := Line{Spans: row.Spans(l.Row, lk.Left, -1, lk.Marks), Room: room, At: i, lost: l.Lost}
		if lk.MarkCells {
			closeGaps(t.Spans)
		}
		t.Spaced, t.Bare = ending(t.Spans)
		t.Measure()
		out = append(out, t)
	}
	return out
}

// closeGaps takes blanks out of texts that are there because marks of Arabic were counted as cells.
func closeGaps(spans []row.Span) {
	for i := range spans {
		s := &spans[i]
		if !strings.ContainsFunc(s.Text, combines) {
			continue
		}
		marks := 0
		s.Text = gaps().ReplaceAllStringFunc(s.Text, func(part string) string {
			word := strings.TrimRight(part, " ")
			for _, r := range word {
				if combines(r) {
					marks++
				}
			}
			switch blanks := len(part) - len(word); {
			case blanks < 2:
			case blanks == marks:
				marks, part = 0, word
			case blanks == marks+1:
				marks, part = 0, word+" "
			}
			return part
		})
		s.Width = row.Width(s.Text)
	}
}

// gaps matches a word and the blanks behind it.
var gaps = lazy.Regexp(`[^ ]+ *`)

// combines reports whether a character is one of Arabic's marks, which are drawn into the cell
// before them.
func combines(r rune) bool { return unicode.Is(arabicMarks, r) }

var arabicMarks = &unicode.RangeTable{R16: []unicode.Range16{
	{0x610, 0x61a, 1}, {0x64b, 0x65f, 1}, {0x670, 0x670, 1}, {0x6d6, 0x6dc, 1}, {0x6df, 0x6e4, 1}, {0x6e7, 0x6e8, 1}, {0x6ea, 0x6ed, 1},
}}

// ending reports whether one blank follows the last character, or none, before the blanks that fill
// the row. These are in another colour, if agents paint them.
func ending(spans []row.Span) (spaced, bare bool) {
	blank := func(s row.Span) bool { return strings.Trim(s.Text, " ") == "" }
	n := len(spans)
	for n > 1 && blank(spans[n-1]) && spans[n-1].Style.Fg == spans[len(spans)-1].Style.Fg {
		n--
	}
	t := row.Text(spans[max(0, n-2):n]) // each has text: more of them say nothing
	blanks := len(t) - len(strings.TrimRight(t, " "))
	return blanks == 1, blanks == 0 && n < len(spans)
}

// StyleOf is the style of a line's byte.
func (l *Line) StyleOf(at int) (st vterm.Style) {
	for _, s := range l.Spans {
		if at < len(s.Text) {
			return s.Style
		}
		at -= len(s.Text)
	}
	return st
}
