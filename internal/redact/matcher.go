package redact

import (
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// matcher matches a pattern at the start of a text, with its groups. It has the same result as
// package regexp, several times faster: it takes a repetition of one character, such as
// [a-z]{8,200}, in one step, where regexp has 200 instructions. Like regexp, it executes each
// instruction at most once at each offset of the text.
//
// A matcher may be used concurrently.
type matcher struct {
	once     sync.Once
	ops      []op
	first    int // index of the first instruction in ops
	slots    int // two for each group, and two for the match
	branches int // number of ops with several ways to continue
}

// op is an instruction of a matcher.
type op struct {
	kind   opKind
	next   int // index in ops
	other  int // fork: the alternative, if next does not lead to a match
	branch int // fork, many: its index among them
	class  *class
	most   int // many: maximum number of characters; -1: no limit
	least  int // many: minimum number of characters
	lazy   bool
	slot   int            // save: slot in which to store the offset
	empty  syntax.EmptyOp // look: the required condition
}

type opKind uint8

const (
	done opKind = iota // the pattern matches
	fail
	one  // one character
	many // several characters of one class
	fork
	save
	look // a condition between two characters
)

// class is a set of characters.
type class struct {
	ascii  [2]uint64
	beyond []rune // pairs of a first and a last character
}

func newClass(ranges []rune) *class {
	c := &class{}
	for k := 0; k+1 < len(ranges); k += 2 {
		first, last := ranges[k], ranges[k+1]
		for ; first <= min(last, unicode.MaxASCII); first++ {
			c.ascii[first>>6] |= 1 << (first & 63)
		}
		if first <= last {
			c.beyond = append(c.beyond, first, last)
		}
	}
	return c
}

// width returns the length in bytes of the character at an offset of a text, or 0 if it is not in
// c.
func (c *class) width(text string, at int) int {
	if at == len(text) {
		return 0
	}
	if b := text[at]; b < utf8.RuneSelf {
		return int(c.ascii[b>>6] >> (b & 63) & 1)
	}
	r, n := utf8.DecodeRuneInString(text[at:])
	for k := 0; k < len(c.beyond) && r >= c.beyond[k]; k += 2 {
		if r <= c.beyond[k+1] {
			return n
		}
	}
	return 0
}

// from returns m. The first call compiles a valid pattern, preceded by before.
func (m *matcher) from(before, pattern string) *matcher {
	m.once.Do(func() {
		tree, err := syntax.Parse(before+`(?:`+pattern+`)`, syntax.Perl)
		if err != nil {
			panic(err)
		}
		m.slots = 2 * (tree.MaxCap() + 1)
		m.first = m.tree(tree, m.add(op{kind: done}))
	})
	return m
}

func (m *matcher) add(o op) int {
	if o.kind == fork || o.kind == many {
		o.branch = m.branches
		m.branches++
	}
	m.ops = append(m.ops, o)
	return len(m.ops) - 1
}

// tree adds the instructions for re, which continue with next, and returns the first of them.
func (m *matcher) tree(re *syntax.Regexp, next int) int {
	lazy := re.Flags&syntax.NonGreedy != 0
	switch re.Op {
	case syntax.OpNoMatch:
		return m.add(op{kind: fail})
	case syntax.OpLiteral:
		for i := len(re.Rune) - 1; i >= 0; i-- {
			next = m.add(op{kind: one, next: next, class: newClass(spellings(re.Rune[i], re.Flags))})
		}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return m.add(op{kind: one, next: next, class: newClass(characters(re))})
	case syntax.OpBeginLine:
		return m.add(op{kind: look, next: next, empty: syntax.EmptyBeginLine})
	case syntax.OpEndLine:
		return m.add(op{kind: look, next: next, empty: syntax.EmptyEndLine})
	case syntax.OpBeginText:
		return m.add(op{kind: look, next: next, empty: syntax.EmptyBeginText})
	case syntax.OpEndText:
		return m.add(op{kind: look, next: next, empty: syntax.EmptyEndText})
	case syntax.OpWordBoundary:
		return m.add(op{kind: look, next: next, empty: syntax.EmptyWordBoundary})
	case syntax.OpNoWordBoundary:
		return m.add(op{kind: look, next: next, empty: syntax.EmptyNoWordBoundary})
	case syntax.OpCapture:
		end := m.add(op{kind: save, next: next, slot: 2*re.Cap + 1})
		return m.add(op{kind: save, next: m.tree(re.Sub[0], end), slot: 2 * re.Cap})
	case syntax.OpConcat:
		for i := len(re.Sub) - 1; i >= 0; i-- {
			next = m.tree(re.Sub[i], next)
		}
	case syntax.OpAlternate:
		first := m.tree(re.Sub[len(re.Sub)-1], next)
		for i := len(re.Sub) - 2; i >= 0; i-- {
			first = m.add(op{kind: fork, next: m.tree(re.Sub[i], next), other: first})
		}
		return first
	case syntax.OpQuest:
		return m.repeat(re.Sub[0], 0, 1, lazy, next)
	case syntax.OpStar:
		return m.repeat(re.Sub[0], 0, -1, lazy, next)
	case syntax.OpPlus:
		return m.repeat(re.Sub[0], 1, -1, lazy, next)
	case syntax.OpRepeat:
		return m.repeat(re.Sub[0], re.Min, re.Max, lazy, next)
	}
	return next
}

// repeat is tree for a repetition of re. If most is -1, there is no limit.
func (m *matcher) repeat(re *syntax.Regexp, least, most int, lazy bool, next int) int {
	if ranges := characters(re); ranges != nil {
		return m.add(op{kind: many, next: next, class: newClass(ranges), least: least, most: most, lazy: lazy})
	}
	either := func(again, next int) op {
		if lazy {
			again, next = next, again
		}
		return op{kind: fork, next: again, other: next}
	}
	first := next
	switch {
	case most >= 0:
		for range most - least {
			first = m.add(either(m.tree(re, first), next))
		}
	default:
		loop := m.add(op{kind: fork})
		again := m.tree(re, loop)
		branch := m.ops[loop].branch
		m.ops[loop] = either(again, next)
		m.ops[loop].branch = branch
		switch {
		case least > 0:
			first, least = again, least-1
		case mayBeEmpty(re):
			first = m.add(either(again, next))
		default:
			first = loop
		}
	}
	for range least {
		first = m.tree(re, first)
	}
	return first
}

// characters returns the ranges of the characters that re matches, or nil if it matches anything
// but single characters.
func characters(re *syntax.Regexp) []rune {
	switch re.Op {
	case syntax.OpCharClass:
		return re.Rune
	case syntax.OpAnyChar:
		return []rune{0, unicode.MaxRune}
	case syntax.OpAnyCharNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case syntax.OpLiteral:
		if len(re.Rune) == 1 {
			return spellings(re.Rune[0], re.Flags)
		}
	}
	return nil
}

// spellings returns the ranges of a character, and of its other cases if the flags ask for them.
func spellings(c rune, flags syntax.Flags) []rune {
	ranges := []rune{c, c}
	if flags&syntax.FoldCase != 0 {
		for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
			ranges = append(ranges, f, f)
		}
	}
	return ranges
}

// mayBeEmpty reports whether re matches the empty text.
func mayBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoMatch, syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return mayBeEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || mayBeEmpty(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !mayBeEmpty(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, mayBeEmpty)
	}
	return true
}

// matching is the state of a matcher on one text.
type matching struct {
	*matcher
	text    string
	places  []int    // offset of each slot
	jobs    []job    // a stack
	visited []uint64 // bits by branch and offset, two for each
	steps   int
}

// job is an alternative to try if there is no match yet.
type job struct {
	kind jobKind
	op   int // restore: the slot
	at   int // offset in the text
	left int // shorten: the first offset to end at; lengthen: maximum number of further characters, or -1
}

type jobKind uint8

const (
	walk jobKind = iota
	restore
	shorten  // a greedy span
	lengthen // a lazy span
)

var matchings = sync.Pool{New: func() any { return &matching{} }}

// find returns what FindStringSubmatchIndex of package regexp returns for a match at the start of
// text. steps counts the work: about one for each byte that an instruction looks at.
func (m *matcher) find(text string) (loc []int, steps int) {
	w := matchings.Get().(*matching)
	defer matchings.Put(w)
	w.begin(m, text)
	if w.run() {
		loc = slices.Clone(w.places)
	}
	w.matcher, w.text = nil, ""
	return loc, w.steps
}

func (w *matching) begin(m *matcher, text string) {
	w.matcher, w.text, w.steps = m, text, 0
	w.jobs = append(w.jobs[:0], job{op: m.first})
	w.places = w.places[:0]
	for range m.slots {
		w.places = append(w.places, -1)
	}
	w.places[0] = 0
	words := (2*m.branches*(len(text)+1) + 63) / 64
	if words > cap(w.visited) {
		w.visited = make([]uint64, words)
	}
	w.visited = w.visited[:words]
	clear(w.visited)
}

// visit reports whether a branch is reached at this offset for the first time. Its start (after is
// 0) and its end (after is 1) count separately.
func (w *matching) visit(branch, at, after int) bool {
	n := (2*branch+after)*(len(w.text)+1) + at
	first := w.visited[n/64]&(1<<(n%64)) == 0
	w.visited[n/64] |= 1 << (n % 64)
	return first
}

// run reports whether there is a match.
func (w *matching) run() bool {
	for len(w.jobs) > 0 {
		j := w.jobs[len(w.jobs)-1]
		w.jobs = w.jobs[:len(w.jobs)-1]
		w.steps++
		switch j.kind {
		case walk:
			if w.walk(j.op, j.at) {
				return true
			}
		case restore:
			w.places[j.op] = j.at
		case shorten:
			_, n := utf8.DecodeLastRuneInString(w.text[:j.at])
			if j.at -= n; j.at > j.left {
				w.jobs = append(w.jobs, j)
			}
			if w.after(j.op, j.at) {
				return true
			}
		case lengthen:
			n := w.ops[j.op].class.width(w.text, j.at)
			if n == 0 {
				continue
			}
			j.at += n
			if j.left--; j.left != 0 {
				w.jobs = append(w.jobs, j)
			}
			if w.after(j.op, j.at) {
				return true
			}
		}
	}
	return false
}

// after continues with the instruction after a span, which ends at an offset of the text.
func (w *matching) after(many, at int) bool {
	o := &w.ops[many]
	return w.visit(o.branch, at, 1) && w.walk(o.next, at)
}

// walk executes the instructions from next on, at an offset of the text. It reports whether they
// lead to a match.
func (w *matching) walk(next, at int) bool {
	for {
		w.steps++
		o := &w.ops[next]
		switch o.kind {
		case done:
			w.places[1] = at
			return true
		case fail:
			return false
		case one:
			n := o.class.width(w.text, at)
			if n == 0 {
				return false
			}
			at += n
		case many:
			end := w.many(next, o, at)
			if end < 0 || !w.visit(o.branch, end, 1) {
				return false
			}
			at = end
		case fork:
			if !w.visit(o.branch, at, 0) {
				return false
			}
			w.jobs = append(w.jobs, job{op: o.other, at: at})
		case save:
			w.jobs = append(w.jobs, job{kind: restore, op: o.slot, at: w.places[o.slot]})
			w.places[o.slot] = at
		case look:
			if o.empty&^edges(w.text, at) != 0 {
				return false
			}
		}
		next = o.next
	}
}

// many returns the end of the preferred span of instruction n that begins at an offset of the text,
// or -1 if none matches there. It adds a job that tries the spans of other lengths.
func (w *matching) many(n int, o *op, at int) int {
	if !w.visit(o.branch, at, 0) {
		return -1
	}
	end, least := at, at // least is the end of the shortest span
	count := 0
	for count != o.most && !(o.lazy && count == o.least) {
		size := o.class.width(w.text, end)
		if size == 0 {
			break
		}
		end += size
		if count++; count == o.least {
			least = end
		}
	}
	w.steps += (end - at) / spanSpeed
	switch {
	case count < o.least:
		return -1
	case o.lazy && o.most != o.least:
		w.jobs = append(w.jobs, job{kind: lengthen, op: n, at: end, left: o.most - o.least})
	case end > least:
		w.jobs = append(w.jobs, job{kind: shorten, op: n, at: end, left: least})
	}
	return end
}

// spanSpeed is the number of bytes of a span that take as long as a step.
const spanSpeed = 4

// edges returns the conditions that hold between two characters.
func edges(text string, at int) syntax.EmptyOp {
	before, after := rune(-1), rune(-1)
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(text[:at])
	}
	if at < len(text) {
		after, _ = utf8.DecodeRuneInString(text[at:])
	}
	return syntax.EmptyOpContext(before, after)
}
