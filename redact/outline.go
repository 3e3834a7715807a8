package redact

import (
	"encoding/binary"
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
// Its characters stand for bytes of UTF-8, and for the text's edges.
func relax(re *syntax.Regexp, l limits) *syntax.Regexp {
	out := &syntax.Regexp{Op: re.Op, Min: re.Min, Max: re.Max}
	if l.edges {
		switch re.Op {
		case syntax.OpBeginText:
			return &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{textStart}}
		case syntax.OpEndText:
			return &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{textEnd}}
		}
	}
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
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
		if d.accepts[state] {
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
		if state = d.after(state, text[at]); d.accepts[state] {
			found(at)
		}
	}
}

// dfa is a deterministic automaton that makes its states when it first comes to them.
type dfa struct {
	prog    *syntax.Prog
	again   bool           // a match may begin at each byte
	class   [256 + 2]uint8 // of bytes, and edges, that all instructions treat alike
	reads   [][]bool       // by class and instruction
	sets    [][]uint32     // of a state: the instructions that read the next byte
	accepts []bool         // of a state: a match ends here
	next    []int32        // by state and class; 0: not yet known
	ids     map[string]int32
	start   int32
	visited []bool // scratch: by instruction
}

// The edges of a text, as a dfa reads them.
const (
	textStart = 256
	textEnd   = 257
)

const (
	deadState = 1    // the state from which nothing matches
	maxStates = 2000 // then all are forgotten
)

func newDFA(tree *syntax.Regexp, again bool) *dfa {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		panic(err) // it was valid before
	}
	d := &dfa{prog: prog, again: again, visited: make([]bool, len(prog.Inst))}
	known := map[string]uint8{}
	for c := range d.class {
		reads := make([]bool, len(prog.Inst))
		key := make([]byte, len(prog.Inst))
		for pc := range prog.Inst {
			if readsByte(&prog.Inst[pc], rune(c)) {
				reads[pc], key[pc] = true, 1
			}
		}
		class, ok := known[string(key)]
		if !ok {
			class = uint8(len(d.reads))
			known[string(key)], d.reads = class, append(d.reads, reads)
		}
		d.class[c] = class
	}
	d.forget()
	return d
}

func readsByte(i *syntax.Inst, c rune) bool {
	switch i.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return i.MatchRune(c)
	}
	return false
}

// forget drops all states but the dead one and the first.
func (d *dfa) forget() {
	d.sets, d.accepts, d.next, d.ids = nil, nil, nil, map[string]int32{}
	d.add(nil, false) // no state has the number that says that it is not known
	d.ids = map[string]int32{}
	d.add(nil, false)
	d.start = d.add(d.reach([]uint32{uint32(d.prog.Start)}))
}

// add returns the state of a set of instructions.
func (d *dfa) add(set []uint32, accepts bool) int32 {
	key := make([]byte, 0, 4*len(set)+1)
	for _, pc := range set {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	if accepts {
		key = append(key, 1)
	}
	id, ok := d.ids[string(key)]
	if !ok {
		id = int32(len(d.sets))
		d.ids[string(key)] = id
		d.sets, d.accepts, d.next = append(d.sets, set), append(d.accepts, accepts), append(d.next, make([]int32, len(d.reads))...)
	}
	return id
}

// reach returns the instructions that read a byte, of those that the given ones lead to, in order,
// and whether a match is among them.
func (d *dfa) reach(from []uint32) (set []uint32, accepts bool) {
	clear(d.visited)
	for len(from) > 0 {
		pc := from[len(from)-1]
		from = from[:len(from)-1]
		if d.visited[pc] {
			continue
		}
		d.visited[pc] = true
		switch i := &d.prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			from = append(from, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			from = append(from, i.Out)
		case syntax.InstMatch:
			accepts = true
		case syntax.InstFail:
		default:
			set = append(set, pc)
		}
	}
	slices.Sort(set)
	return set, accepts
}

// after returns the state behind a byte.
func (d *dfa) after(state int32, c byte) int32 { return d.step(state, d.class[c]) }

// step returns the state behind one of a class.
func (d *dfa) step(state int32, class uint8) int32 {
	if next := d.next[int(state)*len(d.reads)+int(class)]; next != 0 {
		return next
	}
	var from []uint32
	if d.again {
		from = append(from, uint32(d.prog.Start))
	}
	for _, pc := range d.sets[state] {
		if d.reads[class][pc] {
			from = append(from, d.prog.Inst[pc].Out)
		}
	}
	set, accepts := d.reach(from)
	if len(d.sets) >= maxStates {
		d.forget()
		return d.add(set, accepts)
	}
	next := d.add(set, accepts)
	d.next[int(state)*len(d.reads)+int(class)] = next
	return next
}
