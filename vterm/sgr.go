package vterm

// paint makes b what the next characters are drawn with.
func (t *Term) paint(b brush) {
	if b.bg == 0 {
		t.erase = 0
	} else if b.bg != t.brush.bg {
		t.erase = t.styleNumber(pen{bg: b.bg}) // blanks take the background only (BCE)
	}
	t.brush = b
	t.attr = t.styleNumber(b.pen(t.extra))
	if b.flags&penProtected != 0 {
		t.attr |= cellProtected
	}
}

// sgr is SGR: ECMA-48 8.3.117 and what xterm, kitty and others added.
func (t *Term) sgr() {
	b := t.brush
	ps := &t.params
	for i := 0; i < ps.n; i++ {
		switch v := ps.nums[i]; v {
		case 38, 48, 58:
			i += t.extendedColor(&b, i)
		case 0:
			b = brush{}
			t.extra = brushExtra{link: t.extra.link}
			b.show(t.extra)
		case 4, 21, 24:
			t.underline(&b, int(v), ps.sub(i))
		case 59:
			t.extra.color = 0
			b.show(t.extra)
		default:
			plainSGR(&b, int(v))
		}
	}
	t.paint(b)
}

// underline is SGR 4, 4:n, 21 and 24; a style that is not known is a single line.
func (t *Term) underline(b *brush, v int, sub []int32) {
	style := UnderlineSingle
	switch {
	case v == 21:
		style = UnderlineDouble
	case v == 24:
		style = UnderlineNone
	case len(sub) > 0 && sub[0] >= 0 && sub[0] <= int32(UnderlineDashed):
		style = Underline(sub[0])
	}
	if style == UnderlineNone {
		b.flags &^= penUnderlined
	} else {
		b.flags |= penUnderlined
	}
	t.extra.underline = style
	b.show(t.extra)
}

// penOn and penOff are the flags that an SGR number sets and clears.
var (
	penOn  = [...]uint16{1: penBold, 2: penDim, 3: penItalic, 5: penBlink, 6: 0, 7: penInverse, 8: penInvisible, 9: penStrike}
	penOff = [...]uint16{22: penBold | penDim, 23: penItalic, 25: penBlink, 27: penInverse, 28: penInvisible, 29: penStrike}
)

func plainSGR(p *brush, v int) {
	switch {
	case v < len(penOn):
		p.flags |= penOn[v]
	case v < len(penOff):
		p.flags &^= penOff[v]
	case v >= 30 && v <= 37:
		p.fg = colPalette | uint32(v-30)
	case v == 39:
		p.fg = 0
	case v >= 40 && v <= 47:
		p.bg = colPalette | uint32(v-40)
	case v == 49:
		p.bg = 0
	case v == 53:
		p.flags |= penOverline
	case v == 55:
		p.flags &^= penOverline
	case v >= 90 && v <= 97:
		p.fg = colPalette | uint32(v-90+8)
	case v >= 100 && v <= 107:
		p.bg = colPalette | uint32(v-100+8)
	}
}

// extendedColor reads the colour behind 38, 48 or 58 at parameter i: 5;n or 2;r;g;b, the same behind
// colons, where 2 has a colour space before the values (ITU-T T.416 13.1.8). It says how many
// parameters it took beside the first.
func (t *Term) extendedColor(p *brush, i int) int {
	const mode, values = 1, 3
	ps := &t.params
	slot := [6]int32{2: -1} // 38, mode, colour space, three values
	taken, at := 0, 0
	for {
		slot[at] = ps.nums[i+taken]
		if sub := ps.sub(i + taken); len(sub) > 0 {
			colonSlots(&slot, at, sub)
			break
		}
		if slot[mode] == 5 && at >= values || slot[mode] == 2 && at == len(slot)-1 {
			break
		}
		if at == mode && slot[mode] != 0 {
			at++ // no colour space among semicolons
		}
		taken, at = taken+1, at+1
		if i+taken >= ps.n || at == len(slot) {
			break
		}
	}
	if c, ok := slotColor(slot[mode], slot[values:]); ok {
		switch ps.nums[i] {
		case 38:
			p.fg = c
		case 48:
			p.bg = c
		case 58:
			t.extra.color = c
		}
	}
	return taken
}

// colonSlots puts the subparameters of the parameter in slot at behind it.
func colonSlots(slot *[6]int32, at int, sub []int32) {
	for _, v := range sub {
		at++
		if at == 2 && slot[1] == 5 {
			at++ // 5 has no colour space
		}
		if at < len(slot) {
			slot[at] = v
		}
	}
}

// slotColor packs a colour; false where the mode is not known.
func slotColor(mode int32, v []int32) (uint32, bool) {
	b := func(i int) uint32 { return uint32(max(v[i], 0)) & 0xFF }
	switch mode {
	case 2:
		return colRGB | b(0)<<16 | b(1)<<8 | b(2), true
	case 5:
		return colPalette | b(0), true
	}
	return 0, false
}
