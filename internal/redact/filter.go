package redact

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// filter is a pattern with an automaton that matches wherever the pattern does. For ASCII, most
// automata are exact; else the pattern has the last word. Both are compiled at the first call of
// matches. A filter may be used concurrently.
type filter struct {
	pattern string // RE2

	once  sync.Once
	re    *regexp.Regexp
	exact bool // for ASCII, dfa matches exactly where re does

	mu   sync.Mutex // guards the fields below
	dfa  *dfa
	read int // number of bytes read, for tests
}

// filterLimits are high enough for most automata to be exact.
var filterLimits = limits{from: 64, to: 64, anchors: true}

// newFilter returns the filter of a valid pattern.
func newFilter(pattern string) *filter { return &filter{pattern: pattern} }

// matches reports whether the pattern matches somewhere in text.
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

// mayMatch reports whether the pattern may match somewhere in text. If it does not, or if sure is
// true, that is the final answer.
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

// isExact reports whether relax, with filterLimits, keeps all that a pattern says of ASCII.
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
