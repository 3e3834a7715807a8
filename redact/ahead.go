package redact

import (
	"math/bits"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// ahead knows how a match of a pattern goes on behind the word it begins with. Most places in which
// the word is are no secret, and a few bytes show it in much less time than the pattern takes.
type ahead struct {
	table [256]uint32 // of a byte: bit k is set if it can be the k-th behind the word
	ends  uint32      // bit k is set if a match can end k bytes behind the word
}

const (
	aheadBytes = 32 // that an ahead looks at
	manyBytes  = 70 // ASCII characters: if so many can be in a place, a value is there
)

// newAhead reads a valid pattern that begins with \A, for texts that begin with word, in any case.
func newAhead(pattern, word string) *ahead {
	a := &ahead{}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		a.anything(0)
		return a
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		a.anything(0)
		return a
	}
	w := &aheadWalk{ahead: a, prog: prog, seen: make([]uint32, len(prog.Inst))}
	w.skip(word)
	for k := range aheadBytes {
		if a.ends>>k&1 != 0 {
			a.anything(k)
			break
		}
		for _, pc := range w.at[k] {
			w.step(&prog.Inst[pc], k)
		}
		many := uint32(0)
		for c := range utf8.RuneSelf {
			many += a.table[c] >> k & 1
		}
		if many > manyBytes {
			a.anything(k)
			break
		}
	}
	return a
}

// anything makes all bytes fit from the k-th on.
func (a *ahead) anything(k int) {
	rest := ^uint32(0) << k
	a.ends |= rest
	for c := range a.table {
		a.table[c] |= rest
	}
}

// fits reports whether a match may go on with text. It may be wrong only if it returns true.
func (a *ahead) fits(text string) bool {
	for k := range min(len(text), aheadBytes) {
		if a.table[text[k]]>>k&1 == 0 {
			return false
		}
	}
	return len(text) >= aheadBytes || bits.TrailingZeros32(a.ends) <= len(text)
}

// aheadWalk follows the program of a pattern over the first bytes of all its matches.
type aheadWalk struct {
	*ahead
	prog *syntax.Prog
	at   [aheadBytes][]int // instructions that read the k-th byte
	seen []uint32          // of an instruction: bit k is set if it was visited there
}

// skip follows the program over a word.
func (w *aheadWalk) skip(word string) {
	w.visit(w.prog.Start, 0)
	for _, c := range word {
		readers := w.at[0]
		w.at[0] = nil
		clear(w.seen)
		for _, pc := range readers {
			if i := &w.prog.Inst[pc]; i.MatchRune(c) || c < utf8.RuneSelf && i.MatchRune(unicode.ToUpper(c)) {
				w.visit(int(i.Out), 0)
			}
		}
	}
}

// visit notes what reads the k-th byte if the program is at pc there.
func (w *aheadWalk) visit(pc, k int) {
	if k >= aheadBytes || w.seen[pc]>>k&1 != 0 {
		return
	}
	w.seen[pc] |= 1 << k
	switch i := &w.prog.Inst[pc]; i.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		w.visit(int(i.Out), k)
		w.visit(int(i.Arg), k)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		w.visit(int(i.Out), k)
	case syntax.InstMatch:
		w.ends |= 1 << k
	case syntax.InstFail:
	default:
		w.at[k] = append(w.at[k], pc)
	}
}

// step notes which bytes an instruction reads at k, and goes on behind them.
func (w *aheadWalk) step(i *syntax.Inst, k int) {
	for c := range utf8.RuneSelf {
		if i.MatchRune(rune(c)) {
			w.table[c] |= 1 << k
			w.visit(int(i.Out), k+1)
		}
	}
	for n := 1; n <= utf8.UTFMax; n++ {
		if !readsLong(i, n) {
			continue
		}
		for c := utf8.RuneSelf; c < len(w.table); c++ {
			w.table[c] |= (1<<n - 1) << k
		}
		w.visit(int(i.Out), k+n)
	}
}

// readsLong reports whether an instruction reads a character of n bytes that is not ASCII. One byte
// that is not UTF-8 is read as utf8.RuneError.
func readsLong(i *syntax.Inst, n int) bool {
	first := [...]rune{1: utf8.RuneError, 2: 0x80, 3: 0x800, 4: 0x10000}[n]
	last := [...]rune{1: utf8.RuneError, 2: 0x7ff, 3: 0xffff, 4: unicode.MaxRune}[n]
	if i.Op != syntax.InstRune && i.Op != syntax.InstRune1 {
		return true
	}
	if len(i.Rune) > 1 {
		for k := 0; k < len(i.Rune); k += 2 {
			if i.Rune[k] <= last && i.Rune[k+1] >= first {
				return true
			}
		}
		return false
	}
	c := i.Rune[0]
	for f := c; ; { // what differs from c only in case
		if f >= first && f <= last && i.MatchRune(f) {
			return true
		}
		if f = unicode.SimpleFold(f); f == c {
			return false
		}
	}
}
