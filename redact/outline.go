package redact

import (
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// outline matches wherever a pattern does, and in more places: it knows no anchors, no word
// boundaries and no high counts. Most places in which a word is are no secret, and an outline shows
// it in a few nanoseconds a byte; a pattern takes about a hundred. It may be used concurrently.
type outline struct {
	mu       sync.Mutex
	forward  *dfa
	backward *dfa
	read     int // bytes, of all texts
}

const (
	outlineMin = 16 // counts from below are lowered to this
	outlineMax = 4  // higher counts from above are left out
	outlineFew = 8  // characters that are not ASCII: if a class has more, it gets all of them
)

// newOutline makes the outline of a valid pattern.
func newOutline(pattern string) *outline {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err) // redact/gen has parsed it
	}
	tree = relax(tree, limits{from: outlineMin, to: outlineMax})
	return &outline{forward: newDFA(tree, false), backward: newDFA(turn(tree), true)}
}

// limits say what an automaton knows of a pattern.
type limits struct {
	from, to int  // counts: higher ones from below are lowered, higher ones from above left out
	edges    bool // of the text
}

// relax returns a tree that matches where re does and more: what is beyond the limits is left out.
// Its characters stand for bytes of UTF-8.
func relax(re *syntax.Regexp, l limits) *syntax.Regexp {
	out := &syntax.Regexp{Op: re.Op, Min: re.Min, Max: re.Max}
	switch re.Op {
	case syntax.OpBeginText, syntax.OpEndText:
		if !l.edges {
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

// byteClass returns a tree for the UTF-8 of one character of the ranges, which are pairs. Where
// more than a few characters are not ASCII, it takes all of them.
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

// turn returns a tree that matches what re matches, from its end to its beginning.
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

// extent follows a match that begins where text does. last is where the longest one ends, or -1 if
// there is none; open reports whether one may end behind text.
func (o *outline) extent(text string) (last int, open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d, state := o.forward, o.forward.start
	last = -1
	for i := range len(text) {
		o.read++
		if state = d.after(state, text[i]); state == deadState {
			return last, false
		}
		if d.verdicts[state] == match {
			last = i + 1
		}
	}
	return last, true
}

// starts calls found with the places of text[start:end] in which a match of it begins, the last one
// first.
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
