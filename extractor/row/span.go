package row

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/ptyrec/ptyrec/vterm"
)

// FirstRune returns the first character of a text, or 0.
func FirstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// AppendLetters appends s without blanks to b.
func AppendLetters(b []byte, s string) []byte {
	for {
		word, rest, more := strings.Cut(s, " ")
		if b = append(b, word...); !more {
			return b
		}
		s = rest
	}
}

// LettersLen returns the length of a text without blanks, in bytes.
func LettersLen(s string) int { return len(s) - strings.Count(s, " ") }

// Mark is a set of inline styles that Markdown can express.
type Mark uint8

// The styles.
const (
	MarkBold Mark = 1 << iota
	MarkItalic
	MarkStrike
	MarkCode
)

// Highlighted reports whether a style has a background, as a prompt does.
func Highlighted(s vterm.Style) bool { return s.Bg.Kind != vterm.ColorDefault }

// Bold reports whether a style is bold.
func Bold(s vterm.Style) bool { return s.Bold }

// Italic reports whether a style is italic.
func Italic(s vterm.Style) bool { return s.Italic }

// Span is a piece of a line in one style.
type Span struct {
	Text  string
	Width int // in cells
	Style vterm.Style
	Mark  Mark
}

// PlainMarks returns the marks that every agent draws in the same way.
func PlainMarks(s vterm.Style) Mark {
	var m Mark
	if s.Bold {
		m |= MarkBold
	}
	if s.Italic {
		m |= MarkItalic
	}
	if s.Strikethrough {
		m |= MarkStrike
	}
	return m
}

// Marks returns the marks of a style. code reports whether it is that of inline code.
func Marks(s vterm.Style, code bool) Mark {
	m := PlainMarks(s)
	if code {
		m |= MarkCode
	}
	return m
}

// Spans returns a row's cells [from, to) as spans. A negative to means its end. marks converts a
// style to marks; nil means PlainMarks.
func Spans(r *vterm.Row, from, to int, marks func(vterm.Style) Mark) []Span {
	if marks == nil {
		marks = PlainMarks
	}
	spans := make([]Span, 0, len(r.Runs))
	col := 0
	for _, run := range r.Runs {
		if run.Col > col {
			spans = append(spans, Span{Text: Blanks(run.Col - col), Width: run.Col - col})
		}
		col = run.Col + run.Width
		spans = append(spans, Span{run.Text, run.Width, run.Style, marks(run.Style)})
	}
	if to < 0 {
		to = col
	}
	return AppendCut(spans[:0], spans, from, to)
}

// Cut returns the columns [from, to) of spans. It drops a wide character that would be cut in two.
func Cut(spans []Span, from, to int) []Span {
	return AppendCut(make([]Span, 0, len(spans)), spans, from, to)
}

// AppendCut appends the columns [from, to) of spans to out, which may be spans[:0]. It appends
// nothing if to <= from.
func AppendCut(out, spans []Span, from, to int) []Span {
	col := 0
	for _, s := range spans {
		a, b := max(from-col, 0), min(to-col, s.Width)
		col += s.Width
		if a >= b {
			continue
		}
		if b-a < s.Width {
			s = cutSpan(s, a, b)
		}
		if s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

// cutSpan returns the columns [from, to) of a span.
func cutSpan(s Span, from, to int) Span {
	if len(s.Text) == s.Width {
		s.Text, s.Width = s.Text[from:to], to-from
		return s
	}
	by := vterm.Graphemes
	width := vterm.TextWidth(s.Text, by)
	if width != s.Width {
		by = vterm.Points
		width = vterm.TextWidth(s.Text, by)
	}
	if width != s.Width && vterm.TextWidth(s.Text, vterm.Runes) == s.Width {
		by, width = vterm.Runes, s.Width
	}
	// In binary output, characters that form one here may be two on the screen. What was typed
	// after it is at the end of the row.
	col, pos, start, end := s.Width-width, 0, len(s.Text), 0
	for c, w := range vterm.Clusters(s.Text, by) {
		if max(col, 0) >= from && col+w <= to {
			start, end = min(start, pos), pos+len(c)
		}
		col += w
		pos += len(c)
	}
	s.Text = s.Text[min(start, end):end]
	s.Width = vterm.TextWidth(s.Text, by)
	return s
}

// Text returns the text of spans.
func Text(spans []Span) string {
	if len(spans) == 1 {
		return spans[0].Text
	}
	n := 0
	for i := range spans {
		n += len(spans[i].Text)
	}
	var b strings.Builder
	b.Grow(n)
	for i := range spans {
		b.WriteString(spans[i].Text)
	}
	return b.String()
}

// SpansWidth returns the width of spans, in cells.
func SpansWidth(spans []Span) int {
	n := 0
	for _, s := range spans {
		n += s.Width
	}
	return n
}

// Width returns the width of a text, in cells.
func Width(s string) int { return displaywidth.String(s) }

// Blanks returns n blanks, or none if n is negative.
func Blanks(n int) string { return strings.Repeat(" ", max(n, 0)) }

// FirstWord returns a line's text up to the first blank after its indentation.
func FirstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(s, " "), " ")
	return word
}

// LastWord returns a line's text after its last blank.
func LastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// CommonStart returns the common beginning of two texts, in complete characters.
func CommonStart(a, b string) string {
	for i, r := range a {
		if !strings.HasPrefix(b[i:], string(r)) {
			return a[:i]
		}
	}
	return a
}
