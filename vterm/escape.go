package vterm

// execute executes a C0 control.
func (t *Term) execute(b byte) {
	switch b {
	case '\b':
		t.backspace()
	case '\t':
		t.tab(1)
	case '\n', '\v', '\f':
		t.lineFeed()
	case '\r':
		t.scr.x = 0
	case 0x0E: // SO
		t.shiftTo(1)
	case 0x0F: // SI
		t.shiftTo(0)
	}
	t.joinable = 0
}

// executeC1 executes an 8-bit control that does not begin a sequence.
func (t *Term) executeC1(r rune) {
	switch r {
	case 0x84:
		t.index()
	case 0x85:
		t.nextLine()
	case 0x88:
		t.scr.tabs[t.scr.x] = true
		t.scr.defaultTabs = 0
	}
	t.joinable = 0
}

// nextLine is NEL.
func (t *Term) nextLine() {
	t.scr.x = 0
	t.index()
}

// dispatchEscape executes an escape sequence.
func (t *Term) dispatchEscape(final byte) {
	switch {
	case t.ncol == 0:
		t.plainEscape(final)
	case t.ncol == 1 && t.collect[0] == '#' && final == '8':
		t.align()
	case t.ncol == 1:
		t.designate(t.collect[0], final)
	}
	t.joinable = 0
}

func (t *Term) plainEscape(final byte) {
	switch final {
	case '7':
		t.saveCursor()
	case '8':
		t.restoreCursor()
	case 'D':
		t.index()
	case 'E':
		t.nextLine()
	case 'H':
		t.scr.tabs[t.scr.x] = true
		t.scr.defaultTabs = 0
	case 'M':
		t.reverseIndex()
	case '=', '>':
		t.appKeypad = final == '='
	case 'c':
		t.reset()
	case 'n', '}':
		t.shiftTo(2)
	case 'o', '|':
		t.shiftTo(3)
	case '~':
		t.shiftTo(1)
	}
}
