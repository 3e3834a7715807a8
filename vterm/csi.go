package vterm

// dispatchCSI executes a control sequence, selected by its private marker, intermediates and final
// byte. It ignores unknown ones, and known final bytes with an unexpected marker: otherwise CSI > u
// (kitty keyboard) would move the cursor, and CSI > m (XTMODKEYS) change the style.
func (t *Term) dispatchCSI(final byte) {
	switch t.ncol {
	case 0:
		t.plainCSI(final)
	case 1:
		t.markedCSI(t.collect[0], final)
	case 2:
		if t.collect[0] == '?' && t.collect[1] == '$' && final == 'p' {
			t.reportMode(true)
		}
	}
}

// markedCSI executes a control sequence with a private marker or an intermediate.
func (t *Term) markedCSI(mark, final byte) {
	switch mark {
	case '?':
		t.privateCSI(final)
	case '<', '=', '>':
		t.keyboardCSI(mark, final)
	case ' ':
		t.spaceCSI(final)
	case '!':
		if final == 'p' {
			t.softReset()
		}
	case '"':
		if final == 'q' {
			t.protect()
		}
	case '\'':
		t.columnCSI(final)
	case '$':
		if final == 'p' {
			t.reportMode(false)
		}
	}
}

// keyboardCSI executes the sequences with one of the private markers "<", "=" and ">": those of the
// keyboard's protocols, and reports.
func (t *Term) keyboardCSI(marker, final byte) {
	switch {
	case marker == '<' && final == 'u':
		t.popKeyboard()
	case marker == '=' && final == 'u':
		t.setKeyboard()
	case marker != '>':
	case final == 'u':
		t.pushKeyboard()
	case final == 'm':
		t.modifyKeys()
	default:
		t.reportCSI(final)
	}
}

// plainCSI executes the sequences without a private marker.
func (t *Term) plainCSI(final byte) {
	if final != 'm' {
		t.blankX = 0 // the next text may be printed elsewhere than after the emoji
	}
	p := &t.params
	n := p.get(0, 1)
	switch final {
	case 'H', 'f':
		t.addressed = t.addressed || p.n > 0
		t.moveTo(p.get(1, 1)-1, n-1)
	case 'J':
		t.eraseDisplay(p.get(0, 0), false)
	case 'K':
		t.eraseLine(p.get(0, 0), false)
	case 'b':
		t.repeat(n)
	case 'c':
		t.deviceAttributes()
	case 'g':
		t.clearTabs(p.get(0, 0))
	case 'h', 'l':
		t.setModes(final == 'h')
	case 'm':
		t.sgr()
	case 'n':
		t.deviceStatus(false)
	case 'r':
		t.setMargins(p.get(0, 0), p.get(1, 0))
	case 's':
		t.saveCursor()
	case 'u':
		t.restoreCursor()
	default:
		t.editCSI(final, n)
	}
}

// editCSI executes what inserts, deletes and scrolls, and cursor movements.
func (t *Term) editCSI(final byte, n int) {
	switch final {
	case '@':
		t.insertChars(n)
	case 'L':
		t.insertLines(n)
	case 'M':
		t.deleteLines(n)
	case 'P':
		t.deleteChars(n)
	case 'S':
		t.scrollUpBy(n)
	case 'T':
		t.scrollDownBy(n)
	case 'X':
		t.eraseChars(n)
	default:
		t.moveCSI(final, n)
	}
}

// moveCSI executes cursor movements.
func (t *Term) moveCSI(final byte, n int) {
	sc := t.scr
	switch final {
	case 'A':
		t.up(n)
	case 'B':
		t.down(n)
	case 'C', 'a':
		t.moveBy(n, 0)
	case 'D':
		t.moveBy(-n, 0)
	case 'E':
		t.down(n)
		sc.x = 0
	case 'F':
		t.up(n)
		sc.x = 0
	case 'G', '`':
		t.moveTo(n-1, sc.y)
	case 'I':
		t.tab(n)
	case 'Z':
		t.backTab(n)
	case 'd':
		t.moveTo(sc.x, n-1)
	case 'e':
		t.moveBy(0, n)
	}
}

// privateCSI executes the sequences with the private marker "?".
func (t *Term) privateCSI(final byte) {
	switch final {
	case 'J':
		t.eraseDisplay(t.params.get(0, 0), true)
	case 'K':
		t.eraseLine(t.params.get(0, 0), true)
	case 'h', 'l':
		t.setPrivateModes(final == 'h')
	case 'n':
		t.deviceStatus(true)
	case 'u':
		t.keyboardFlags()
	}
}

// spaceCSI executes the sequences with the intermediate " ": SL, SR and DECSCUSR.
func (t *Term) spaceCSI(final byte) {
	switch final {
	case '@', 'A':
		t.shiftColumns(0, t.params.get(0, 1), final == 'A')
	case 'q':
		t.keyboard.shape = min(t.params.get(0, 0), 6)
	}
}

// columnCSI executes the sequences with the intermediate "'": DECIC and DECDC.
func (t *Term) columnCSI(final byte) {
	if final == '}' || final == '~' {
		t.shiftColumns(t.scr.x, t.params.get(0, 1), final == '}')
	}
}

// protect is DECSCA. As in xterm.js, protection is part of the style, and SGR 0 ends it.
func (t *Term) protect() {
	b := t.brush
	switch t.params.get(0, 0) {
	case 1:
		b.flags |= penProtected
	case 0, 2:
		b.flags &^= penProtected
	}
	t.paint(b)
}
