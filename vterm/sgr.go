package vterm

// paint sets the brush for the characters that follow.
func (t *Term) paint(b brush) {
	if b != t.brush || b.flags&penExtended != 0 {
		t.setBrush(b)
	}
}

// setBrush is paint if b differs from the current brush.
func (t *Term) setBrush(b brush) {
	if b.bg == 0 {
		t.erase = 0
	} else if b.bg != t.brush.bg {
		t.erase = t.brushStyle(brush{bg: b.bg}) // blanks take the background only (BCE)
	}
	t.brush = b
	t.attr = t.brushStyle(b)
	if b.flags&penProtected != 0 {
		t.attr |= cellProtected
	}
}

// sgr is SGR: ECMA-48 8.3.117 and what xterm, kitty and others added.
func (t *Term) sgr() {
	ps := &t.params
	fg, bg, flags := t.brush.fg, t.brush.bg, t.brush.flags // local variables, to stay in registers
	for i := 0; i < ps.n; i++ {
		v := ps.nums[i]
		if v < 0 || int(v) >= len(sgrOps) {
			continue
		}
		if op := &sgrOps[v]; !op.more {
			fg, bg, flags = fg&op.fg|op.newFg, bg&op.bg|op.newBg, flags&op.flags|op.on
			continue
		}
		switch v {
		case 0:
			t.extra = brushExtra{link: t.extra.link}
			fg, bg, flags = 0, 0, t.extra.show(0)
		case 4, 21, 24:
			flags = t.underline(flags, int(v), ps.sub(i))
		case 59:
			t.extra.color = 0
			flags = t.extra.show(flags)
		default:
			c, taken, ok := ps.color(i)
			i += taken
			switch {
			case !ok:
			case v == 38:
				fg = c
			case v == 48:
				bg = c
			default: // 58
				t.extra.color = c
			}
		}
	}
	t.paint(brush{fg, bg, flags})
}

// sgrOne is SGR with a single number below 100, the most common form. It returns false if sgr has
// to execute it.
func (t *Term) sgrOne(v byte) bool {
	b, op := t.brush, &sgrOps[v]
	switch {
	case !op.more:
		t.paint(brush{b.fg&op.fg | op.newFg, b.bg&op.bg | op.newBg, b.flags&op.flags | op.on})
	case v == 0 && t.extra == (brushExtra{}):
		t.paint(brush{})
	default:
		return false
	}
	return true
}

// underline is SGR 4, 4:n, 21 and 24. Unknown styles are single lines.
func (t *Term) underline(flags uint32, v int, sub []int32) uint32 {
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
		flags &^= penUnderlined
	} else {
		flags |= penUnderlined
	}
	t.extra.underline = style
	return t.extra.show(flags)
}

// sgrOp is the effect of a number of SGR on a brush: masks of bits to keep, and bits to set.
type sgrOp struct {
	flags, on    uint32
	fg, bg       uint32
	newFg, newBg uint32
	more         bool // needs more than this
}

// sgrOps holds the known numbers.
var sgrOps = func() (ops [108]sgrOp) {
	for v := range ops {
		ops[v] = sgrOp{flags: ^uint32(0), fg: ^uint32(0), bg: ^uint32(0)}
	}
	for _, v := range []int{0, 4, 21, 24, 38, 48, 58, 59} {
		ops[v].more = true
	}
	for v, on := range map[int]uint32{1: penBold, 2: penDim, 3: penItalic, 5: penBlink, 7: penInverse,
		8: penInvisible, 9: penStrike, 53: penOverline} {
		ops[v].on = on
	}
	for v, off := range map[int]uint32{22: penBold | penDim, 23: penItalic, 25: penBlink, 27: penInverse,
		28: penInvisible, 29: penStrike, 55: penOverline} {
		ops[v].flags = ^off
	}
	color := func(v int, c uint32) {
		ops[v].fg, ops[v].newFg = 0, c
		ops[v+10].bg, ops[v+10].newBg = 0, c
	}
	for n := range 8 {
		color(30+n, colPalette|uint32(n))
		color(90+n, colPalette|uint32(n+8))
	}
	color(39, 0)
	return ops
}()

// color reads the colour after 38, 48 or 58 at parameter i: 5;n or 2;r;g;b, or the same with
// colons, where 2 has a colour space before the values (ITU-T T.416 13.1.8). It returns the number
// of additional parameters, and whether they are a colour.
func (p *params) color(i int) (c uint32, taken int, ok bool) {
	if n := p.nums[i:p.n]; p.nsubs > 0 || len(n) < 3 {
		return p.anyColor(i)
	} else if n[1] == 5 {
		return colPalette | uint32(n[2])&0xFF, 2, true
	} else if n[1] == 2 && len(n) >= 5 {
		return colRGB | uint32(n[2])&0xFF<<16 | uint32(n[3])&0xFF<<8 | uint32(n[4])&0xFF, 4, true
	}
	return p.anyColor(i)
}

// anyColor is color for all forms, including those with colons, incomplete ones and other modes.
func (p *params) anyColor(i int) (c uint32, taken int, ok bool) {
	const mode, values = 1, 3
	slot := [6]int32{2: -1} // 38, mode, colour space, three values
	at := 0
	for {
		slot[at] = p.nums[i+taken]
		if sub := p.sub(i + taken); len(sub) > 0 {
			colonSlots(&slot, at, sub)
			break
		}
		if slot[mode] == 5 && at >= values || slot[mode] == 2 && at == len(slot)-1 {
			break
		}
		if at == mode && slot[mode] != 0 {
			at++ // semicolons have no colour space
		}
		taken, at = taken+1, at+1
		if i+taken >= p.n || at == len(slot) {
			break
		}
	}
	c, ok = slotColor(slot[mode], slot[values:])
	return c, taken, ok
}

// colonSlots copies the subparameters sub to slot, from at on.
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

// slotColor packs a colour. It returns false if the mode is unknown.
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
