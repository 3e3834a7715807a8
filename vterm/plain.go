package vterm

// printPlain puts characters on the screen that need no care, up to the first that does, and says
// how many bytes they were: those of three bytes in UTF-8, such as CJK and lines of boxes, that join
// nothing and fit on the row. It does what printRune does, several times as fast.
func (t *Term) printPlain(p []byte) int {
	if t.insert {
		return 0
	}
	sc := t.scr
	l := sc.rows[sc.y]
	i, w := 0, 0
	for before := rune(0); i+2 < len(p); i += 3 {
		r := threeBytes(p[i:])
		if r == 0 {
			break
		}
		props := t.props(r)
		if props&propJoins != 0 && !aloneBehind(before, r) {
			break
		}
		if w1 := int(props & propWidth); w1 == 0 || sc.x+w1 > t.cols {
			break
		} else if w = w1; i == 0 {
			t.startRun(l)
		}
		before = r
		l.cells[sc.x] = cell{uint32(r), t.attr | widthFlags(w)}
		sc.x++
		if w == 2 {
			l.cells[sc.x] = cell{attr: t.attr | cellTail}
			sc.x++
		}
	}
	if i > 0 {
		l.ver++
		l.mendAt(sc.x, t.attr)
		t.joinable = w
	}
	return i
}

// threeBytes decodes a character of three bytes; 0 where p does not start with one, or it is the
// byte order mark.
func threeBytes(p []byte) rune {
	a, b, c := rune(p[0]), rune(p[1]), rune(p[2])
	if a>>4 != 0xE || b>>6 != 2 || c>>6 != 2 {
		return 0
	}
	r := a&0xF<<12 | b&0x3F<<6 | c&0x3F
	if r < 0x800 || r>>11 == 0x1B || r == 0xFEFF {
		return 0
	}
	return r
}

// aloneBehind says that r, which joins some characters, does not join before: a Hangul syllable
// behind anything but Hangul letters. before is 0 where it is not known.
func aloneBehind(before, r rune) bool {
	return r >= 0xAC00 && r <= 0xD7A3 && before >= 0x1200 && (before < 0xA960 || before >= 0xA980)
}
