package redact

import (
	"math/bits"
	"math/rand/v2"
)

// gramSize is the size of the smallest part of a known secret that is hidden, in bytes.
const gramSize = 8

// gram is a part of a text of that size. None is 0: there is no NUL in a secret.
type gram uint64

// eachGram calls found with each gram of a text and where it begins.
func eachGram(text []byte, found func(g gram, at int)) {
	g := gram(0)
	for i, c := range text {
		g = g<<8 | gram(c)
		if i+1 >= gramSize {
			found(g, i+1-gramSize)
		}
	}
}

// gramSet is a set of grams. A recording may have millions of them and each byte of it asks for
// one: a set has them in one table, where most answers take one look, and looks do not wait for
// each other.
type gramSet struct {
	table []gram // its size is a power of two; a gram is at its hash or behind it; 0: free
	size  int
	seed  uint64 // so that nobody can write secrets whose hashes are all the same
	tried int    // number of places that has and add looked at, for tests
}

// has reports whether g is in s.
func (s *gramSet) has(g gram) bool {
	return g != 0 && s.size > 0 && s.table[s.find(g)] == g
}

// add puts g into s.
func (s *gramSet) add(g gram) {
	if 2*s.size >= len(s.table) {
		s.grow()
	}
	at := s.find(g)
	if s.table[at] != g {
		s.table[at] = g
		s.size++
	}
}

// find returns the place of g, or the free one where it belongs.
func (s *gramSet) find(g gram) int {
	mask := len(s.table) - 1
	for at := s.hash(g) & mask; ; at = (at + 1) & mask {
		s.tried++
		if s.table[at] == g || s.table[at] == 0 {
			return at
		}
	}
}

func (s *gramSet) hash(g gram) int {
	high, low := bits.Mul64(uint64(g)^s.seed, 0x9E3779B97F4A7C15)
	return int((high ^ low) >> 1)
}

// grow makes the table twice as large.
func (s *gramSet) grow() {
	old := s.table
	if old == nil {
		s.seed = rand.Uint64()
	}
	s.table = make([]gram, max(1<<10, 2*len(old)))
	for _, g := range old {
		if g != 0 {
			s.table[s.find(g)] = g
		}
	}
}
