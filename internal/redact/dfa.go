package redact

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// dfa is a deterministic automaton that creates its states on demand. It must not be used
// concurrently.
type dfa struct {
	prog     *syntax.Prog
	again    bool       // a match may begin at each byte
	class    [256]uint8 // class of each byte; bytes of a class are treated alike by all instructions
	reads    [][]bool   // by class and instruction: whether it reads the class
	sets     [][]uint32 // by state: the instructions that read the next byte
	verdicts []verdict  // by state
	next     []int32    // next state by state and class; 0 if not yet known
	ids      map[string]int32
	first    int32  // state at the start of the text
	start    int32  // state in which a match begins elsewhere
	visited  []bool // buffer, by instruction
}

// verdict tells whether a match ends in a state.
type verdict uint8

const (
	noMatch    verdict = iota
	matchAtEnd         // only if the text ends there
	match
)

const (
	deadState = 1    // the state from which nothing matches
	maxStates = 2000 // beyond it, all states are dropped
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

// forget drops all states except the dead one and those in which a match begins.
func (d *dfa) forget() {
	d.sets, d.verdicts, d.next, d.ids = nil, nil, nil, map[string]int32{}
	d.add(nil, noMatch) // state 0 must not exist, see next
	d.ids = map[string]int32{}
	d.add(nil, noMatch)
	d.start = d.add(d.reach([]uint32{uint32(d.prog.Start)}, false))
	d.first = d.add(d.reach([]uint32{uint32(d.prog.Start)}, true))
}

// add returns the state for a set of instructions.
func (d *dfa) add(set []uint32, v verdict) int32 {
	key := make([]byte, 0, 4*len(set)+1)
	for _, pc := range set {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	key = append(key, byte(v))
	id, ok := d.ids[string(key)]
	if !ok {
		id = int32(len(d.sets))
		d.ids[string(key)] = id
		d.sets, d.verdicts, d.next = append(d.sets, set), append(d.verdicts, v), append(d.next,
			make([]int32, len(d.reads))...)
	}
	return id
}

// reach follows instructions up to those that read a byte. It returns those, in order, and whether
// it reached a match. atStart means that no byte was read before.
func (d *dfa) reach(from []uint32, atStart bool) (set []uint32, v verdict) {
	clear(d.visited)
	var ends []uint32 // where to continue at the end of the text
	atEnd := false
	for {
		if len(from) == 0 {
			if atEnd || len(ends) == 0 || v == match {
				break
			}
			from, atEnd = ends, true
		}
		pc := from[len(from)-1]
		from = from[:len(from)-1]
		if d.visited[pc] {
			continue
		}
		d.visited[pc] = true
		switch i := &d.prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			from = append(from, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop:
			from = append(from, i.Out)
		case syntax.InstEmptyWidth:
			switch {
			case syntax.EmptyOp(i.Arg) == syntax.EmptyBeginText && !atStart:
			case syntax.EmptyOp(i.Arg) == syntax.EmptyEndText && !atEnd:
				ends = append(ends, i.Out)
			default:
				from = append(from, i.Out)
			}
		case syntax.InstMatch:
			if v = match; atEnd {
				v = matchAtEnd
			}
		case syntax.InstFail:
		default:
			if !atEnd {
				set = append(set, pc)
			}
		}
	}
	slices.Sort(set)
	return set, v
}

// after returns the state after a byte.
func (d *dfa) after(state int32, c byte) int32 {
	class := d.class[c]
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
	set, v := d.reach(from, false)
	if len(d.sets) >= maxStates {
		d.forget()
		return d.add(set, v)
	}
	next := d.add(set, v)
	d.next[int(state)*len(d.reads)+int(class)] = next
	return next
}
