// Package row provides rows of a screen and parts of them: their text, width and styles.
package row

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// Indent counts the blanks at a row's start; a blank row has none.
func Indent(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// TabStop is the distance between a terminal's tab stops, in cells.
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

// IsRule reports whether a text is a horizontal rule of at least eight cells.
func IsRule(t string) bool { return IsStrokes(t, "────────") }

// IsRuled reports whether a line is such a rule.
func IsRuled(l Line) bool { return IsRule(l.Text) }

// IsBar reports whether a line is one of the half-block bars above and below a prompt, which span
// the width.
func IsBar(l Line) bool {
	return IsStrokes(l.Text, "▄▄▄▄▄▄▄▄", "▀▀▀▀▀▀▀▀")
}

// IsStrokes reports whether a text begins with one of signs, which repeat one character of three
// bytes, and contains no other character.
func IsStrokes(t string, signs ...string) bool {
	return Starts(t, signs...) && t[3:] == t[:len(t)-3]
}

// Line is one row of the document.
type Line struct {
	*vterm.Row
	Cols    int  // width of the window in cells when the row was drawn
	Omitted int  // number of lines that were omitted here
	Lost    bool // rows above it were never on the screen
	Late    bool // likewise, because the recording begins here
	Stale   bool // drawn before the last resize of the window
	Judged  bool // whether Begins is set
	Begins  bool // whether some agent's banner may begin here
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

// RunAt returns the run at a column, or the next one after it. Beyond the last one it returns an
// empty run.
func (l Line) RunAt(col int) *vterm.Run {
	for i := range l.Runs {
		if r := &l.Runs[i]; col < r.Col+r.Width {
			return r
		}
	}
	return &noRun
}

// StyleAt returns the style of the cell at a column.
func (l Line) StyleAt(col int) vterm.Style { return l.RunAt(col).Style }

// BoldAt reports whether the cell at a column is bold.
func (l Line) BoldAt(col int) bool { return l.StyleAt(col).Bold }

// DimAt reports whether the cell at a column is dim.
func (l Line) DimAt(col int) bool { return l.StyleAt(col).Dim }

// All reports whether ok returns true for the style of every character except blanks.
func (l Line) All(ok func(vterm.Style) bool) bool {
	return !slices.ContainsFunc(l.Runs, func(run vterm.Run) bool {
		return strings.Trim(run.Text, " ") != "" &&
			!ok(run.Style)
	})
}

// Unstyled reports whether nothing in a row has a colour or another style than that of a cursor.
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

// Not returns the negation of is.
func Not(is func(Line) bool) func(Line) bool { return func(l Line) bool { return !is(l) } }

// Prefixed returns a function that reports whether a line begins with one of the signs.
func Prefixed(signs ...string) func(Line) bool {
	return func(l Line) bool { return Starts(l.Text, signs...) }
}

// Containing returns a function that reports whether a line contains a text.
func Containing(text string) func(Line) bool {
	return func(l Line) bool { return strings.Contains(l.Text, text) }
}

// Matching returns a function that reports whether a line matches a regular expression.
func Matching(expr func() *regexp.Regexp) func(Line) bool {
	return func(l Line) bool { return expr().MatchString(l.Text) }
}

// Run returns the number of elements at the start of a list for which is returns true.
func Run[T any](list []T, is func(T) bool) int {
	for i := range list {
		if !is(list[i]) {
			return i
		}
	}
	return len(list)
}

// SkipBlank returns the index of the first line with text from i on.
func SkipBlank(lines []Line, i int) int {
	return i + Run(lines[min(i, len(lines)):], Blank)
}

// Last returns the index of the last line for which is returns true, or -1.
func Last(lines []Line, is func(Line) bool) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if is(lines[i]) {
			return i
		}
	}
	return -1
}

// LastAbove returns the index of the last line for which is returns true, or -1 if a line below it
// ends the search.
func LastAbove(lines []Line, is, ends func(Line) bool) int {
	i := Last(lines, is)
	if i >= 0 && slices.ContainsFunc(lines[i+1:], ends) {
		return -1
	}
	return i
}

// Starts reports whether a text begins with one of the signs, or equals one of them without its
// trailing blank, because rows lose trailing blanks.
func Starts(text string, signs ...string) bool {
	for _, sign := range signs { // it is called for most rows, and a closure would cost more than the comparison
		if strings.HasPrefix(text, sign) || strings.TrimSuffix(sign, " ") == text {
			return true
		}
	}
	return false
}

// Trim removes blank lines at the end.
func Trim(lines []Line) []Line { return lines[:1+Last(lines, Filled)] }

// Extent returns the number of cells up to a row's last character.
func Extent(r *vterm.Row) int {
	for _, run := range slices.Backward(r.Runs) {
		if text := strings.TrimRight(run.Text, " "); text != "" {
			return run.Col + run.Width - (len(run.Text) - len(text))
		}
	}
	return Width(r.Text)
}

// CutLine returns the columns [from, to) of a line, for what is in a box or beside a margin. A
// negative to means the end of the line; otherwise the window counts as that much narrower.
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
