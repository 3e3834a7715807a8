package vterm

import (
	"iter"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/rivo/uniseg"
)

// What is known of a code point, in a byte.
const (
	propWidth = 3 // cells
	propJoins = propAfter | propAny
	propAfter = 4 // is a part of the cluster before it, behind some characters
	propAny   = 8 // behind any character
	propKnown = 16
)

// widthPage holds the properties of 256 code points, found out one by one as they are seen.
type widthPage [256]uint8

// props looks r up.
func (t *Term) props(r rune) uint8 {
	if r < 0x20000 {
		if p := t.seenProps(r); p != 0 {
			return p
		}
	}
	return t.findProps(r)
}

// seenProps are the properties of r, which is below U+20000; 0 where nobody asked for them yet.
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
	}
	if r>>11 == 0x1B || r == 0xFEFF {
		p = propKnown // no characters, which are dropped
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

// joinProp says whether some character before r makes the two one cluster: each boundary class that
// joins to the left (UAX #29, GB6 to GB13) does so behind one of these.
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

// joinsEmoji reports whether r may be a part of an emoji behind its first character.
func joinsEmoji(r rune) bool {
	return r >= 0x1F000 && r < 0x20000 || r >= 0x2190 && r < 0x2C00 || r == 0xFE0F || r == 0x20E3
}

// TextWidth returns how many cells a text takes.
func TextWidth(text string, by Widths) int {
	n := 0
	for _, w := range Clusters(text, by) {
		n += w
	}
	return n
}

// Clusters returns the grapheme clusters of a text, and how many cells each takes.
func Clusters(text string, by Widths) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for text != "" {
			c := text[:1]
			if len(text) > 1 && (text[0]|text[1]) >= utf8.RuneSelf { // saves the search: nothing joins ASCII
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

// width11 is the width of r in Unicode 11, per code point.
func width11(r rune) int {
	switch {
	case inRanges(zero11, r):
		return 0
	case inRanges(wide11, r):
		return 2
	}
	return 1
}

func inRanges(rs []runeRange, r rune) bool {
	i := sort.Search(len(rs), func(i int) bool { return rs[i].hi >= r })
	return i < len(rs) && rs[i].lo <= r
}
