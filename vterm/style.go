package vterm

// brush is the part of a style that SGR sets and DECSC saves. As in xterm.js, the style and colour
// of underlines and the link are separate: DECSC does not save them, and after DECRC they reappear
// with the next SGR or OSC 8 that concerns them.
type brush struct {
	fg, bg uint32 // packed
	flags  uint32
}

const (
	penBold = 1 << iota
	penDim
	penItalic
	penBlink
	penInverse
	penInvisible
	penStrike
	penOverline
	penUnderlined
	penProtected // DECSCA
	penExtended  // brushExtra applies
)

// brushExtra is the part of a style that DECSC does not save.
type brushExtra struct {
	underline Underline
	color     uint32
	link      uint32 // number in Term.links; 0 means none
}

// show returns flags with penExtended set if e is in use, else cleared.
func (e brushExtra) show(flags uint32) uint32 {
	if e.underline != 0 || e.link != 0 {
		return flags | penExtended
	}
	return flags &^ penExtended
}

// pen is the complete style of a character. It is comparable and has no pointers, so that it is
// cheap to look up.
type pen struct {
	fg, bg, ul uint32
	flags      uint32
	link       uint32
	underline  Underline
}

func (b brush) pen(e brushExtra) pen {
	p := pen{fg: b.fg, bg: b.bg, flags: b.flags &^ (penUnderlined | penProtected | penExtended)}
	if b.flags&penExtended != 0 {
		p.ul, p.underline, p.link = e.color, e.underline, e.link
	}
	if p.underline == 0 && b.flags&penUnderlined != 0 {
		p.underline = UnderlineSingle
	}
	return p
}

// Packed colours: 0 is the default, otherwise colPalette|n or colRGB|0xRRGGBB.
const (
	colPalette = 1 << 24
	colRGB     = 2 << 24
)

func unpackColor(c uint32) Color {
	switch c >> 24 {
	case 1:
		return Color{Kind: ColorPalette, Palette: uint8(c)}
	case 2:
		return Color{Kind: ColorRGB, R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c)}
	}
	return Color{}
}

// minSweep is the number of styles, links or clusters at which unused ones are removed for the
// first time. A table grows to at most this, or twice the number in use.
const minSweep = 1 << 15

// styleTable assigns numbers to pens. Number 0 is the default style.
type styleTable struct {
	pens    []pen
	styles  []Style // Run.Style of each
	index   map[pen]uint32
	free    []uint32
	recent  [512]styleSlot // recently used brushes, found without hashing
	sweepAt int
}

type styleSlot struct {
	brush brush
	n     uint32
}

func (s *styleTable) init() {
	s.pens = append(s.pens[:0], pen{})
	s.styles = append(s.styles[:0], Style{})
	s.index = map[pen]uint32{}
	s.sweepAt = minSweep
}

// brushStyle returns the number of b without a brushExtra, which is rarely in use.
func (t *Term) brushStyle(b brush) uint32 {
	if b.flags&penExtended != 0 {
		return t.styleNumber(b.pen(t.extra))
	}
	h := (b.fg*0x9E3779B1 ^ b.bg*0x85EBCA77 ^ b.flags*0xC2B2AE3D) >> 23
	slot := &t.styles.recent[h]
	if slot.brush != b {
		n := t.styleNumber(b.pen(brushExtra{})) // may sweep, which clears the slot
		*slot = styleSlot{b, n}
	}
	return slot.n
}

// styleNumber returns the number of p, and assigns one if p is new.
func (t *Term) styleNumber(p pen) uint32 {
	if p == (pen{}) {
		return 0
	}
	if n, ok := t.styles.index[p]; ok {
		return n
	}
	return t.addStyle(p)
}

func (t *Term) addStyle(p pen) uint32 {
	s := &t.styles
	if len(s.index) >= s.sweepAt {
		t.sweep()
	}
	st := Style{
		Fg: unpackColor(p.fg), Bg: unpackColor(p.bg), UnderlineColor: unpackColor(p.ul),
		Bold: p.flags&penBold != 0, Dim: p.flags&penDim != 0, Italic: p.flags&penItalic != 0,
		Blink: p.flags&penBlink != 0, Inverse: p.flags&penInverse != 0,
		Invisible: p.flags&penInvisible != 0, Strikethrough: p.flags&penStrike != 0,
		Overline: p.flags&penOverline != 0, Underline: p.underline,
		Link: t.links.text(p.link),
	}
	var n uint32
	if k := len(s.free); k > 0 {
		n, s.free = s.free[k-1], s.free[:k-1]
		s.pens[n], s.styles[n] = p, st
	} else if len(s.pens) > styleMask {
		return 0
	} else {
		n = uint32(len(s.pens))
		s.pens, s.styles = append(s.pens, p), append(s.styles, st)
	}
	s.index[p] = n
	return n
}

// keep removes the styles whose number is false in live.
func (s *styleTable) keep(live []bool) {
	for p, n := range s.index {
		if !live[n] {
			delete(s.index, p)
			s.pens[n], s.styles[n] = pen{}, Style{}
			s.free = append(s.free, n)
		}
	}
	s.recent = [512]styleSlot{}
	s.sweepAt = max(minSweep, 2*len(s.index))
}
