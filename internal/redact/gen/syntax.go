package main

import (
	"regexp/syntax"
	"strings"
)

// maxReach is how far after its keyword a match is searched at first, in bytes, if its pattern has
// no bound.
const maxReach = 2048

// reach returns the maximum length of a match of re, in bytes, but at most maxReach.
func reach(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		n = 4 * len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = 4
		if k := len(re.Rune); k > 0 && re.Rune[k-1] < 0x80 {
			n = 1
		}
	case syntax.OpStar, syntax.OpPlus:
		n = maxReach
	case syntax.OpRepeat:
		n = maxReach
		if re.Max >= 0 {
			n = re.Max * reach(re.Sub[0])
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			n = max(n, reach(sub))
		}
	default:
		for _, sub := range re.Sub {
			n += reach(sub)
		}
	}
	return min(n, maxReach)
}

// begins reports whether every match of re begins with one of the words.
func begins(re *syntax.Regexp, words []string) bool {
	starts, ok := literals(re)
	for _, s := range starts {
		s = strings.ToLower(s)
		fits := false
		for _, w := range words {
			w = strings.ToLower(w)
			fits = fits || strings.HasPrefix(w, s) || strings.HasPrefix(s, w)
		}
		ok = ok && fits
	}
	return ok && len(starts) > 0
}

// literals returns the texts with which a match of re can begin. ok is false if they are not fixed.
func literals(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, true
	case syntax.OpCapture:
		return literals(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			switch sub.Op {
			case syntax.OpEmptyMatch:
				continue
			default:
				return literals(sub)
			}
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			some, ok := literals(sub)
			if !ok {
				return nil, false
			}
			all = append(all, some...)
		}
		return all, true
	}
	return nil, false
}
