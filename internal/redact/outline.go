package redact

import (
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// outline is a pair of automata that match wherever a pattern does, and in more places, because
// they ignore anchors, word boundaries and high counts. They take a few nanoseconds a byte; a
// pattern takes about a hundred. An outline may be used concurrently.
type outline struct {
	mu       sync.Mutex // guards the fields below
	forward  *dfa       // finds the end of a match
	backward *dfa       // finds the start of a match
	read     int        // number of bytes read; for tests
}

const (
	outlineMin = 16 // maximum lower bound of a repetition
	outlineMax = 4  // maximum upper bound of a repetition
	outlineFew = 8  // a class with more characters beyond ASCII gets all of them
)

// newOutline returns the outline of a pattern. It panics if the pattern is invalid.
func newOutline(pattern string) *outline {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	tree = relax(tree, limits{from: outlineMin, to: outlineMax})
	return &outline{forward: newDFA(tree, false), backward: newDFA(turn(tree), true)}
}

// limits define which details of a pattern an automaton keeps.
type limits struct {
	from, to int  // a lower bound above from becomes from; an upper bound above to becomes infinite
	anchors  bool // keep \A and \z
}

// relax returns a tree for bytes of UTF-8 that matches wherever re does. It may match in more
// places, because of the limits and because it ignores line anchors and word boundaries.
func relax(re *syntax.Regexp, l limits) *syntax.Regexp {
	out := &syntax.Regexp{Op: re.Op, Min: re.Min, Max: re.Max}
	switch re.Op {
	case syntax.OpBeginText, syntax.OpEndText:
		if !l.anchors {
			out.Op = syntax.OpEmptyMatch
		}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		out.Op = syntax.OpEmptyMatch
	case syntax.OpCapture:
		return relax(re.Sub[0], l)
	case syntax.OpRepeat:
		out.Min = min(re.Min, l.from)
		if re.Max > max(l.to, out.Min) {
			out.Max = -1
		}
	case syntax.OpLiteral:
		out.Op = syntax.OpConcat
		for _, c := range re.Rune {
			ranges := []rune{c, c}
			if re.Flags&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
					ranges = append(ranges, f, f)
				}
			}
			out.Sub = append(out.Sub, byteClass(ranges))
		}
	case syntax.OpCharClass:
		return byteClass(re.Rune)
	case syntax.OpAnyChar:
		return byteClass([]rune{0, unicode.MaxRune})
	case syntax.OpAnyCharNotNL:
		return byteClass([]rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune})
	}
	for _, sub := range re.Sub {
		out.Sub = append(out.Sub, relax(sub, l))
	}
	return out
}

// byteClass returns a tree for the UTF-8 of one character. ranges are pairs of a first and a last
// character. If more than outlineFew of them are beyond ASCII, the tree matches all characters
// beyond ASCII.
func byteClass(ranges []rune) *syntax.Regexp {
	ascii := &syntax.Regexp{Op: syntax.OpCharClass}
	class := &syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{ascii}}
	few := 0
	for k := 0; k < len(ranges); k += 2 {
		first, last := ranges[k], ranges[k+1]
		if first < utf8.RuneSelf {
			ascii.Rune = append(ascii.Rune, first, min(last, utf8.RuneSelf-1))
		}
		first = max(first, utf8.RuneSelf)
		if few += int(max(0, last-first+1)); few > outlineFew {
			high := &syntax.Regexp{Op: syntax.OpCharClass, Rune: []rune{utf8.RuneSelf, 0xff}}
			class.Sub = []*syntax.Regexp{ascii, {Op: syntax.OpPlus, Sub: []*syntax.Regexp{high}}}
			continue
		}
		for c := first; c <= last; c++ {
			char := &syntax.Regexp{Op: syntax.OpLiteral}
			for _, b := range []byte(string(c)) {
				char.Rune = append(char.Rune, rune(b))
			}
			class.Sub = append(class.Sub, char)
		}
	}
	if len(ascii.Rune) == 0 {
		class.Sub = class.Sub[1:]
	}
	return class
}

// turn returns a tree that matches the reverse of what re matches.
func turn(re *syntax.Regexp) *syntax.Regexp {
	out := &syntax.Regexp{Op: re.Op, Min: re.Min, Max: re.Max, Rune: re.Rune}
	if re.Op == syntax.OpLiteral {
		out.Rune = slices.Clone(re.Rune)
		slices.Reverse(out.Rune)
	}
	for _, sub := range re.Sub {
		out.Sub = append(out.Sub, turn(sub))
	}
	if re.Op == syntax.OpConcat {
		slices.Reverse(out.Sub)
	}
	return out
}

// extent follows the matches that begin at the start of text. last is the end of the longest, or -1
// if there is none. read is the number of bytes that it has read. open reports whether a match may
// end after the text.
func (o *outline) extent(text string) (last, read int, open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d, state := o.forward, o.forward.start
	last = -1
	for i := range len(text) {
		o.read++
		if state = d.after(state, text[i]); state == deadState {
			return last, i + 1, false
		}
		if d.verdicts[state] == match {
			last = i + 1
		}
	}
	return last, len(text), true
}

// starts calls found for each offset in text[start:end] at which a match within it begins, from the
// last to the first.
func (o *outline) starts(text string, start, end int, found func(at int)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.read += end - start
	d, state := o.backward, o.backward.start
	for at := end - 1; at >= start; at-- {
		if state = d.after(state, text[at]); d.verdicts[state] == match {
			found(at)
		}
	}
}
