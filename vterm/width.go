package vterm

import (
	"iter"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/rivo/uniseg"
)

// Properties of a code point.
const (
	propWidth = 3 // mask of the width, in cells
	propJoins = propAfter | propAny
	propAfter = 4 // may be part of the cluster before it
	propAny   = 8 // always is part of the cluster before it
	propKnown = 16
)

// widthPage holds the properties of 256 code points, filled as they are seen.
type widthPage [256]uint8

// props returns the properties of r.
func (t *Term) props(r rune) uint8 {
	if r < 0x20000 {
		if p := t.seenProps(r); p != 0 {
			return p
		}
	}
	return t.findProps(r)
}

// seenProps returns the properties of r, which must be below U+20000, or 0 if they are not known
// yet.
func (t *Term) seenProps(r rune) uint8 {
	if page := t.pages[r>>8&0x1FF]; page != nil {
		return page[r&0xFF]
	}
	return 0
}

func (t *Term) findProps(r rune) uint8 {
	p := propKnown | uint8(width11(r))
	switch {
	case t.widths == Graphemes:
		p = propKnown | uint8(min(2, max(0, displaywidth.Rune(r)))) | joinProp(r)
	case t.widths == Points && (p&propWidth == 0 || joinsEmoji(r)):
		p |= joinProp(r)
	case t.widths == Runes && p&propWidth == 0:
		p |= joinProp(r)
	case t.widths == Runes:
		p = propKnown | uint8(runeWidth(r))
	}
	if r>>11 == 0x1B || r == 0xFEFF {
		p = propKnown // not a character: dropped
	}
	if r < 0x20000 {
		page := &t.pages[r>>8]
		if *page == nil {
			*page = new(widthPage)
		}
		(*page)[r&0xFF] = p
	}
	return p
}

// joinProp returns propAfter or propAny if r joins some or all characters before it, otherwise 0.
// Each boundary class that joins to the left (UAX #29, GB6 to GB13) does so after one of these
// characters.
func joinProp(r rune) uint8 {
	if uniseg.GraphemeClusterCount("a"+string(r)) == 1 {
		return propAny
	}
	for _, before := range [...]string{"\u1100", "\uac00", "\uac01", "\U0001F1E6", "\u2764\u200d", "\u0915\u094d"} {
		if uniseg.GraphemeClusterCount(before+string(r)) == 1 {
			return propAfter
		}
	}
	return 0
}

// joinsEmoji reports whether r can be part of an emoji after its first character.
func joinsEmoji(r rune) bool {
	return r >= 0x1F000 && r < 0x20000 || r >= 0x2190 && r < 0x2C00 || r == 0xFE0F || r == 0x20E3
}

// TextWidth returns the number of cells that a text takes.
func TextWidth(text string, by Widths) int {
	n := 0
	for _, w := range Clusters(text, by) {
		n += w
	}
	return n
}

// Clusters returns the grapheme clusters of a text, and the number of cells of each. By Runes, it
// returns each character with those of no width after it.
func Clusters(text string, by Widths) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for by == Runes && text != "" {
			r, n := utf8.DecodeRuneInString(text)
			w := runeWidth(r)
			for r, next := utf8.DecodeRuneInString(text[n:]); next > 0 && runeWidth(r) == 0; {
				n += next
				r, next = utf8.DecodeRuneInString(text[n:])
			}
			if !yield(text[:n], w) {
				return
			}
			text = text[n:]
		}
		for text != "" {
			c := text[:1]
			if len(text) > 1 && (text[0]|text[1]) >= utf8.RuneSelf { // shortcut: nothing joins ASCII
				c, _, _, _ = uniseg.FirstGraphemeClusterInString(text, -1)
			}
			text = text[len(c):]
			w := min(2, displaywidth.String(c))
			if by == Points && !isEmoji(c) {
				w = 0
				for _, r := range c {
					w += width11(r)
				}
			}
			if !yield(c, w) {
				return
			}
		}
	}
}

// isEmoji reports whether a cluster is an emoji of several code points.
func isEmoji(cluster string) bool {
	_, n := utf8.DecodeRuneInString(cluster)
	return strings.ContainsFunc(cluster[n:], joinsEmoji)
}

// width11 returns the width of r in Unicode 11, by code point.
func width11(r rune) int {
	switch {
	case inRanges(zero11, r):
		return 0
	case inRanges(wide11, r):
		return 2
	}
	return 1
}

// runeWidth returns the width of r by code point: that of Unicode 11, and of characters that are
// newer. The letters of flags take one cell each.
func runeWidth(r rune) int {
	w := width11(r)
	if w == 1 && (r < 0x1F1E6 || r > 0x1F1FF) {
		w = min(2, max(0, displaywidth.Rune(r)))
	}
	return w
}

func inRanges(rs []runeRange, r rune) bool {
	i := sort.Search(len(rs), func(i int) bool { return rs[i].hi >= r })
	return i < len(rs) && rs[i].lo <= r
}
