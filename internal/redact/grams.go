package redact

import (
	"math/bits"
	"math/rand/v2"
)

// gramSize is the minimum length of a part of a known secret that is hidden, in bytes.
const gramSize = 8

// gram is a part of a text of that size.
type gram uint64

// eachGram calls found with each gram of a text and its offset.
func eachGram(text []byte, found func(g gram, at int)) {
	g := gram(0)
	for i, c := range text {
		g = g<<8 | gram(c)
		if i+1 >= gramSize {
			found(g, i+1-gramSize)
		}
	}
}

// gramSet is a set of grams. A recording may have millions of them, and each byte of it asks for
// one. A processor waits long for a place in so much memory. So the set has many shards, each of
// which fits into a cache, and the questions of a whole text are sorted by shard.
type gramSet struct {
	shards [1 << shardBits]gramShard
	size   int    // number of calls of add
	seed   uint64 // makes the hashes of a text unpredictable
	tried  int    // number of places in tables that were looked at, for tests
}

const shardBits = 6

type gramShard struct {
	added []gram // not yet in table
	table []gram // its size is a power of two; a gram is at its hash or after it; 0 is no gram
	size  int    // number of grams in table
}

// add adds g. The gram of NULs alone, which no secret has, is left out.
func (s *gramSet) add(g gram) {
	if g == 0 {
		return
	}
	if s.size == 0 {
		s.seed = rand.Uint64()
	}
	s.size++
	h := &s.shards[s.hash(g)>>(64-shardBits)]
	h.added = append(h.added, g)
}

// in calls found with the place of each gram of a text that is in s, in order.
func (s *gramSet) in(text []byte, found func(at int)) {
	if s.size == 0 || len(text) < gramSize {
		return
	}
	type question struct {
		g  gram
		at int
	}
	var ends [1 << shardBits]int // of the questions to each shard
	eachGram(text, func(g gram, at int) { ends[s.hash(g)>>(64-shardBits)]++ })
	for n := 1; n < len(ends); n++ {
		ends[n] += ends[n-1]
	}
	questions, next := make([]question, len(text)-gramSize+1), ends
	for n := len(ends) - 1; n > 0; n-- {
		next[n] = ends[n-1]
	}
	next[0] = 0
	eachGram(text, func(g gram, at int) {
		n := s.hash(g) >> (64 - shardBits)
		questions[next[n]] = question{g, at}
		next[n]++
	})
	known := make([]bool, len(text))
	begin := 0
	for n, end := range ends {
		if shard := &s.shards[n]; shard.settle(s) {
			for _, q := range questions[begin:end] {
				known[q.at] = q.g != 0 && shard.table[shard.find(s, q.g)] == q.g
			}
		}
		begin = end
	}
	for at, is := range known {
		if is {
			found(at)
		}
	}
}

// settle puts what was added into the table, and reports whether there is one.
func (h *gramShard) settle(s *gramSet) bool {
	if 2*(h.size+len(h.added)) > len(h.table) {
		old := h.table
		h.table = make([]gram, 1<<bits.Len(uint(2*(h.size+len(h.added)))))
		h.size = 0
		h.put(s, old)
	}
	h.put(s, h.added)
	h.added = nil
	return h.size > 0
}

func (h *gramShard) put(s *gramSet, grams []gram) {
	for _, g := range grams {
		if g == 0 {
			continue
		}
		if at := h.find(s, g); h.table[at] == 0 {
			h.table[at] = g
			h.size++
		}
	}
}

// find returns the place of g in the table, or the free one where it belongs.
func (h *gramShard) find(s *gramSet, g gram) int {
	mask := len(h.table) - 1
	for at := int(s.hash(g)) & mask; ; at = (at + 1) & mask {
		s.tried++
		if h.table[at] == g || h.table[at] == 0 {
			return at
		}
	}
}

func (s *gramSet) hash(g gram) uint64 {
	high, low := bits.Mul64(uint64(g)^s.seed, 0x9E3779B97F4A7C15)
	return high ^ low
}
