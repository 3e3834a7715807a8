package extractor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// seam is what stood between two lines before the agent wrapped them.
type seam uint8

const (
	seamBreak seam = iota // a line break of the text's own: nothing was wrapped
	seamSpace             // a blank
	seamNone              // nothing: a token was cut at the edge
)

// seam returns how line b goes on after line a: a word wrap puts a word on a new line only where it
// does not fit any more, and cuts a token only where it would not fit on a line of its own. hang is
// the column of a continuation.
func (lk *look) seam(a, b *textLine, hang int) seam {
	if b.lost {
		return seamBreak
	}
	s := lk.exactSeam(a, b, hang)
	if s == seamBreak && lk.Slack > 0 {
		if r, _ := utf8.DecodeRuneInString(b.text[min(b.indent, len(b.text)):]); unicode.IsLower(r) && lk.wordWidth(firstWord(b.text))+1 > a.room-a.width-lk.Slack {
			return seamSpace
		}
	}
	return s
}

// exactSeam goes by the width alone.
func (lk *look) exactSeam(a, b *textLine, hang int) seam {
	if lk.Seam != nil {
		if s, ok := lk.Seam(a, b); ok {
			return s
		}
	}
	free := a.room - a.width
	word := firstWord(b.text)
	if sameLink(a, b, word) {
		return seamNone
	}
	width := lk.wordWidth(word)
	if free <= 0 || free == 1 && startsWide(word) {
		switch last := lastWord(a.text); {
		case b.indent == hang+1 && free <= 0: // Ink keeps the blank, at the start of the new line
			return seamSpace
		case startsURL(word) && last != "" && !strings.ContainsAny(last[len(last)-1:], "([{<\"'`="):
			return seamSpace
		case last != strings.TrimLeft(a.text, " ") && isLowerWord(last) && isLowerWord(strings.TrimRight(word, ".,;:!?")), // a token that is cut has more than that
			strings.HasSuffix(last, ","), strings.HasSuffix(last, ";"):
			return seamSpace
		case lk.wordWidth(last)+width > a.room-hang, len(last) == len(strings.TrimLeft(a.text, " ")):
			return seamNone
		}
	}
	if s, ok := lk.seamInWord(a, word, free); ok {
		return s
	}
	if width+1 > free {
		return seamSpace
	}
	return seamBreak
}

// sameLink reports whether an address goes on with the first word of line b: both link to it.
func sameLink(a, b *textLine, word string) bool {
	if len(a.spans) == 0 {
		return false
	}
	u := a.spans[len(a.spans)-1].style.Link
	return u != "" && b.first().Link == u && strings.Contains(u, lastWord(a.text)+word)
}

// seamInWord finds a cut within a word, after a character that allows it or between two ideographs.
func (lk *look) seamInWord(a *textLine, word string, free int) (seam, bool) {
	r, size := utf8.DecodeLastRuneInString(a.text)
	f, _ := utf8.DecodeRuneInString(word)
	if lk.Ideo && ideograph(r) && ideograph(f) {
		return seamNone, free < 2
	}
	if !strings.ContainsRune(lk.Breaks, r) || len(a.text) == size || a.text[len(a.text)-size-1] == ' ' || !wordRune(f) {
		return 0, false
	}
	switch word {
	case "and", "or", "und", "oder", "to", "bis": // "multi- and single-line"
		return 0, false
	}
	part := word
	if i := strings.IndexAny(word, lk.Breaks); i >= 0 {
		part = word[:i+1]
	}
	return seamNone, lk.wordWidth(part) > free
}

// firstWord is a line's text up to the first blank after its indent.
func firstWord(s string) string {
	s = strings.TrimLeft(s, " ")
	if i := strings.IndexByte(s, ' '); i >= 0 {
		return s[:i]
	}
	return s
}

// lastWord is a line's text after its last blank.
func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// isHex reports whether a word is a piece of a long hexadecimal number, with a mark behind it
// perhaps.
func isHex(s string) bool {
	return strings.TrimLeft(strings.TrimRight(s, ".,;:!?)"), "0123456789abcdefABCDEF") == "" && s != ""
}

// isLowerWord reports whether a word is made of lower-case letters only.
func isLowerWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLower(r) }) < 0
}

// startsURL reports whether a word is an address from its start.
func startsURL(word string) bool {
	for _, scheme := range []string{"https", "http", "file", "ssh", "ftp"} {
		if strings.HasPrefix(word, scheme+"://") {
			return true
		}
	}
	return false
}

// endsHash reports whether a line ends with a whole hash: if it does so at the edge, that is
// chance.
func endsHash(line []span) bool {
	w := lastWord(spansText(line))
	return len(w) >= 32 && isHex(w)
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// ideograph reports whether a line may be cut beside a character without a blank.
func ideograph(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff65 || r == 'ー'
}

func startsWide(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return r >= 0x1100 && textWidth(s[:n]) == 2
}

// unwrap joins the lines of one paragraph or list item, each without what precedes its content;
// hang is the column that a wrapped line begins at. The result is the lines that the text itself
// has.
func (lk *look) unwrap(ls []textLine, hang int) [][]span {
	room := 0
	for i := range ls {
		room = max(room, ls[i].room, ls[i].width)
	}
	out := make([][]span, 0, len(ls))
	for i := range ls {
		l := ls[i]
		if i == 0 {
			out = append(out, cutSpans(l.spans, min(l.indent, hang), l.width))
			continue
		}
		prev := ls[i-1]
		if prev.room < room && ls[i].room == prev.room { // drawn when the window was wider: it shows by a line that is too long
			prev.room = room
		}
		s := lk.seam(&prev, &l, hang)
		if s == seamNone && endsHash(out[len(out)-1]) && !isHex(firstWord(l.text)) {
			s = seamSpace
		}
		switch s {
		case seamBreak:
			out = append(out, cutSpans(l.spans, min(l.indent, hang), l.width))
		default:
			last := &out[len(out)-1]
			if s == seamSpace {
				*last = append(*last, span{text: " ", width: 1})
			}
			*last = appendCut(*last, l.spans, l.indent, l.width)
		}
	}
	return out
}

// prompt is what a user typed: word wrap undone, line breaks and indentation kept.
func prompt(lines []Line, lk *look) string {
	ls := lk.textLines(lines)
	var out []string
	for i := 0; i < len(ls); {
		if ls[i].blank() {
			out = append(out, "")
			i++
			continue
		}
		n := i + 1
		for n < len(ls) && !ls[n].blank() {
			n++
		}
		for _, l := range lk.unwrap(ls[i:n], 0) {
			out = append(out, spansText(l))
		}
		i = n
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// verbatim returns rows from a column on as they are: soft wraps joined, blanks at the ends and
// blank lines around cut off.
func verbatim(lines []Line, left int) string {
	lk := look{Left: left}
	ls := lk.textLines(lines)
	out := make([]string, len(ls))
	for i := range ls {
		out[i] = ls[i].text
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}
