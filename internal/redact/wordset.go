package redact

import "strings"

// wordSet quickly determines whether a text contains one of more than a thousand words, ignoring
// case. It stores them by their first three bytes, and a bit for each hash of these: for most
// places of a text, the bit is not set. Words are lower-case ASCII; words shorter than three bytes
// are left out.
type wordSet struct {
	begins [1 << 10]uint64
	words  map[[3]byte][]string
}

func newWordSet(words []string) *wordSet {
	s := &wordSet{words: map[[3]byte][]string{}}
	for _, w := range words {
		if len(w) >= 3 {
			start := [3]byte{w[0], w[1], w[2]}
			s.words[start] = append(s.words[start], w)
			h := hash3(start)
			s.begins[h>>6] |= 1 << (h & 63)
		}
	}
	if len(s.words) == 0 {
		return nil
	}
	return s
}

func hash3(b [3]byte) uint16 {
	return uint16((uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16) * 0x9E3779B1 >> 16)
}

// in reports whether text contains one of the words. A nil set contains none.
func (s *wordSet) in(text string) bool {
	if s == nil || len(text) < 3 {
		return false
	}
	start := [3]byte{1: lower(text[0]), 2: lower(text[1])}
	for i := 0; i+2 < len(text); i++ {
		start = [3]byte{start[1], start[2], lower(text[i+2])}
		if h := hash3(start); s.begins[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for _, w := range s.words[start] {
			if len(w) <= len(text)-i && strings.EqualFold(text[i:i+len(w)], w) {
				return true
			}
		}
	}
	return false
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
