// Package row has the rows of a screen and pieces of them: what they say, how wide they are, what
// their colours mean.
package row

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// Indent counts the blanks at a row's start; a blank row has none.
func Indent(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// TabStop is how far a terminal's tab stops are apart.
const TabStop = 8

// HasInverse reports whether a cell of the row is drawn inverse, as Ink draws a cursor.
func HasInverse(l Line) bool {
	return slices.ContainsFunc(l.Runs, func(run vterm.Run) bool { return run.Style.Inverse })
}

// HasBackground reports whether the row's first cell has a background.
func HasBackground(l Line) bool {
	r := l.RunAt(0)
	return r.Col == 0 && Highlighted(r.Style)
}

// IsWrapped reports whether a line continues the one above, which the terminal wrapped.
func IsWrapped(l Line) bool { return l.Wrapped }

// IsRule reports whether a text is a rule, eight cells long at least.
func IsRule(t string) bool { return IsStrokes(t, "────────") }

// IsRuled reports whether a line is such a rule.
func IsRuled(l Line) bool { return IsRule(l.Text) }

// IsBar reports whether a line is one of the half-block bars above and below a prompt, over the
// whole width.
func IsBar(l Line) bool {
	return IsStrokes(l.Text, "▄▄▄▄▄▄▄▄", "▀▀▀▀▀▀▀▀")
}

// IsStrokes reports whether a text begins with one of signs, which are made of one character of
// three bytes, and has no other character.
func IsStrokes(t string, signs ...string) bool {
	return Starts(t, signs...) && t[3:] == t[:len(t)-3]
}

// Line is one row of the document.
type Line struct {
	*vterm.Row
	Cols    int  // the window's width in cells when the row was drawn
	Omitted int  // the lines that were left out where this one is
	Lost    bool // the rows above it were never on the screen
	Late    bool // likewise, for the recording begins here
	Stale   bool // it was drawn before the window was last resized
	Judged  bool // Begins is known
	Begins  bool // some agent's banner may begin here
}

// Lines returns rows, drawn in a window that is cols cells wide, as lines.
func Lines(rows []*vterm.Row, cols int) []Line {
	lines := make([]Line, len(rows))
	for i, r := range rows {
		lines[i] = Line{Row: r, Cols: cols}
	}
	return lines
}

var noRun vterm.Run

// RunAt returns the run at a column, or beyond it; an empty one behind the last.
func (l Line) RunAt(col int) *vterm.Run {
	for i := range l.Runs {
		if r := &l.Runs[i]; col < r.Col+r.Width {
			return r
		}
	}
	return &noRun
}

// StyleAt is the style of the cell at a column.
func (l Line) StyleAt(col int) vterm.Style { return l.RunAt(col).Style }

// BoldAt reports whether the cell at a column is bold.
func (l Line) BoldAt(col int) bool { return l.StyleAt(col).Bold }

// DimAt reports whether the cell at a column is dim.
func (l Line) DimAt(col int) bool { return l.StyleAt(col).Dim }

// All reports whether every character that is no blank has a style for which ok holds.
func (l Line) All(ok func(vterm.Style) bool) bool {
	return !slices.ContainsFunc(l.Runs, func(run vterm.Run) bool { return strings.Trim(run.Text, " ") != "" && !ok(run.Style) })
}

// Unstyled reports whether nothing in a row has a colour or another style than a cursor has.
func Unstyled(l Line) bool {
	return !slices.ContainsFunc(l.Runs, func(run vterm.Run) bool {
		s := run.Style
		s.Inverse = false
		return s != vterm.Style{}
	})
}

// Filled reports whether a line has text.
func Filled(l Line) bool { return l.Text != "" }

// Blank reports whether a line has no text.
func Blank(l Line) bool { return l.Text == "" }

// AnyLost reports whether rows above one of lines were never on the screen.
func AnyLost(lines []Line) bool {
	return slices.ContainsFunc(lines, func(l Line) bool { return l.Lost })
}

// Not returns a function that reports whether a line is not of a kind.
func Not(is func(Line) bool) func(Line) bool { return func(l Line) bool { return !is(l) } }

// Prefixed returns a function that reports whether a line begins with one of the signs.
func Prefixed(signs ...string) func(Line) bool {
	return func(l Line) bool { return Starts(l.Text, signs...) }
}

// Containing returns a function that reports whether a text is in a line.
func Containing(text string) func(Line) bool {
	return func(l Line) bool { return strings.Contains(l.Text, text) }
}

// Matching returns a function that reports whether a line matches an expression.
func Matching(expr func() *regexp.Regexp) func(Line) bool {
	return func(l Line) bool { return expr().MatchString(l.Text) }
}

// Run counts the elements of a list, from the first on, that are of a kind.
func Run[T any](list []T, is func(T) bool) int {
	for i := range list {
		if !is(list[i]) {
			return i
		}
	}
	return len(list)
}

// SkipBlank returns the first line from i on that has text.
func SkipBlank(lines []Line, i int) int {
	return i + Run(lines[min(i, len(lines)):], Blank)
}

// Last returns the index of the last row that is of a kind, or -1.
func Last(lines []Line, is func(Line) bool) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if is(lines[i]) {
			return i
		}
	}
	return -1
}

// LastAbove returns the index of the last row of a kind, or -1 where one that ends the search is
// below it.
func LastAbove(lines []Line, is, ends func(Line) bool) int {
	i := Last(lines, is)
	if i >= 0 && slices.ContainsFunc(lines[i+1:], ends) {
		return -1
	}
	return i
}

// Starts reports whether a text begins with one of the signs, or is one of them without the blank
// at its end: rows lose the blanks at their ends.
func Starts(text string, signs ...string) bool {
	for _, sign := range signs { // asked of most rows: a closure costs more than the comparison
		if strings.HasPrefix(text, sign) || strings.TrimSuffix(sign, " ") == text {
			return true
		}
	}
	return false
}

// Trim cuts blank lines off the end.
func Trim(lines []Line) []Line { return lines[:1+Last(lines, Filled)] }

// Extent returns the number of cells up to a row's last character.
func Extent(r *vterm.Row) int { return Width(r.Text) }

// CutLine returns the columns [from, to) of a line: what is in a box or beside a margin. to < 0: to
// its end; else the window counts as that much narrower.
func CutLine(l Line, from, to int) Line {
	r, cols := Join(Spans(l.Row, from, to, nil)), to-from
	if r.Wrapped = l.Wrapped; to < 0 {
		r.Blanks, cols = l.Blanks, l.Cols-from
	}
	return Line{Row: r, Cols: cols}
}

// Join returns a row of spans.
func Join(spans []Span) *vterm.Row {
	r := &vterm.Row{Text: strings.TrimRight(Text(spans), " "), Runs: make([]vterm.Run, len(spans))}
	col := 0
	for i, s := range spans {
		r.Runs[i] = vterm.Run{Text: s.Text, Col: col, Width: s.Width, Style: s.Style}
		col += s.Width
	}
	return r
}
