// Package printable decides which characters of untrusted text may be printed on a terminal, on a
// page or in a document.
//
// Programs, agents, file names and databases are untrusted. Characters that could control a
// terminal are removed. Characters that are invisible or change the order of the text around them
// (bidirectional controls, tag characters, zero-width spaces and other format characters) are
// replaced by a mark such as {U+202E}. Joiners and variation selectors are kept if they are part of
// an emoji or of a script that needs them.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text with unsafe characters removed or marked. Line feeds and tabs stay; invalid
// UTF-8 becomes U+FFFD.
func Text(text string) string { return rewrite(text, true) }

// Bare is like Text, but removes what Text marks, and the tags of flags, because a language model
// could read a message in a sequence of marks.
func Bare(text string) string { return rewrite(text, false) }

// rewrite implements Text and Bare.
func rewrite(text string, mark bool) string {
	at := unsafe(text)
	if at < 0 {
		return text
	}
	at = len(strings.TrimSuffix(text[:at], blackFlag))
	var b strings.Builder
	b.Grow(len(text) + 16)
	b.WriteString(text[:at])
	prev, next := rune(-1), text[at:]
	if at > 0 {
		prev, _ = utf8.DecodeLastRuneInString(text[:at])
	}
	for next != "" {
		r, n := utf8.DecodeRuneInString(next)
		if flag := flagOf(next); flag > 0 && mark {
			b.WriteString(next[:flag])
			prev, next = r, next[flag:]
			continue
		}
		next = next[n:]
		switch what(prev, r, next) {
		case shown:
			b.WriteRune(r)
		case breaks:
			b.WriteByte('\n')
		case hidden:
			if !mark {
				continue
			}
			fmt.Fprintf(&b, "{U+%04X}", r)
			r = '}'
		case drives:
			continue
		}
		prev = r
	}
	return b.String()
}

// Line is like Text, but returns one line: each run of white space becomes a single space.
func Line(text string) string { return strings.Join(strings.Fields(Text(text)), " ") }

// JSON appends text, which is well-formed JSON, to dst and escapes unsafe characters in its
// strings. The values do not change.
func JSON(dst, text []byte) []byte {
	from := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && c != 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		prev, _ := utf8.DecodeLastRune(text[:i])
		if what(prev, r, string(text[i+n:min(len(text), i+n+2*utf8.UTFMax)])) != shown {
			dst = append(dst, text[from:i]...)
			if r > 0xffff {
				hi, lo := 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff
				dst = fmt.Appendf(dst, `\u%04x\u%04x`, hi, lo)
			} else {
				dst = fmt.Appendf(dst, `\u%04x`, r)
			}
			from = i + n
		}
		i += n
	}
	return append(dst, text[from:]...)
}

// Link reports whether url is safe to offer as a link: its scheme is http, https, mailto or file,
// and it contains no hidden characters.
func Link(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	if !ok || strings.ContainsAny(url, " \t\n") || Text(url) != url {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "file":
		return true
	}
	return false
}

type verdict uint8

const (
	shown  verdict = iota
	hidden         // is invisible, or changes how other characters are shown
	drives         // controls the terminal
	breaks         // ends a line
)

// unsafe returns the index of the first character in text that may be unsafe, or -1.
func unsafe(text string) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 || r < 0xa0 || ignorable(r) || r == 0x2028 || r == 0x2029 {
			return i
		}
		i += n
	}
	return -1
}

// ignorable reports whether r is invisible: a format character of Unicode that is not drawn, or a
// character that fonts may leave out (Unicode 15, 5.21 and DerivedCoreProperties,
// Default_Ignorable_Code_Point).
func ignorable(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r >= 0xe0000 && r <= 0xe0fff:
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// what classifies r. prev is the character before it, next the text after it.
func what(prev, r rune, next string) verdict {
	switch {
	case r == '\n' || r == '\t':
		return shown
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return drives
	case r == 0x2028 || r == 0x2029:
		return breaks
	case !ignorable(r):
		return shown
	}
	follows, _ := utf8.DecodeRuneInString(next)
	if joins(prev, r, follows) || selector(r) && selects(prev, r) {
		return shown
	}
	return hidden
}

// joins reports whether r is a joiner or non-joiner in a place where scripts or emoji need one.
func joins(prev, r, follows rune) bool {
	switch r {
	case zwj:
		return joinsEmoji(prev) && emoji(follows) || joining(prev) && joining(follows)
	case zwnj:
		return joining(prev) && joining(follows)
	}
	return false
}

// selector reports whether r is a variation selector.
func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f && r != 0x180e
}

const (
	zwnj = 0x200c
	zwj  = 0x200d
)

// selects reports whether the variation selector r may select a variant of prev.
func selects(prev, r rune) bool {
	switch {
	case r >= 0xe0100:
		return unicode.Is(unicode.Han, prev)
	case r < 0xfe00:
		return unicode.Is(unicode.Mongolian, prev)
	case r >= 0xfe0e:
		return emoji(prev) || prev >= '0' && prev <= '9' || prev == '#' || prev == '*'
	}
	return unicode.In(prev, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa)
}

// joinsEmoji reports whether r may precede the joiner in an emoji: an emoji, its variation
// selector, or a skin tone.
func joinsEmoji(r rune) bool { return r == 0xfe0f || emoji(r) }

// emoji reports whether r may be an emoji: a symbol that is not ASCII.
func emoji(r rune) bool {
	return r > 0xa0 && unicode.In(r, unicode.So, unicode.Sk, unicode.Sm, unicode.Po, unicode.Pd) || r == 0x2139 ||
		r == 0x24c2
}

// joining reports whether r is a letter, or a mark on one, of a script that joins its letters or
// forms conjuncts.
func joining(r rune) bool {
	return r > 0x2ff && unicode.In(r, unicode.L, unicode.M) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul, unicode.Hiragana,
			unicode.Katakana, unicode.Hebrew, unicode.Common) &&
		!ignorable(r)
}

const blackFlag = "\U0001F3F4"

// flagOf returns the length in bytes of the flag of England, Scotland or Wales at the beginning of
// text (Unicode 51, emoji tag sequences), or 0.
func flagOf(text string) int {
	if !strings.HasPrefix(text, blackFlag) {
		return 0
	}
	for _, flag := range [...]string{"gbeng", "gbsct", "gbwls"} {
		sequence := blackFlag
		for _, c := range flag {
			sequence += string(0xe0000 + c)
		}
		if sequence += "\U000E007F"; strings.HasPrefix(text, sequence) {
			return len(sequence)
		}
	}
	return 0
}
