package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// Seam is what was between two lines before the agent wrapped them.
type Seam uint8

const (
	SeamBreak Seam = iota // a line break of the text: nothing was wrapped
	SeamSpace             // a blank
	SeamNone              // nothing: a token was cut at the edge
)

// SeamOf returns how line b continues line a. A word wrap moves a word to a new line only if it
// does not fit, and cuts a token only if it does not fit on a line of its own. hang is the column
// of a continuation.
func (lk *Style) SeamOf(a, b *Line, hang int) Seam {
	if b.lost {
		return SeamBreak
	}
	s, word := lk.exactSeam(a, b, hang), row.FirstWord(b.Text)
	if s == SeamBreak && lk.Slack > 0 && unicode.IsLower(row.FirstRune(word)) &&
		row.Width(word)+1 > a.Room-a.Width-lk.Slack {
		return SeamSpace
	}
	return s
}

// exactSeam decides only by the width. Lines that all begin with a time are lines of a log, and one
// that defines the address of a link, or a comment, is a line of its own, whatever their length.
func (lk *Style) exactSeam(a, b *Line, hang int) Seam {
	if stamped(b) && stamped(a) || defines(b) {
		return SeamBreak
	}
	if lk.Seam != nil {
		if s, ok := lk.Seam(a, b, hang); ok {
			return s
		}
	}
	free, last, word := a.Room-a.Width, row.LastWord(a.Text), row.FirstWord(b.Text)
	end, width := a.StyleOf(len(a.Text)-1), b.firstWidth(word)
	full := free < max(1, row.Width(string(row.FirstRune(word)))) // the next character does not fit
	switch {
	case addressGoesOn(a, b):
		return SeamNone
	case full && (b.Indent == hang+1 || // Ink keeps the blank at the start of the new line
		end.Link != "" && end.Link != b.First().Link && WordRune(row.FirstRune(word)) || // a link ends at the edge
		end.Fg != b.First().Fg && letters().MatchString(word) || // or text in another colour
		twoWords().MatchString(lastPiece(a)+" "+word)):
		return SeamSpace
	case full && row.Width(last)+width > a.Room-hang, free < 2 && Unspaced(a, b):
		return SeamNone
	case width+1 > free:
		return SeamSpace
	}
	return SeamBreak
}

// firstWidth returns the width of the line's first word, in cells. In a terminal that counts code
// points it is larger than the width of the characters.
func (l *Line) firstWidth(word string) int {
	width := row.Width(word)
	if width == len(word) {
		return width
	}
	cells, whole := 0, 0
	for _, s := range l.Spans {
		cells, whole = cells+s.Width, whole+row.Width(s.Text)
	}
	if cells == whole {
		return width
	}
	return vterm.TextWidth(word, vterm.Points)
}

// addressGoesOn reports whether a link, whose text is its address, continues from line a to line b.
// The text of a link may be cut within a word, but an address contains no blanks.
func addressGoesOn(a, b *Line) bool {
	address, below := a.StyleOf(len(a.Text)-1).Link, b.content()
	if address == "" || len(below) == 0 {
		return false
	}
	end := strings.TrimSpace(a.Spans[len(a.Spans)-1].Text)
	return !strings.Contains(end, " ") && strings.Contains(address, end+row.FirstWord(below[0].Text))
}

// conjunctions may follow a hyphen at which no word was cut: "multi- and single-line".
var conjunctions = []string{"and", "or", "und", "oder", "to", "bis"}

// CutBehind returns the seam for a word that an agent may have cut after one of the characters in
// breaks: the piece on line b did not fit above, where up to slack more columns may be free.
func CutBehind(a, b *Line, breaks string, slack int) (Seam, bool) {
	last, size := utf8.DecodeLastRuneInString(a.Text)
	word := row.FirstWord(b.Text)
	dash := strings.HasSuffix(a.Text[:len(a.Text)-size], " ") && !strings.ContainsRune("([{", last)
	if !strings.ContainsRune(breaks, last) || dash || !WordRune(row.FirstRune(word)) ||
		slices.Contains(conjunctions, word) {
		return 0, false
	}
	if i := strings.IndexAny(word, breaks); i >= 0 {
		word = word[:i+1]
	}
	return SeamNone, row.Width(word) > a.Room-a.Width-slack
}

// stamped reports whether a line begins with a time or a date.
func stamped(l *Line) bool {
	t := l.Text[l.Indent:]
	return strings.ContainsAny(t[:min(1, len(t))], "[0123456789") && stamp().MatchString(t) // a quick check first
}

// stamp matches a time or a date.
var stamp = lazy.Regexp(`^\[?\d\d(?::\d\d:|\d\d[-/]\d\d[-/])\d\d`)

// defines reports whether a line defines the address of a link by reference, or begins a comment of
// HTML.
func defines(l *Line) bool {
	return row.Starts(l.Text[l.Indent:], "[", "<!") && definition().MatchString(l.Text) // a quick check first
}

// definition matches the beginning of such a line.
var definition = lazy.Regexp(`^ *(?:\[[^\][]+\]:(?: |$)|<!-- )`)

// letters matches a word that is not a piece of an address. An agent may colour only the first line
// of an address.
var letters = lazy.Regexp(`^\pL+[.,;:!?]*$`)

// lastPiece returns the last word of a line, with the blank before it.
func lastPiece(l *Line) string {
	text := l.Text[l.Indent:]
	return text[max(0, strings.LastIndexByte(text, ' ')):]
}

// twoWords matches the end of a full line and the word below it if they are not a token that was
// cut: both consist of lower-case letters, the first ends with a punctuation mark, or the second is
// an address. A point or a colon counts as such a mark before a capital.
var twoWords = lazy.Regexp(`(?: \p{Ll}+ \p{Ll}+[.,;:!?]*|[,;] [^ ]*|\p{Ll}[.:!?] ` +
	`\p{Lu}\p{Ll}+[.,;:!?]*|(?:^|[^([{<"'` + "`" + `=]) (?:https?|file|ssh|ftp)://[^ ]*)$`)

// WithoutBlanks reports whether the end of line a and the start of line b are characters of Chinese
// or Japanese, which have no blanks between words.
func WithoutBlanks(a, b *Line) bool {
	last, _ := utf8.DecodeLastRuneInString(a.Text)
	return cjkPair().MatchString(string([]rune{last, row.FirstRune(row.FirstWord(b.Text))}))
}

// cjkPair matches two characters of Chinese and Japanese texts.
var cjkPair = lazy.Regexp(`^[\p{Han}\p{Hiragana}\p{Katakana}\x{3000}-\x{303f}ー\x{ff00}-\x{ff65}]{2}$`)

// Unspaced reports whether the end of line a and the start of line b are characters of a script
// without blanks between words: Chinese, Japanese, Thai, Lao, Khmer or Burmese.
func Unspaced(a, b *Line) bool {
	return WithoutBlanks(a, b) || seAsianPair().MatchString(lastPiece(a)+" "+row.FirstWord(b.Text))
}

// seAsianPair matches the end of a line and the word below it in one of the scripts of Southeast
// Asia.
var seAsianPair = lazy.Regexp(`[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}] [\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\S*$`)

// A line that ends with a complete hash at the edge does so by chance, unless a piece of one is
// below.
var (
	endsHash = lazy.Regexp(`(?:^| )[0-9a-fA-F]{32,}[.,;:!?)]*$`)
	isHex    = lazy.Regexp(`^[0-9a-fA-F]*[.,;:!?)]*$`)
)

// WordRune reports whether a character is a letter or a digit.
func WordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Unwrap joins the wrapped lines of one paragraph or list item. Each line must be without what
// precedes its content; hang is the column at which a wrapped line begins. It returns the lines of
// the text itself.
func (lk *Style) Unwrap(ls []Line, hang int) [][]row.Span {
	room := 0
	for i := range ls {
		room = max(room, ls[i].Room, ls[i].Width)
	}
	out := make([][]row.Span, 0, len(ls))
	var prev Line
	for i := range ls {
		l, s := &ls[i], SeamBreak
		if i > 0 {
			prev = ls[i-1]
			if prev.Room == l.Room { // drawn when the window was wider, which a line that is too long shows
				prev.Room = room
			}
			if s = lk.SeamOf(&prev, l, hang); s == SeamNone && endsHash().MatchString(row.Text(out[len(out)-1])) &&
				!isHex().MatchString(row.FirstWord(l.Text)) {
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
	for _, line := range out {
		trimCode(line)
	}
	return out
}

// hardBlank is the character that some agents draw on both sides of inline code.
const hardBlank = "\u00a0"

// trimCode removes the hard blanks around inline code from a line. A link between two of them is
// code, too: it has the colour of links, as the hard blanks may have.
func trimCode(line []row.Span) {
	for i := 0; i < len(line); i++ {
		if !strings.HasPrefix(line[i].Text, hardBlank) {
			continue
		}
		n := row.Run(line[i:], func(s row.Span) bool { return s.Mark&row.MarkCode != 0 || s.Style.Link != "" })
		linked := slices.ContainsFunc(line[i:i+n], func(s row.Span) bool { return s.Style.Link != "" })
		if n > 0 && linked && strings.HasSuffix(line[i+n-1].Text, hardBlank) {
			for k := range line[i : i+n] {
				line[i+k].Mark |= row.MarkCode
			}
			i += n - 1
		}
	}
	for i := range line {
		if s := &line[i]; s.Mark&row.MarkCode != 0 {
			s.Text = strings.Trim(s.Text, hardBlank)
			s.Width = row.Width(s.Text)
		}
	}
}

// blank is the blank at a line's end before it was wrapped. It belongs to a code span if both words
// beside it do.
var blank = row.Span{Text: " ", Width: 1, Mark: row.MarkCode}

// joined appends a line to spans, with a blank between them.
func joined(spans, line []row.Span) []row.Span {
	if len(spans) > 0 {
		spans = append(spans, blank)
	}
	return append(spans, line...)
}

// Prompt returns what a user typed: with word wrap undone, line breaks and indentation kept.
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

// Verbatim returns rows unchanged from a column on, with soft wraps joined, without trailing blanks
// and surrounding blank lines.
func Verbatim(lines []row.Line, left int) string {
	lk := Style{Left: left}
	var out []string
	for _, l := range lk.Lines(lines) {
		out = append(out, l.Text)
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}
