package vterm

import (
	"sort"

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
	page := &t.pages[r>>8&0x1FF]
	if r >= 0x20000 {
		return t.findProps(r)
	}
	if *page == nil {
		*page = new(widthPage)
	}
	p := &(*page)[r&0xFF]
	if *p == 0 {
		*p = t.findProps(r)
	}
	return *p
}

func (t *Term) findProps(r rune) uint8 {
	if t.widths == Unicode11 {
		return propKnown | uint8(width11(r))
	}
	p := propKnown | uint8(min(2, max(0, displaywidth.Rune(r))))
	return p | joinProp(r)
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
