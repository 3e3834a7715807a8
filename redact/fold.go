package redact

import (
	"encoding/binary"
	"sort"
	"strings"
	"unicode/utf8"
)

// A terminal, and an agent that wraps words itself, cuts a token where the row ends: "ghp_4f…\n
// 9c…", in a box "│ ghp_4f… │\n│ 9c… │". A view has the text as it is, and folded: without the
// breaks that may have cut one, or with a blank for those that may have been between two words.
// Which of them were is decided by what is found across them.
type view struct {
	text   string
	folded string
	folds  []foldAt
	words  bool // no token is cut at a fold: a blank is there, or a backslash was
	blanks bool // only rules that want a blank find more here than in the text folded
}

// foldAt is a break that was taken out.
type foldAt struct {
	at   int // in the folded text
	back int // in the text: where it goes on
}

const (
	minRow     = 10 // cells: no row that was full is narrower
	minWords   = 16 // cells: likewise a row with the word that did not fit
	rowSlack   = 12 // cells: a message's first row may have lost its marker and its indentation
	borderRune = "│┃|║"
)

// fold makes a view of text without the breaks that may have cut a token.
func fold(text string) *view { return joinRows(text, "", cut) }

// unwrap makes a view of text with a blank for each break that may have been between two words.
func unwrap(text string) *view {
	v := joinRows(text, " ", wrapped)
	v.words, v.blanks = true, true
	return v
}

// unescape makes a view of those rows of text that have quotes with backslashes before them, as in
// JSON and in the strings of programs. It is without the backslashes.
func unescape(text string) *view {
	v := &view{text: text, words: true}
	var b strings.Builder
	from := 0 // of the row
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

// joinRows makes a view of text with glue for some breaks. at reports whether it is for that
// between the row at line and the row at next, and what lies between the two.
func joinRows(text, glue string, at func(text string, line, next int) (end, to int, ok bool)) *view {
	v := &view{text: text, folded: text}
	var b strings.Builder
	from := 0 // of what is not yet in b
	start := 0
	for {
		n := strings.IndexByte(text[start:], '\n')
		if n < 0 {
			break
		}
		line, next := start, start+n+1
		start = next
		end, to, ok := at(text, line, next)
		if !ok || end < from { // of a row of nothing but borders, nothing is left
			continue
		}
		if v.folds == nil {
			b.Grow(len(text))
		}
		b.WriteString(text[from:end])
		b.WriteString(glue)
		v.folds = append(v.folds, foldAt{at: b.Len(), back: to})
		from = to
	}
	if v.folds != nil {
		b.WriteString(text[from:])
		v.folded = b.String()
	}
	return v
}

// cut reports whether the break between the row at line and the row at next may have cut a token:
// the token reaches the end of a row that is not narrower than the next. What is between end and to
// is not part of the token.
func cut(text string, line, next int) (end, to int, ok bool) {
	end = next - 1
	if end > line && text[end-1] == '\r' {
		end--
	}
	row := text[line:end]
	bare := row
	if !mayCut(bare, 0) { // most rows need no more
		bare = strings.TrimRight(row, " \t")
		if inner := strings.TrimRight(bare, borderRune); inner != bare {
			bare = strings.TrimRight(inner, " \t")
		} else if bare != row {
			return 0, 0, false // the row was not full
		}
		if !mayCut(bare, 0) {
			return 0, 0, false
		}
	}
	rest := text[next:]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	after := rest
	if after == "" || !mayCut(bare, after[0]) {
		after = strings.TrimLeft(strings.TrimLeft(strings.TrimLeft(rest, " \t"), borderRune), " \t")
		if after == "" || !mayCut(bare, after[0]) {
			return 0, 0, false
		}
	}
	width := cells(row)
	if width < minRow || cells(strings.TrimRight(rest, " \t\r")) > width+rowSlack {
		return 0, 0, false
	}
	return line + len(bare), next + len(rest) - len(after), true
}

// mayCut reports whether a break between row and a row that begins with next, 0 if that is not
// known, may be inside a token, or between an assignment, the quote behind it, and the token.
func mayCut(row string, next byte) bool {
	if row == "" {
		return false
	}
	last := row[len(row)-1]
	switch {
	case inToken(last):
		return next == 0 || inToken(next) || isQuote(next) && (last == '=' || last == ':')
	case isQuote(last) && len(row) > 1:
		return strings.IndexByte("=: (", row[len(row)-2]) >= 0 && (next == 0 || inToken(next))
	}
	return false
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// cells returns how many characters s has.
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

// wrapped reports whether the break between the row at line and the row at next may be there
// because the next word did not fit: the upper row with that word is wider than the lower row. What
// is between end and to is around the words.
func wrapped(text string, line, next int) (end, to int, ok bool) {
	row := strings.TrimRight(strings.TrimSuffix(text[line:next-1], "\r"), " \t")
	below, _, _ := strings.Cut(text[next:], "\n")
	after := strings.TrimLeft(below, " \t")
	bare, rest := row, strings.TrimRight(below, " \t\r")
	if inner := strings.TrimLeft(after, borderRune); inner != after {
		after = strings.TrimLeft(inner, " \t")
		bare = strings.TrimRight(strings.TrimRight(row, borderRune), " \t") // else it is a pipe, or a table's
		rest = strings.TrimRight(strings.TrimRight(rest, borderRune), " \t")
	}
	word, _, _ := strings.Cut(after, " ")
	width := cells(bare) + 1 + cells(word)
	if bare == "" || word == "" || width < minWords || width <= cells(rest) {
		return 0, 0, false
	}
	return line + len(bare), next + len(below) - len(after), true
}

// inToken reports whether c may occur inside a token or a URL.
func inToken(c byte) bool { return tokenBytes[c] }

var tokenBytes = func() (in [256]bool) {
	for c := byte('!'); c < 0x7f; c++ {
		in[c] = strings.IndexByte("\"'`,;()[]{}<>|\\", c) < 0
	}
	return in
}()

// original returns the position in the text of a position in the folded text.
func (v *view) original(at int) int {
	i := sort.Search(len(v.folds), func(i int) bool { return v.folds[i].at > at })
	if i == 0 {
		return at
	}
	f := v.folds[i-1]
	return at - f.at + f.back
}

// inside returns the folds that are inside [start, end) of the folded text, with text on both
// sides.
func (v *view) inside(start, end int) []foldAt {
	i := sort.Search(len(v.folds), func(i int) bool { return v.folds[i].at > start })
	j := sort.Search(len(v.folds), func(i int) bool { return v.folds[i].at >= end })
	return v.folds[i:max(i, j)]
}

// match makes a Match of a place in the folded text.
func (v *view) match(rule string, start, end int) Match {
	return Match{Rule: rule, Start: v.original(start), End: v.original(end-1) + 1}
}

// looksRandom reports whether s looks like the rest of a token, or a key's last row, and not like a
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
