package redact

import (
	"encoding/binary"
	"iter"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// A terminal, and an agent that wraps words itself, cuts a token at the end of a row: "ghp_4f…
//
// 9c…", in a box "│ ghp_4f… │ │ 9c… │". A view has the text as it is, and folded: without the
// breaks that may have cut a token, or with a blank for those that may have been between two words.
// Which of them were is decided by what is found across them.
type view struct {
	text   string
	folded string
	folds  []foldAt
	words  bool     // folds are between words, not within a token
	blanks bool     // only rules whose pattern has a blank are tried
	hard   bool     // only secrets that cross a fold are reported
	marks  [][2]int // ranges of the text that are marks, whose words name nothing

	effort   effort // work done so far
	headings []int  // places in the text where the name of a column with secrets may end
	table    *table // before columns, the table in which the text begins; after it, the one in which it ends
	tabled   int    // number of bytes that columns has read
	compared int    // number of marks and breaks compared with matches; for tests
}

// foldAt is a removed break.
type foldAt struct {
	at   int // offset in the folded text
	back int // offset in the text after the break
}

const (
	minRow     = 10  // minimum width of a full row, in cells
	maxRow     = 300 // maximum width of a full row, in cells
	minWords   = 16  // minimum width of a row including the word that did not fit, in cells
	rowSlack   = 12  // a message's first row may lack its marker and indentation of this width, in cells
	borderRune = "│┃|║"
)

// fold returns a view of text without the breaks that may have cut a token.
func fold(text string) *view {
	v := &view{text: text, folded: text}
	b := v.joinRows(nil, 0, len(text), func(line, next int) (seam, bool) { return cut(text, line, next) })
	if v.folds != nil {
		v.folded = string(b)
	}
	return v
}

// unwrap returns a view of places of the folded text, with a blank for each break that may have
// been between two words. A word that is longer than a row is joined.
func (v *view) unwrap(places []span) *view {
	u := &view{text: v.text, words: true, blanks: true}
	var b []byte
	p := paragraph{text: v.text}
	for start, end := range v.wholeRows(places) {
		u.folds = append(u.folds, foldAt{at: len(b), back: start})
		b = u.joinRows(b, start, end, func(line, next int) (seam, bool) {
			s, ok := wrapped(v.text, line, next)
			if ok && p.cutsWord(line, s) {
				s.glue = ""
			}
			return s, ok
		})
		b = append(b, apart...)
	}
	u.folded = string(b)
	return u
}

// apart separates two pieces of a text; no secret extends over it.
const apart = "\n\x00\n"

// wholeRows returns the starts and ends of the rows that contain places of the folded text.
func (v *view) wholeRows(places []span) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		done := 0
		for _, s := range places {
			start, end := max(done, v.original(s.start)), max(done, v.original(s.end))
			start = done + strings.LastIndexByte(v.text[done:start], '\n') + 1 // a row begins at done
			if n := strings.IndexByte(v.text[end:], '\n'); n >= 0 {
				end += n + 1
			} else {
				end = len(v.text)
			}
			if done = end; start < end && !yield(start, end) {
				return
			}
		}
	}
}

// unescape returns a view of the rows of text with quotes after backslashes, as in JSON and in
// strings of source code. It is without the backslashes.
func unescape(text string) *view {
	v := &view{text: text, words: true}
	var b strings.Builder
	from := 0 // start of the row
	for row := range strings.Lines(text) {
		if strings.Contains(row, `\"`) {
			v.folds = append(v.folds, foldAt{at: b.Len(), back: from})
			at := 0
			for i := strings.Index(row, `\"`); i >= 0; i = strings.Index(row[at:], `\"`) {
				b.WriteString(strings.TrimRight(row[at:at+i], `\`))
				at += i + 1
				v.folds = append(v.folds, foldAt{at: b.Len(), back: from + at})
			}
			b.WriteString(row[at:])
		}
		from += len(row)
	}
	v.folded = b.String()
	return v
}

// seam is a break that a view removes: the upper row ends at end, the lower one continues at to.
type seam struct {
	end, to int
	glue    string // inserted between the two
}

// joinRows appends text[start:end] without some breaks. at returns the seam between the row at line
// and the row at next, if its break is to be removed.
func (v *view) joinRows(b []byte, start, end int, at func(line, next int) (seam, bool)) []byte {
	from := start // of what is not yet in b
	for line := start; ; {
		n := strings.IndexByte(v.text[line:end], '\n')
		if n < 0 || line+n+1 >= end {
			return append(b, v.text[from:end]...)
		}
		next := line + n + 1
		s, ok := at(line, next)
		line = next
		if !ok || s.end < from { // of a row of nothing but borders, nothing is left
			continue
		}
		b = append(append(b, v.text[from:s.end]...), s.glue...)
		from = s.to
		v.folds = append(v.folds, foldAt{at: len(b), back: from})
	}
}

// cut reports whether the break between the row at line and the row at next may have cut a token:
// the token reaches the end of a row that is not narrower than the next.
func cut(text string, line, next int) (seam, bool) {
	end := next - 1
	if end > line && text[end-1] == '\r' {
		end--
	}
	row := text[line:end]
	bare := row
	if !mayCut(bare, "") { // most rows need no more
		bare = strings.TrimRight(row, " \t")
		if inner := strings.TrimRight(bare, borderRune); inner != bare {
			bare = strings.TrimRight(inner, " \t")
		} else if bare != row {
			return seam{}, false // the row was not full
		}
		if !mayCut(bare, "") {
			return seam{}, false
		}
	}
	rest := text[next:]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	after := rest
	if after == "" || !mayCut(bare, after) {
		after = strings.TrimLeft(strings.TrimLeft(strings.TrimLeft(rest, " \t"), borderRune), " \t")
		if after == "" || !mayCut(bare, after) {
			return seam{}, false
		}
	}
	if width, below := cells(row), cells(strings.TrimRight(rest, " \t\r")); width < minRow || below > width+rowSlack {
		if width == len(row) || below > displaywidth.String(row)+rowSlack { // some characters take two cells
			return seam{}, false
		}
	}
	return seam{end: line + len(bare), to: next + len(rest) - len(after)}, true
}

// mayCut reports whether a break between row and a row that begins with next ("" if unknown) may be
// inside a token or a word, or between an assignment, its quote, and the token.
func mayCut(row, next string) bool {
	if row == "" {
		return false
	}
	last := row[len(row)-1]
	switch {
	case inToken(last):
		return next == "" || beginsToken(next) || isQuote(next[0]) && (last == '=' || last == ':')
	case isQuote(last) && len(row) > 1:
		return next == "" || next[0] == ':' || next[0] == '=' ||
			beginsToken(next) && strings.IndexByte("=: (,{", row[len(row)-2]) >= 0
	case last >= utf8.RuneSelf:
		c, _ := utf8.DecodeLastRuneInString(row)
		return unicode.IsLetter(c) && (next == "" || beginsToken(next))
	}
	return false
}

// beginsToken reports whether a token, or a word of any language, may continue with text.
func beginsToken(text string) bool {
	if text[0] < utf8.RuneSelf {
		return inToken(text[0])
	}
	c, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(c)
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// cells returns the number of characters of s; in most texts, each takes one cell.
func cells(s string) int {
	const high = 0x80808080_80808080
	i := 0
	for ; i+8 <= len(s); i += 8 { // most rows are ASCII
		if binary.LittleEndian.Uint64([]byte(s[i:i+8]))&high != 0 {
			break
		}
	}
	return i + utf8.RuneCountInString(s[i:])
}

// wrapped reports whether the break between the row at line and the row at next may exist because
// the next word did not fit: the upper row with that word is wider than the lower row.
func wrapped(text string, line, next int) (seam, bool) {
	row := strings.TrimRight(strings.TrimSuffix(text[line:next-1], "\r"), " \t")
	below, _, _ := strings.Cut(text[next:], "\n")
	after := strings.TrimLeft(below, " \t")
	bare, rest := row, strings.TrimRight(below, " \t\r")
	if inner := strings.TrimLeft(after, borderRune); inner != after && (after[0] != '|' || strings.HasSuffix(row, "|")) {
		after = strings.TrimLeft(inner, " \t")
		bare = strings.TrimRight(strings.TrimRight(row, borderRune), " \t") // otherwise it is a pipe, or belongs to a table
		rest = strings.TrimRight(strings.TrimRight(rest, borderRune), " \t")
	}
	word, _, _ := strings.Cut(after, " ")
	width := cells(bare) + 1 + cells(word)
	if more := len(below) - len(after) - blanksBefore(bare); more > 0 {
		width += min(more, rowSlack) // the first row may lack its indentation
	}
	if bare == "" || word == "" || width < minWords || width <= cells(rest) {
		return seam{}, false
	}
	return seam{line + len(bare), next + len(below) - len(after), " "}, true
}

// inToken reports whether c may occur inside a token or a URL.
func inToken(c byte) bool { return tokenBytes[c] }

var tokenBytes = func() (in [256]bool) {
	for c := byte('!'); c < 0x7f; c++ {
		in[c] = strings.IndexByte("\"'`,;()[]{}<>|\\", c) < 0
	}
	return in
}()

// original converts an offset in the folded text to one in the text.
func (v *view) original(at int) int {
	i := sort.Search(len(v.folds), func(i int) bool { return v.folds[i].at > at })
	if i == 0 {
		return at
	}
	f := v.folds[i-1]
	return at - f.at + f.back
}

// inside returns the folds strictly inside [start, end) of the folded text.
func (v *view) inside(start, end int) []foldAt {
	i := sort.Search(len(v.folds), func(i int) bool { return v.folds[i].at > start })
	j := sort.Search(len(v.folds), func(i int) bool { return v.folds[i].at >= end })
	return v.folds[i:max(i, j)]
}

// match returns the Match for a range of the folded text. The range may extend into what a view
// adds after the end of the text.
func (v *view) match(rule string, start, end int) Match {
	return Match{Rule: rule, Start: v.original(start), End: min(len(v.text), v.original(end-1)+1)}
}

// looksRandom reports whether s looks like the rest of a token or a key's last row, and not like a
// word.
func looksRandom(s string) bool {
	if strings.HasPrefix(s, "-----END ") {
		return true
	}
	lower, upper := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '+', c == '=':
			return true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z' && i > 0:
			upper = true
		}
	}
	return lower && upper
}
