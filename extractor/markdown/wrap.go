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
	free := a.Room - a.Width
	word := row.FirstWord(b.Text)
	if sameLink(a, b, word) {
		return SeamNone
	}
	width := row.Width(word)
	if free <= 0 || free == 1 && startsWide(word) {
		switch last := row.LastWord(a.Text); {
		case b.Indent == hang+1 && free <= 0: // Ink keeps the blank, at the start of the new line
			return SeamSpace
		case row.StartsURL(word) && last != "" && !strings.ContainsAny(last[len(last)-1:], "([{<\"'`="):
			return SeamSpace
		case last != strings.TrimLeft(a.Text, " ") && isLowerWord(last) && isLowerWord(strings.TrimRight(word, ".,;:!?")), // a token that is cut has more than that
			strings.HasSuffix(last, ","), strings.HasSuffix(last, ";"):
			return SeamSpace
		case row.Width(last)+width > a.Room-hang, len(last) == len(strings.TrimLeft(a.Text, " ")):
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

// sameLink reports whether an address goes on with the first word of line b: both link to it.
func sameLink(a, b *Line, word string) bool {
	if len(a.Spans) == 0 {
		return false
	}
	u := a.Spans[len(a.Spans)-1].Style.Link
	return u != "" && b.First().Link == u && strings.Contains(u, row.LastWord(a.Text)+word)
}

// cjkCut reports whether a line may be cut between the end of line a and a word: Chinese and
// Japanese are, without a blank.
func cjkCut(a *Line, word string) bool {
	r, _ := utf8.DecodeLastRuneInString(a.Text)
	f, _ := utf8.DecodeRuneInString(word)
	return ideograph(r) && ideograph(f)
}

// isHex reports whether a word is a piece of a long hexadecimal number, with a mark behind it
// perhaps.
func isHex(s string) bool {
	return strings.TrimLeft(strings.TrimRight(s, ".,;:!?)"), "0123456789abcdefABCDEF") == "" && s != ""
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

// ideograph reports whether a line may be cut beside a character without a blank.
func ideograph(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff65 || r == 'ー'
}

func startsWide(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return r >= 0x1100 && row.Width(s[:n]) == 2
}

// Unwrap joins the lines of one paragraph or list item, each without what precedes its content;
// hang is the column that a wrapped line begins at. The result is the lines that the text itself
// has.
func (lk *Style) Unwrap(ls []Line, hang int) [][]row.Span {
	room := 0
	for i := range ls {
		room = max(room, ls[i].Room, ls[i].Width)
	}
	out := make([][]row.Span, 0, len(ls))
	for i := range ls {
		l := ls[i]
		if i == 0 {
			out = append(out, row.Cut(l.Spans, min(l.Indent, hang), l.Width))
			continue
		}
		prev := ls[i-1]
		if prev.Room < room && ls[i].Room == prev.Room { // drawn when the window was wider: it shows by a line that is too long
			prev.Room = room
		}
		s := lk.SeamOf(&prev, &l, hang)
		if s == SeamNone && endsHash(out[len(out)-1]) && !isHex(row.FirstWord(l.Text)) {
			s = SeamSpace
		}
		switch s {
		case SeamBreak:
			out = append(out, row.Cut(l.Spans, min(l.Indent, hang), l.Width))
		default:
			last := &out[len(out)-1]
			if s == SeamSpace {
				*last = append(*last, blank)
			}
			*last = row.AppendCut(*last, l.Spans, l.Indent, l.Width)
		}
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
	ls := lk.Lines(lines)
	var out []string
	for i := 0; i < len(ls); {
		if ls[i].Blank() {
			out = append(out, "")
			i++
			continue
		}
		n := i + 1
		for n < len(ls) && !ls[n].Blank() {
			n++
		}
		for _, l := range lk.Unwrap(ls[i:n], 0) {
			out = append(out, row.Text(l))
		}
		i = n
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// Verbatim returns rows from a column on as they are: soft wraps joined, blanks at the ends and
// blank lines around cut off.
func Verbatim(lines []row.Line, left int) string {
	lk := Style{Left: left}
	ls := lk.Lines(lines)
	out := make([]string, len(ls))
	for i := range ls {
		out[i] = ls[i].Text
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}
