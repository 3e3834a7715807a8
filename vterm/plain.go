package vterm

// printPlain prints characters above ASCII that need no special treatment, up to the first one that
// does, and returns their length in bytes. These are characters that join nothing and fit on the
// row, such as CJK, box drawing and lone emoji. The result is the same as that of printRune,
// several times as fast.
func (t *Term) printPlain(p []byte) int {
	if t.insert {
		return 0
	}
	sc := t.scr
	l := sc.rows[sc.y]
	cells, x, attr := l.cells(), sc.x, t.attr
	i, w, before := 0, 0, uint32(0)
	if t.joinable > 0 {
		before = t.beforeCursor().ch
	}
	for i < len(p) {
		r, n := threeBytes(p[i:]), 3
		if r < 0x800 {
			if r, n = twoBytes(p[i:]), 2; r < 0xA0 {
				break
			}
		}
		props := t.seenProps(r)
		if props&propAny != 0 || props&propAfter != 0 && opens(before, r) {
			break
		}
		wide := int(props & propWidth)
		if wide == 0 || x+wide > len(cells) {
			break
		}
		if wide == 2 {
			cells[x+1] = cell{attr: attr | cellTail}
			cells[x] = cell{uint32(r), attr | cellWide}
		} else {
			cells[x] = cell{uint32(r), attr}
		}
		before, w = uint32(r), wide
		x += wide
		i += n
	}
	if i > 0 {
		t.startRun(l)
		sc.x = x
		l.wrote(x)
		l.mendAt(x, attr)
		t.joinable = w
	}
	return i
}

// threeBytes decodes a character of three bytes in UTF-8. The result is invalid if below U+0800.
func threeBytes(p []byte) rune {
	if len(p) >= 3 && p[0]>>4 == 0xE && p[1]^0x80 < 0x40 && p[2]^0x80 < 0x40 {
		return rune(p[0])&0xF<<12 | rune(p[1]^0x80)<<6 | rune(p[2]^0x80)
	}
	return 0
}

// twoBytes decodes a character of two bytes in UTF-8. The result is invalid, or a control, if below
// U+00A0.
func twoBytes(p []byte) rune {
	if len(p) >= 2 && p[0]>>5 == 6 && p[1]^0x80 < 0x40 {
		return rune(p[0])&0x1F<<6 | rune(p[1]^0x80)
	}
	return 0
}
