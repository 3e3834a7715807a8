package redact

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// filter is a pattern with an automaton that matches wherever the pattern does. For ASCII, most
// automata are exact; otherwise the pattern decides. Both are compiled on demand. A filter may be
// used concurrently.
type filter struct {
	pattern string // in RE2 syntax

	once  sync.Once
	re    *regexp.Regexp
	exact bool // for ASCII, dfa matches exactly where re does

	mu   sync.Mutex // guards the fields below
	dfa  *dfa
	read int // number of bytes read; for tests
}

// filterLimits are high enough that most automata are exact.
var filterLimits = limits{from: 64, to: 64, anchors: true}

// newFilter returns the filter for a valid pattern.
func newFilter(pattern string) *filter { return &filter{pattern: pattern} }

// matches reports whether the pattern matches anywhere in text.
func (f *filter) matches(text string) bool {
	f.once.Do(func() {
		tree, err := syntax.Parse(f.pattern, syntax.Perl)
		if err != nil {
			panic(err)
		}
		f.re, f.dfa, f.exact = regexp.MustCompile(f.pattern), newDFA(relax(tree, filterLimits), true), isExact(tree)
	})
	may, sure := f.mayMatch(text)
	return may && (sure || f.re.MatchString(text))
}

// mayMatch reports whether the pattern may match anywhere in text. If may is false or sure is true,
// the result is final.
func (f *filter) mayMatch(text string) (may, sure bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.dfa
	state := d.first
	bytes := byte(0)
	for i := 0; i < len(text) && d.verdicts[state] != match; i++ {
		if state == deadState {
			return false, true
		}
		f.read++
		bytes |= text[i]
		state = d.after(state, text[i])
	}
	return d.verdicts[state] != noMatch, f.exact && bytes < utf8.RuneSelf
}

// isExact reports whether relax, with filterLimits, preserves the meaning of a pattern for ASCII.
func isExact(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return false
	case syntax.OpRepeat:
		if re.Min > filterLimits.from || re.Max > max(filterLimits.to, re.Min) {
			return false
		}
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !isExact(sub) })
}
