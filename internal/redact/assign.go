package redact

import (
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Many of gitleaks' patterns require an assignment between a name and its value (see redact/gen).
// Matching is slow if there are many names and few values, so assigns looks ahead first.
const (
	nameTail   = 24 // maximum distance from a word to the sign after it, in bytes
	beforeWord = 10 // maximum distance from the sign to the value, in bytes
	minValue   = 10 // minimum length of a value of the generic rule, in bytes; it contains a digit
	maxValue   = 150
)

// What a byte may be in an assignment.
const (
	signByte  = 1 << iota // may be between name and value
	valueByte             // may be in a value of the generic rule
	digitByte
)

var byteKinds = func() (kinds [256]uint8) {
	for c := range kinds {
		if isWord(byte(c)) || strings.IndexByte(".=+/-", byte(c)) >= 0 {
			kinds[c] |= valueByte
		}
		if c >= '0' && c <= '9' {
			kinds[c] |= digitByte
		}
		if strings.IndexByte("=>:|,", byte(c)) >= 0 {
			kinds[c] |= signByte
		}
	}
	return kinds
}()

// assigns reports whether a value may follow the name whose word ends at end. True may be wrong,
// false is certain.
func (r *rule) assigns(v *view, end int) bool {
	text := v.folded[end:min(len(v.folded), end+nameTail+beforeWord+maxValue)]
	sign := 0
	for sign < len(text) && byteKinds[text[sign]]&signByte == 0 {
		if sign++; sign >= nameTail {
			return false
		}
	}
	if sign == len(text) {
		return false
	}
	if r.id != genericRule {
		return true
	}
	run, digits := 0, uint8(0)
	for i := sign; i < len(text); i++ {
		kind := byteKinds[text[i]]
		if kind&valueByte == 0 {
			if i > nameTail+beforeWord {
				return false
			}
			run, digits = 0, 0
			continue
		}
		run++
		if digits |= kind & digitByte; digits != 0 && run >= minValue {
			return true
		}
	}
	return false
}

// nextParameter matches an "&" that ends a value in a URL or a shell's command.
var nextParameter = lazy.Regexp(`&(?:&|amp;|[A-Za-z0-9_.-]+=)`)

// maxTail is the maximum length that valueEnd adds to a value, in bytes. A private key in base64
// fits.
const maxTail = 4 << 10

// valueEnd returns the end of the value that a pattern found at m. The pattern stops at the first
// character that is rare in tokens, but a quoted value continues to its closing quote. Without
// quotes, it ends at a blank or a separator.
func (v *view) valueEnd(m span) int {
	rest := v.folded[m.end:min(len(v.folded), m.end+maxTail)]
	if m.start > 0 && isQuote(v.folded[m.start-1]) {
		quote := v.folded[m.start-1 : m.start]
		if inner, _, closed := strings.Cut(rest, quote); closed && !strings.Contains(inner, "\n") {
			return m.end + len(strings.TrimRight(inner, `\`))
		}
	}
	n := 0
	for n < len(rest) && inToken(rest[n]) {
		n++
	}
	rest = rest[:n]
	if loc := nextParameter().FindStringIndex(rest); loc != nil {
		rest = rest[:loc[0]]
	}
	end := m.end + len(strings.TrimSuffix(rest, "**")) // of Markdown
	folds := v.inside(m.end-1, end)
	for i, f := range folds {
		next := end
		if i+1 < len(folds) {
			next = folds[i+1].at
		}
		if !v.goesOn(f.at, next) {
			return f.at
		}
	}
	return end
}
