package redact

import "strings"

const (
	lookBack   = 128 // bytes before a keyword in which a match may begin that does not begin with it
	context    = 8   // bytes behind a match that its pattern may look at
	maxFolds   = 10  // rows after which a secret's end is looked for from behind
	rowsBefore = 160 // bytes before a word that show how wide the rows are
	rowsBehind = 400 // bytes behind it in which most secrets end, with what wraps them
	ownReach   = 512 // bytes behind a row's end that an own pattern may take from the rows below

	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits       = "0123456789"
)

// findKnown returns what the well-known rules find near their words; in a view of words, those
// rules that want a blank somewhere. around has the places of the folded text in which such a rule
// may find something.
func findKnown(v *view) (matches []Match, around []span) {
	if !v.mayHaveWord() {
		return nil, nil
	}
	var done []int // where the last match of each rule ends
	known().each(v.folded, func(word, end int) {
		if word >= len(knownWords) {
			if !v.breaksAt(end) {
				return
			}
			around = appendSpan(around, span{max(0, end-rowsBefore), min(len(v.folded), end+rowsBehind)})
			return
		}
		if done == nil { // most texts hold no word
			done = make([]int, len(knownRules))
		}
		at := end - len(knownWords[word])
		for i, n := range byWord[word] {
			r := knownRules[n]
			if r.blank {
				around = appendSpan(around, span{max(0, at-rowsBefore), min(len(v.folded), end+r.rowsBehind())})
			} else if v.blanks {
				continue
			}
			if at < done[n] || v.hard && len(v.inside(at-lookBack, at+r.reach)) == 0 {
				continue
			}
			if r.anchored && !aheads()[word][i]().fits(v.folded[end:]) {
				continue
			}
			for _, m := range r.near(v, at, end) {
				matches = append(matches, v.match(r.id, m.start, m.end))
				done[n] = max(done[n], m.end)
			}
		}
	})
	return matches, around
}

// breaksAt reports whether a row of the text ends at a position of the folded text.
func (v *view) breaksAt(end int) bool {
	if len(v.inside(end-1, end+1)) > 0 {
		return true
	}
	rest := strings.TrimLeft(strings.TrimLeft(v.folded[end:min(len(v.folded), end+lookBack)], " \t\r"), borderRune)
	return strings.HasPrefix(rest, "\n")
}

// appendSpan adds a span that begins behind the others, or in the last one.
func appendSpan(spans []span, s span) []span {
	if n := len(spans); n > 0 && s.start <= spans[n-1].end {
		spans[n-1].end = max(spans[n-1].end, s.end)
		return spans
	}
	return append(spans, s)
}

// span is a secret in the folded text.
type span struct{ start, end int }

// near returns the secrets of the rule whose word is at [at, wordEnd) of the folded text.
func (r *rule) near(v *view, at, wordEnd int) (found []span) {
	if r.anchored {
		if r.wordStart && v.wordBefore(at) || r.assigned && !r.assigns(v, wordEnd) {
			return nil
		}
		if v.words {
			return r.anchoredAt(v, at, min(len(v.folded), at+r.reach+context))
		}
		return v.grow(at, at+r.reach+context, func(end int) []span { return r.anchoredAt(v, at, end) })
	}
	start, end := max(0, at-lookBack), at+r.reach+context
	if v.words {
		return r.within(v, start, min(len(v.folded), end))
	}
	starts := []int{start}
	for _, f := range v.inside(start, at+1) { // a row may be the first of its text
		starts = append(starts, f.at)
	}
	for _, start := range starts {
		found = append(found, v.grow(max(start, at), end, func(end int) []span { return r.within(v, start, end) })...)
	}
	return found
}

// grow searches up to each break that may have cut a token, as if the text ended there, and then up
// to the limit. What grows over a break by what may be a word of the next row is left as it was.
func (v *view) grow(from, limit int, search func(end int) []span) (found []span) {
	limit = min(limit, len(v.folded))
	whole := search(limit)
	if v.hard && len(whole) == 0 { // what ends in a row, others find
		return nil
	}
	ends := v.inside(from, limit)
	for _, f := range ends[:min(len(ends), maxFolds)] {
		found = v.extend(found, search(f.at))
	}
	for i := range whole {
		whole[i] = v.shorten(whole[i], search)
	}
	return v.extend(found, whole)
}

// shorten takes from the end of a secret of many rows what may be the first word of the next row.
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
			if rest := v.folded[f.end:m.end]; looksRandom(rest) && (mixed(rest) || !v.names(m.end)) {
				found[i] = m
			}
		}
		if !known {
			found = append(found, m)
		}
	}
	return found
}

// mixed reports whether s has lower-case and upper-case letters and digits, as few names have.
func mixed(s string) bool {
	return strings.ContainsAny(s, lowerLetters) && strings.ContainsAny(s, upperLetters) && strings.ContainsAny(s, digits)
}

// names reports whether what ends at end is the name of something: an assignment follows.
func (v *view) names(end int) bool {
	return end < len(v.folded) && (v.folded[end] == '=' || v.folded[end] == ':')
}

// anchoredAt returns the secret of a match that begins at at, in the text up to end.
func (r *rule) anchoredAt(v *view, at, end int) []span {
	for {
		loc := r.compiled().FindStringSubmatchIndex(v.folded[at:end])
		if loc == nil {
			return nil
		}
		if at+loc[1] == end && end < len(v.folded) && end-at > r.reach && end-at < len(v.folded) && v.cutsNothing(end) {
			end = min(len(v.folded), end+2*(end-at)) // it goes on: see how far
			continue
		}
		return r.secret(v, at, loc)
	}
}

// cutsNothing reports whether the search ends at end because of its length, and not at a break.
func (v *view) cutsNothing(end int) bool { return len(v.inside(end-1, end+1)) == 0 }

// within returns the secrets of all matches in [start, end).
func (r *rule) within(v *view, start, end int) (found []span) {
	for _, loc := range r.compiled().FindAllStringSubmatchIndex(v.folded[start:end], -1) {
		if loc[0] == 0 && loc[1] > 0 && v.wordBefore(start) && isWord(v.folded[start]) {
			continue // the window cut it out of something longer
		}
		found = append(found, r.secret(v, start, loc)...)
	}
	return found
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
		if !r.isSecret(v.folded[m.start:m.end], match, v.row(m.start)) {
			return nil
		}
	}
	return []span{m}
}

// nameStart returns the start of the name that ends at at: what nameBefore was in the pattern.
func (v *view) nameStart(at int) int {
	start := at
	for start > max(0, at-50) && (isWord(v.folded[start-1]) || v.folded[start-1] == '.' || v.folded[start-1] == '-') {
		start--
	}
	return start
}

// row returns the line of the text around a position of the folded text.
func (v *view) row(at int) string {
	at = v.original(at)
	start := strings.LastIndexByte(v.text[:at], '\n') + 1
	row, _, _ := strings.Cut(v.text[start:], "\n")
	return row
}

// wordBefore reports whether a letter, a digit or _ is to the left of at in its row.
func (v *view) wordBefore(at int) bool {
	if at == 0 || !isWord(v.folded[at-1]) {
		return false
	}
	return len(v.inside(at-1, at+1)) == 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// everywhere returns the secrets of a rule without words, which is a pattern of the user's own.
func (r *rule) everywhere(v *view) (matches []Match) {
	for _, loc := range r.compiled().FindAllStringSubmatchIndex(v.text, -1) {
		for _, m := range r.secret(&view{text: v.text, folded: v.text}, 0, loc) {
			matches = append(matches, Match{r.id, m.start, m.end})
		}
	}
	start := 0
	for _, f := range v.folds { // what begins in the row before the break and goes over it
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
