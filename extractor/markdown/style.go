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

// Style describes how an agent draws the body of a message. Its zero value is plain text over the
// full width.
type Style struct {
	Left  int // number of columns at the left that are not content: the marker of the first line, blanks below it
	Right int // number of columns at the right that the agent leaves free; lines wrap at Cols-Left-Right cells
	Slack int // lines may be this much shorter than Right says if the next one begins in lower case
	// Seam recognises the agent's own ways of cutting a line in two. hang is the column at which
	// wrapped lines begin. If ok is false, the rules for all agents apply.
	Seam func(a, b *Line, hang int) (Seam, bool)

	// MarkCells means that some versions count a mark of Arabic as a cell. Where they put the
	// cursor after such marks, there are as many blank cells as marks, which do not belong to the
	// text.
	MarkCells bool

	// SkipsBlanks means that the agent moves the cursor over a blank instead of drawing it, so that
	// its style says nothing: a blank between two words of code may belong to one code span.
	SkipsBlanks bool

	// Marks converts the style of a run within a paragraph. If it is nil, bold, italic and
	// strikethrough are recognised, but not code.
	Marks func(s vterm.Style) row.Mark
	// Item parses a list item's marker at the start of a line (see ListItem, the default). It can
	// reject one by its style.
	Item func(l *Line) (Item, bool)
	// Heading returns the level of a heading, or 0 if the line is not a heading. The level of a
	// line with `#` signs is their number.
	Heading func(l *Line) int
	// HeadingGap means that a line is a heading only if a blank line follows it.
	HeadingGap bool
	// Quote returns the width of the quote mark at the start of a line, such as "▎ ". ok reports
	// whether the line is quoted.
	Quote func(l *Line) (width int, ok bool)
	// QuoteMarks are the styles of every quote, so they are not marks in it.
	QuoteMarks row.Mark
	// Code returns how many of the lines, from the first, are a code block, or 0 if no block begins
	// there. A block may contain blank lines, but does not end with one. See CodeRun.
	Code func(ls []Line) int
	// Announced is asked where Code found no block, below a block that ends with a colon. nil: nothing
	// is code because it was announced.
	Announced func(ls []Line) int
	// Fence reports whether a line is a fence, if the agent draws fences around code. The code is
	// indented by two columns from its fences, except for the rest of lines that the agent wrapped.
	// If it is set, Code and Announced are not used.
	Fence func(l *Line) bool
	// FenceTab is the number of blanks that the agent draws for a tab of such code; 0: it draws tabs.
	FenceTab int
	// Language reports whether the first line of a code block is not code but the name of the
	// code's language. nil means that it never is.
	Language func(ls []Line) bool
	// CodeTabs means that tabs of code are written as tabs at column Left, so that they reach the
	// terminal's tab stops.
	CodeTabs bool
	// CodeBlanks means that tabs of code are drawn as blanks, up to tab stops that count from the
	// code's edge.
	CodeBlanks bool
	// CodeHangs means that the continuation of a code line may begin below the line's first
	// character.
	CodeHangs bool
	// Gutter parses a line number at the start of a code line. width is its width in columns, with
	// the blank after it; n is the number, or 0. A wrapped code line continues after an empty
	// gutter.
	Gutter func(l *Line) (width, n int)
	// Table parses a table in a form of the agent's own at the start of the lines. n is 0 if there
	// is none. Tables drawn with ┌┬┐ boxes or with ━━ rulers are recognised without it.
	Table func(ls []Line) (rows [][]Cell, n int)
	// WholeCells means that words in a table's cells are cut only if all columns are narrower than
	// their longest word.
	WholeCells bool
	// Border reports whether the first lines, which consist of box characters, can be the top of a
	// table, and are not code. nil means that they always can.
	Border func(ls []Line) bool
}

// Cell is the content of a table's cell.
type Cell []row.Span

// Line is one line of a body, with soft wraps joined and cut to the body's columns.
type Line struct {
	Spans   []row.Span // from column 0, with blanks between texts, without trailing blanks
	Text    string     // text of all spans
	Indent  int        // number of blanks at its start
	Width   int        // in cells, including the indentation
	Room    int        // maximum width of a line, in cells
	At      int        // index of its first row in the given lines
	Wrapped bool       // joined from rows that the terminal wrapped
	Cell    bool       // it belongs to a table's cell
	// Followed by one blank in the style of its end, because it was wrapped there, if agents paint
	// such blanks.
	Spaced bool
	Bare   bool   // followed by blanks in another style, without one of its own
	lost   bool   // rows above it were never on the screen
	Note   uint16 // cache for what a look has found out about the line; 0: nothing
}

// Blank reports whether the line is empty.
func (l *Line) Blank() bool { return l.Width == 0 }

// First returns the style of the first character that is not a blank.
func (l *Line) First() vterm.Style { return l.StyleOf(l.Indent) }

// All reports whether ok returns true for the style of every character except blanks.
func (l *Line) All(ok func(vterm.Style) bool) bool {
	for _, s := range l.Spans {
		if strings.TrimLeft(s.Text, " ") != "" && !ok(s.Style) {
			return false
		}
	}
	return !l.Blank()
}

// From returns the part of the line from a column on, as a line.
func (l *Line) From(col int) Line {
	n := *l
	n.Spans = row.Cut(l.Spans, col, l.Width)
	n.Room = l.Room - col
	n.Measure()
	return n
}

// content returns the line's spans without the indentation.
func (l *Line) content() []row.Span { return row.Cut(l.Spans, l.Indent, l.Width) }

// Indented returns the line from a column on, indented by the given number of blanks.
func (l *Line) Indented(col, blanks int) Line {
	n := *l
	n.Spans = append(make([]row.Span, 0, 1+len(l.Spans)), row.Span{Text: row.Blanks(blanks), Width: blanks})
	n.Spans = row.AppendCut(n.Spans, l.Spans, col, l.Width)
	n.Measure()
	return n
}

// Measure sets text, width and indentation from the spans, and drops trailing blanks.
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
			p, blanks := &out[len(out)-1], lines[i-1].Blanks // the blanks belong to the line, but its text is without them
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
		if lk.SkipsBlanks {
			codeBlanks(t.Spans)
		}
		t.Spaced, t.Bare = ending(t.Spans)
		t.Measure()
		out = append(out, t)
	}
	return out
}

// codeBlanks marks spans of blanks alone as code, which counts only between two words of code.
func codeBlanks(spans []row.Span) {
	for i := range spans {
		if strings.TrimLeft(spans[i].Text, " ") == "" {
			spans[i].Mark |= row.MarkCode
		}
	}
}

// closeGaps removes blanks that are in texts because marks of Arabic were counted as cells.
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

// gaps matches a word and the blanks after it.
var gaps = lazy.Regexp(`[^ ]+ *`)

// combines reports whether a character is one of Arabic's marks, which are drawn into the previous
// cell.
func combines(r rune) bool { return unicode.Is(arabicMarks, r) }

var arabicMarks = &unicode.RangeTable{R16: []unicode.Range16{
	{0x610, 0x61a, 1}, {0x64b, 0x65f, 1}, {0x670, 0x670, 1}, {0x6d6, 0x6dc, 1}, {0x6df, 0x6e4, 1}, {0x6e7, 0x6e8, 1},
	{0x6ea, 0x6ed, 1},
}}

// ending reports whether the last character is followed by one blank, or by none, before the blanks
// that fill the row. The latter have another colour, if agents paint them.
func ending(spans []row.Span) (spaced, bare bool) {
	blank := func(s row.Span) bool { return strings.Trim(s.Text, " ") == "" }
	n := len(spans)
	for n > 1 && blank(spans[n-1]) && spans[n-1].Style.Fg == spans[len(spans)-1].Style.Fg {
		n--
	}
	t := row.Text(spans[max(0, n-2):n]) // the last two suffice, because each has text
	blanks := len(t) - len(strings.TrimRight(t, " "))
	return blanks == 1, blanks == 0 && n < len(spans)
}

// StyleOf returns the style at a byte offset of the line.
func (l *Line) StyleOf(at int) (st vterm.Style) {
	for _, s := range l.Spans {
		if at < len(s.Text) {
			return s.Style
		}
		at -= len(s.Text)
	}
	return st
}
