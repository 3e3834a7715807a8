package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Seam is what stood between two lines before the agent wrapped them.
type Seam uint8

const (
	SeamBreak Seam = iota // a line break of the text's own: nothing was wrapped
	SeamSpace             // a blank
	SeamNone              // nothing: a token was cut at the edge
)

// SeamOf returns how line b goes on after line a: a word wrap puts a word on a new line only where
// it does not fit any more, and cuts a token only where it would not fit on a line of its own. hang
// is the column of a continuation.
func (lk *Style) SeamOf(a, b *Line, hang int) Seam {
	if b.lost {
		return SeamBreak
	}
	s := lk.exactSeam(a, b, hang)
	if s == SeamBreak && lk.Slack > 0 {
		if r, _ := utf8.DecodeRuneInString(b.Text[min(b.Indent, len(b.Text)):]); unicode.IsLower(r) && row.Width(row.FirstWord(b.Text))+1 > a.Room-a.Width-lk.Slack {
			return SeamSpace
		}
	}
	return s
}

// exactSeam goes by the width alone.
func (lk *Style) exactSeam(a, b *Line, hang int) Seam {
	if lk.Seam != nil {
		if s, ok := lk.Seam(a, b); ok {
			return s
		}
	}
	free, last, word := a.Room-a.Width, row.LastWord(a.Text), row.FirstWord(b.Text)
	link := a.StyleOf(len(a.Text) - 1).Link
	if strings.Contains(link, last+word) { // an address goes on
		return SeamNone
	}
	width := row.Width(word)
	if free <= 0 || free == 1 && startsWide(word) {
		switch {
		case b.Indent == hang+1, // Ink keeps the blank, at the start of the new line
			link != "" && b.First().Link != link && WordRune(row.FirstRune(word)), // a link ends at the edge
			row.StartsURL(word) && !strings.ContainsAny(last[max(len(last)-1, 0):], "([{<\"'`="),
			last != strings.TrimLeft(a.Text, " ") && isLowerWord(last) && isLowerWord(strings.TrimRight(word, ".,;:!?")), // a token that is cut has more than that
			strings.HasSuffix(last, ","), strings.HasSuffix(last, ";"):
			return SeamSpace
		case row.Width(last)+width > a.Room-hang:
			return SeamNone
		}
	}
	switch {
	case free < 2 && cjkCut(a, word):
		return SeamNone
	case width+1 > free:
		return SeamSpace
	}
	return SeamBreak
}

// cjkCut reports whether a line may be cut between the end of line a and a word: Chinese and
// Japanese are, without a blank.
func cjkCut(a *Line, word string) bool {
	last, _ := utf8.DecodeLastRuneInString(a.Text)
	return ideograph(last) && ideograph(row.FirstRune(word))
}

// isHex reports whether a word is a piece of a long hexadecimal number, with a mark behind it
// perhaps.
func isHex(s string) bool {
	return strings.TrimLeft(strings.TrimRight(s, ".,;:!?)"), "0123456789abcdefABCDEF") == ""
}

// isLowerWord reports whether a word is made of lower-case letters only.
func isLowerWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLower(r) }) < 0
}

// endsHash reports whether a line ends with a whole hash: if it does so at the edge, that is
// chance.
func endsHash(line []row.Span) bool {
	w := row.LastWord(row.Text(line))
	return len(w) >= 32 && isHex(w)
}

// WordRune reports whether a character is one of a word.
func WordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// cjkSigns are the marks of Chinese and Japanese texts.
var cjkSigns = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x303f, Stride: 1}, {Lo: 'ー', Hi: 'ー', Stride: 1}, {Lo: 0xff00, Hi: 0xff65, Stride: 1}}}

// ideograph reports whether a line may be cut beside a character without a blank.
func ideograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, cjkSigns)
}

func startsWide(s string) bool { return row.Width(string(row.FirstRune(s))) == 2 }

// Unwrap joins the lines of one paragraph or list item, each without what precedes its content;
// hang is the column that a wrapped line begins at. The result is the lines that the text itself
// has.
func (lk *Style) Unwrap(ls []Line, hang int) [][]row.Span {
	room := 0
	for i := range ls {
		room = max(room, ls[i].Room, ls[i].Width)
	}
	out := make([][]row.Span, 0, len(ls))
	for i, l := range ls {
		s := SeamBreak
		if i > 0 {
			prev := ls[i-1]
			if prev.Room == l.Room { // drawn when the window was wider: it shows by a line that is too long
				prev.Room = room
			}
			if s = lk.SeamOf(&prev, &l, hang); s == SeamNone && endsHash(out[len(out)-1]) && !isHex(row.FirstWord(l.Text)) {
				s = SeamSpace
			}
		}
		if s == SeamBreak {
			out = append(out, row.Cut(l.Spans, min(l.Indent, hang), l.Width))
			continue
		}
		last := &out[len(out)-1]
		if s == SeamSpace {
			*last = append(*last, blank)
		}
		*last = row.AppendCut(*last, l.Spans, l.Indent, l.Width)
	}
	return out
}

// blank is what stood at a line's end before it was wrapped.
var blank = row.Span{Text: " ", Width: 1}

// joined appends a line to spans, with a blank between the two.
func joined(spans, line []row.Span) []row.Span {
	if len(spans) > 0 {
		spans = append(spans, blank)
	}
	return append(spans, line...)
}

// Prompt is what a user typed: word wrap undone, line breaks and indentation kept.
func Prompt(lines []row.Line, lk *Style) string {
	var out []string
	for ls := lk.Lines(lines); len(ls) > 0; {
		n := max(UntilBlank(ls), 1)
		for _, l := range lk.Unwrap(ls[:n], 0) {
			out = append(out, row.Text(l))
		}
		ls = ls[n:]
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// Verbatim returns rows from a column on as they are: soft wraps joined, blanks at the ends and
// blank lines around cut off.
func Verbatim(lines []row.Line, left int) string {
	lk := Style{Left: left}
	var out []string
	for _, l := range lk.Lines(lines) {
		out = append(out, l.Text)
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}
