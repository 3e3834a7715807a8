package redact

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// filter is a pattern, with an automaton that tells, in a few nanoseconds a byte, of most texts
// that it matches nothing. The automaton knows what an outline does, and the edges of the text. A
// filter is made when it is first asked, and may be used concurrently.
type filter struct {
	pattern string // RE2, valid

	once  sync.Once
	re    *regexp.Regexp
	exact bool // in ASCII, the automaton is right

	mu   sync.Mutex
	dfa  *dfa
	read int // bytes, of all texts
}

// filterLimits let most filters be exact: they have few counts.
var filterLimits = limits{from: 64, to: 64, edges: true}

func newFilter(pattern string) *filter { return &filter{pattern: pattern} }

// matches reports whether the pattern matches somewhere in text.
func (f *filter) matches(text string) bool {
	f.once.Do(func() {
		tree, err := syntax.Parse(f.pattern, syntax.Perl)
		if err != nil {
			panic(err) // redact/gen has parsed it, or a test
		}
		f.re, f.dfa, f.exact = regexp.MustCompile(f.pattern), newDFA(relax(tree, filterLimits), true), isExact(tree)
	})
	may, sure := f.mayMatch(text)
	return may && (sure || f.re.MatchString(text))
}

// mayMatch reports whether the pattern may match somewhere in text, and, if so, whether that is
// sure.
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

// isExact reports whether relax leaves out nothing of a pattern but what is not ASCII.
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
