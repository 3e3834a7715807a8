// Package prose tells code from prose by the words of a line, where no colour does.
package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a line without a style may be.
type Kind uint8

// The kinds.
const (
	Either Kind = iota
	Code
	Prose
)

// Judge tells code from prose by a line's words: prose begins with a capital and ends with a point,
// or is made of words alone; signs that prose would have put in a code span are code.
func Judge(t string) Kind {
	words := slices.DeleteFunc(strings.Fields(t), pictogram)
	if len(words) == 0 {
		return Either
	}
	plain := 0
	for _, w := range words {
		if plainWord(w) {
			plain++
		}
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	last, _ := utf8.DecodeLastRuneInString(t)
	ends := strings.ContainsRune(".!?:", last) && plain*10 >= len(words)*7 && len(words) > 3
	sentence := ends || unicode.IsUpper(first) && strings.ContainsRune(".!?:,", last) || !unicode.In(first, unicode.Latin) && unicode.IsLetter(first)
	switch {
	case strings.HasPrefix(t, "//"), strings.HasPrefix(t, "/*"), strings.HasPrefix(t, "# "):
		return Code
	case sentence && (plain*2 >= len(words) || len(words) > 7):
		return Prose
	case strings.ContainsAny(t, "{}=<>$|\\;*_#@&~^│╭╰├└─") || strings.Contains(t, "()"):
		return Code
	case plain == len(words) && len(words) >= 3:
		return Prose
	case len(words) <= 2 && plain == len(words) && (unicode.IsUpper(first) || strings.ContainsRune(".!?,", last)):
		return Prose
	case plain*4 >= len(words)*3 && len(words) > 4:
		return Prose
	case strings.ContainsAny(t, "/\"'()[]-:.") || unicode.IsLower(first):
		return Code
	}
	return Either
}

// pictogram reports whether a word is emoji alone: it may occur in prose as in code.
func pictogram(w string) bool {
	emoji := strings.ContainsRune(w, 0xfe0f)
	for _, r := range strings.TrimRight(w, ".,;:!?") {
		switch {
		case r >= 0x1f000 && r < 0x20000, strings.ContainsRune("✅❌❗❓⭐⚡✨", r):
			emoji = true
		case r < 0x2190 && r != 0x200d, unicode.IsLetter(r):
			return false
		}
	}
	return emoji
}

// Command reports whether a line on its own is one for a shell: it begins with a small letter, or
// with the name of a program, and does not end like a sentence.
func Command(t string) bool {
	first, _ := utf8.DecodeRuneInString(t)
	last, _ := utf8.DecodeLastRuneInString(t)
	return unicode.IsLower(first) && !strings.ContainsRune(".!?:,;", last)
}

// plainWord reports whether a word is one of prose, with the punctuation around it.
func plainWord(w string) bool {
	w = strings.Trim(w, ".,;:!?()\"'“”‘’—–")
	if w == "" {
		return true
	}
	for _, r := range w {
		if !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' {
			return false
		}
	}
	for i, r := range w { // camelCase
		if i > 0 && unicode.IsUpper(r) && !strings.ContainsRune(w, '-') && strings.ToUpper(w) != w {
			return false
		}
	}
	return true
}
