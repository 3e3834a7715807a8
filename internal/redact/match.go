package redact

import (
	"slices"
	"sort"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

const (
	lookBack   = 128 // maximum distance from the start of a match to its keyword, in bytes
	context    = 8   // number of bytes after a match that its pattern may look at
	maxFolds   = 10  // number of rows after which a secret's end is searched from the end
	rowsBefore = 160 // number of bytes before a word that show how wide the rows are
	rowsBehind = 400 // number of bytes after it in which most secrets end, including wrapping
	ownReach   = 512 // number of bytes after a row's end that a user's pattern may match in the rows below

	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits       = "0123456789"
)

// findKnown returns what the well-known rules find near their words. In a view of words, it uses
// only rules with a blank in their pattern. around are the places of the folded text in which such
// a rule may find something.
func findKnown(v *view) (matches []Match, around []span) {
	if !v.mayHaveWord() {
		return nil, nil
	}
	var spots [][]spot // by rule
	order := 0
	known().each(v.folded, func(word, end int) {
		if v.inMark(end - 1) {
			return
		}
		if word >= len(knownWords) {
			if !v.breaksAt(end) {
				return
			}
			around = appendSpan(around, span{max(0, end-rowsBefore), min(len(v.folded), end+rowsBehind)})
			return
		}
		if spots == nil { // on demand, because most texts have no word
			spots = make([][]spot, len(knownRules))
		}
		if nameWords()[word] && !v.words && !v.hard {
			v.headings = append(v.headings, v.original(end-1)+1)
		}
		at := end - len(knownWords[word])
		for _, n := range byWord[word] {
			r := knownRules[n]
			if r.blank {
				around = appendSpan(around, span{max(0, at-rowsBefore), min(len(v.folded), end+r.rowsBehind())})
			} else if v.blanks {
				continue
			}
			if r.anchored && !r.mayBegin(v, at, end) {
				continue
			}
			order++
			spots[n] = append(spots[n], spot{at, order})
		}
	})
	var found []finding
	for n, all := range spots {
		if len(all) > 0 {
			s := search{view: v, rule: knownRules[n], spots: all}
			found = append(found, s.all()...)
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int { return a.order - b.order })
	for _, f := range found {
		matches = append(matches, f.Match)
	}
	return matches, around
}

// inMark reports whether a position of the folded text is in a mark.
func (v *view) inMark(at int) bool {
	if len(v.marks) == 0 {
		return false
	}
	at = v.original(at)
	i := sort.Search(len(v.marks), func(i int) bool { return v.marks[i][1] > at })
	return i < len(v.marks) && v.marks[i][0] <= at
}

// mayBegin reports whether a match may begin with the rule's word at [at, wordEnd) of the folded
// text. It reads only a few bytes.
func (r *rule) mayBegin(v *view, at, wordEnd int) bool {
	if r.wordStart && v.wordBefore(at) || r.assigned && !r.assigns(v, wordEnd) {
		return false
	}
	last, _, open := r.outlines().extent(v.folded[at:min(len(v.folded), at+peek)])
	return last >= 0 || open
}

// breaksAt reports whether a row of the text ends at a position of the folded text.
func (v *view) breaksAt(end int) bool {
	if len(v.inside(end-1, end+1)) > 0 {
		return true
	}
	rest := strings.TrimLeft(strings.TrimLeft(v.folded[end:min(len(v.folded), end+lookBack)], " \t\r"), borderRune)
	return strings.HasPrefix(rest, "\n")
}

// appendSpan appends a span that begins after the others, or in the last one, with which it is
// merged.
func appendSpan(spans []span, s span) []span {
	if n := len(spans); n > 0 && s.start <= spans[n-1].end {
		spans[n-1].end = max(spans[n-1].end, s.end)
		return spans
	}
	return append(spans, s)
}

// span is a byte range in the folded text.
type span struct{ start, end int }

// grow searches the text up to limit, and the text up to each break before limit. A secret may
// continue after a break, or the next row may begin with a word that does not belong to it. grow
// returns the longer secret only if what follows the break looks like a part of a token.
func (v *view) grow(from, limit int, search func(end int) []span) (found []span) {
	limit = min(limit, len(v.folded))
	whole := search(limit)
	if v.hard && len(whole) == 0 { // other views find what ends within a row
		return nil
	}
	ends := v.inside(from, limit)
	ends = ends[:min(len(ends), maxFolds)]
	if len(whole) == 1 { // skip the searches with the same result
		m := whole[0]
		folds := v.inside(m.start, m.end)
		goesOn := len(folds) > 0 && v.goesOn(folds[len(folds)-1].at, m.end)
		ends = slices.DeleteFunc(slices.Clone(ends), func(f foldAt) bool {
			return f.at > m.end+context || goesOn && f.at > m.start && f.at < m.end
		})
	}
	for _, f := range ends {
		found = v.extend(found, search(f.at))
	}
	for i := range whole {
		whole[i] = v.shorten(whole[i], search)
	}
	return v.extend(found, whole)
}

// goesOn reports whether the text from a fold to end looks like the rest of a token.
func (v *view) goesOn(fold, end int) bool {
	rest := v.folded[fold:end]
	return looksRandom(rest) && (mixed(rest) || !v.names(end)) && !variable().MatchString(rest)
}

// variable matches the start of a row that sets an environment variable.
var variable = lazy.Regexp(`^[A-Z]{2,}(?:_[A-Z0-9]+)+=[^=]`)

// shorten removes from the end of a secret of many rows what may be the first word of the next row.
func (v *view) shorten(m span, search func(end int) []span) span {
	folds := v.inside(m.start, m.end)
	for i := len(folds) - 1; i >= maxFolds; i-- {
		f := folds[i]
		if looksRandom(v.folded[f.at:m.end]) {
			break
		}
		shorter := search(f.at)
		if len(shorter) == 0 || shorter[0].start != m.start || shorter[0].end != f.at {
			break
		}
		m = shorter[0]
	}
	return m
}

func (v *view) extend(found, more []span) []span {
	for _, m := range more {
		known := false
		for i, f := range found {
			if f.start != m.start {
				continue
			}
			if known = true; m.end <= f.end {
				continue
			}
			if v.goesOn(f.end, m.end) {
				found[i] = m
			}
		}
		if !known {
			found = append(found, m)
		}
	}
	return found
}

// mixed reports whether s contains lower-case and upper-case letters and digits, as few names do.
func mixed(s string) bool {
	return strings.ContainsAny(s, lowerLetters) && strings.ContainsAny(s, upperLetters) && strings.ContainsAny(s, digits)
}

// names reports whether what ends at end is a name, because an assignment follows.
func (v *view) names(end int) bool {
	return end < len(v.folded) && (v.folded[end] == '=' || v.folded[end] == ':')
}

// secret returns the part of a match to hide, if it is a secret. loc is relative to base.
func (r *rule) secret(v *view, base int, loc []int) []span {
	g := r.group
	for k := 1; g == 0 && k < len(loc)/2; k++ {
		if loc[2*k] >= 0 && loc[2*k+1] > loc[2*k] {
			g = k
		}
	}
	if 2*g+1 >= len(loc) || loc[2*g] < 0 || loc[2*g] == loc[2*g+1] {
		return nil
	}
	m := span{base + loc[2*g], base + loc[2*g+1]}
	if r.allow != nil || r.global != nil || r.entropy > 0 {
		match := v.folded[v.nameStart(base+loc[0]) : base+loc[1]]
		if !r.isSecret(v.folded[m.start:m.end], match, func() string { return v.row(m.start) }) {
			return nil
		}
	}
	return []span{m}
}

// nameStart returns the start of the name that ends at at, which nameBefore matched in the pattern.
func (v *view) nameStart(at int) int {
	start := at
	for start > max(0, at-50) && (isWord(v.folded[start-1]) || v.folded[start-1] == '.' || v.folded[start-1] == '-') {
		start--
	}
	if breaks := v.inside(start, at+1); len(breaks) > 0 { // the name begins in the last row
		return breaks[len(breaks)-1].at
	}
	return start
}

// maxLine is how much of a long line row returns on each side of a position, in bytes.
const maxLine = 1024

// row returns the line of the text around a position of the folded text.
func (v *view) row(at int) string {
	at = v.original(at)
	start, end := max(0, at-maxLine), min(len(v.text), at+maxLine)
	if n := strings.IndexByte(v.text[at:end], '\n'); n >= 0 {
		end = at + n
	}
	return v.text[start+strings.LastIndexByte(v.text[start:at], '\n')+1 : end]
}

// wordBefore reports whether a letter, a digit or _ precedes at in its row.
func (v *view) wordBefore(at int) bool {
	if at == 0 || !isWord(v.folded[at-1]) {
		return false
	}
	return len(v.inside(at-1, at+1)) == 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// within returns the secrets of all matches in [start, end).
func (r *rule) within(v *view, start, end int) (found []span) {
	for _, loc := range r.whole.from(r.pattern).FindAllStringSubmatchIndex(v.folded[start:end], -1) {
		if loc[0] == 0 && loc[1] > 0 && v.wordBefore(start) && isWord(v.folded[start]) {
			continue // start is within a word
		}
		found = append(found, r.secret(v, start, loc)...)
	}
	return found
}

// everywhere returns the matches of a rule without words, which is a user's pattern.
func (r *rule) everywhere(v *view) (matches []Match) {
	for _, loc := range r.whole.from(r.pattern).FindAllStringSubmatchIndex(v.text, -1) {
		for _, m := range r.secret(&view{text: v.text, folded: v.text}, 0, loc) {
			matches = append(matches, Match{r.id, m.start, m.end})
		}
	}
	start := 0
	for _, f := range v.folds { // matches that begin in the row before the break and cross it
		start += strings.LastIndexByte(v.folded[start:f.at], '\n') + 1
		end := min(len(v.folded), f.at+ownReach)
		for _, m := range v.grow(f.at-1, end, func(end int) []span { return r.within(v, start, end) }) {
			if m.start < f.at && m.end > f.at {
				matches = append(matches, v.match(r.id, m.start, m.end))
			}
		}
		start = f.at
	}
	return matches
}
