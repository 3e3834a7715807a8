package transcript

import (
	"strings"
	"unicode/utf8"
)

// words returns a text without white space and other invisible characters, because rewrapping
// changes nothing else.
func words(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		blank := blankLen(s[i:])
		if blank == 0 {
			b.WriteByte(s[i])
			blank = 1
		}
		i += blank
	}
	return b.String()
}

// wordsLen returns len(words(s)).
func wordsLen(s string) int {
	n := len(s) - strings.Count(s, " ") - strings.Count(s, "\n") - strings.Count(s, "\t")
	for _, c := range unseen {
		n -= len(c) * strings.Count(s, c)
	}
	return n
}

// commonWords returns common(words(a), words(b)).
func commonWords(a, b string) (n int) {
	for {
		for blank := blankLen(a); blank > 0; blank = blankLen(a) {
			a = a[blank:]
		}
		for blank := blankLen(b); blank > 0; blank = blankLen(b) {
			b = b[blank:]
		}
		if a == "" || b == "" || a[0] != b[0] {
			return n
		}
		a, b, n = a[1:], b[1:], n+1
	}
}

// unseen are the non-ASCII characters to ignore: a hard blank, and those that join or select emoji,
// which a terminal multiplexer sometimes drops.
var unseen = []string{"\u00a0", "\u200d", "\ufe0f"}

// blankLen returns the length in bytes of the character at the beginning of s if it is ignored, or
// 0.
func blankLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == ' ' || s[0] == '\n' || s[0] == '\t':
		return 1
	case s[0] < utf8.RuneSelf:
		return 0
	}
	for _, c := range unseen {
		if strings.HasPrefix(s, c) {
			return len(c)
		}
	}
	return 0
}

// common returns the length of the common prefix of two strings, in bytes.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
