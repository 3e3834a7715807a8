package redact

import "strings"

// wordSet finds out quickly whether a text contains one of more than a thousand words. It has them
// by their first two bytes: at most places of a text none begins. Words of one byte are left out.
type wordSet map[[2]byte][]string

func newWordSet(words []string) wordSet {
	s := wordSet{}
	for _, w := range words {
		if len(w) >= 2 {
			start := [2]byte{w[0], w[1]}
			s[start] = append(s[start], w)
		}
	}
	return s
}

// in reports whether text holds one of the words.
func (s wordSet) in(text string) bool {
	if len(s) == 0 {
		return false
	}
	for i := 0; i+1 < len(text); i++ {
		for _, w := range s[[2]byte{text[i], text[i+1]}] {
			if strings.HasPrefix(text[i:], w) {
				return true
			}
		}
	}
	return false
}
