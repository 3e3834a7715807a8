package vterm

// modes are the settings other than the cursor's and the style's.
type modes struct {
	autowrap, insert, origin bool
	newLine                  bool // LNM: LF implies CR
	reverseWrap              bool
	appCursor, appKeypad     bool
	hidden                   bool // DECTCEM: the cursor is invisible
	bracketedPaste, focus    bool
	alternateScroll          bool // 1007: the wheel types arrow keys on the alternate screen
	synced                   bool // 2026: in a synchronized update
	mouse                    int  // 9, 1000, 1002, 1003; 0 if off
	mouseFormat              int  // 1005, 1006, 1015, 1016; 0 means bytes
	cursorBlink              bool
}

// Modes are the terminal settings that callers need.
type Modes struct {
	ApplicationCursorKeys, ApplicationKeypad      bool
	BracketedPaste, SendFocus, SynchronizedOutput bool
	Insert, Origin, ReverseWraparound, Wraparound bool
	AlternateScroll                               bool
	Mouse                                         int // DEC mode of mouse tracking: 9, 1000, 1002, 1003; 0 if off
	MouseFormat                                   int // DEC mode of mouse reports: 1005, 1006, 1015, 1016; 0 means bytes
	KeyboardFlags                                 int // kitty's progressive enhancement flags in force
	ModifyOtherKeys                               int // level of xterm's modifyOtherKeys; 0 if off
}

// Modes returns the current settings.
func (t *Term) Modes() Modes {
	return Modes{
		ApplicationCursorKeys: t.appCursor, ApplicationKeypad: t.appKeypad,
		BracketedPaste: t.bracketedPaste, SendFocus: t.focus, SynchronizedOutput: t.synced,
		Insert: t.insert, Origin: t.origin, ReverseWraparound: t.reverseWrap, Wraparound: t.autowrap,
		AlternateScroll: t.alternateScroll, Mouse: t.mouse, MouseFormat: t.mouseFormat,
		KeyboardFlags: t.keyboardInForce(), ModifyOtherKeys: t.keyboard.other,
	}
}

// setModes is SM and RM.
func (t *Term) setModes(on bool) {
	for _, v := range t.params.nums[:t.params.n] {
		switch v {
		case 4:
			t.insert = on
		case 20:
			t.newLine = on
		}
	}
}

// setPrivateModes is DECSET and DECRST.
func (t *Term) setPrivateModes(on bool) {
	for _, v := range t.params.nums[:t.params.n] {
		if flag := t.privateFlag(v); flag != nil {
			was := *flag
			*flag = on
			if v == 2004 && (on || was) {
				t.markReads(on)
			}
			continue
		}
		switch v {
		case 2:
			if on {
				t.resetCharsets()
			}
		case 25:
			t.hidden = !on
		case 6:
			t.origin = on
			t.moveTo(0, 0)
		case 9, 1000, 1002, 1003:
			t.mouse = modeIf(on, v)
		case 1005, 1006, 1015, 1016:
			t.mouseFormat = modeIf(on, v)
		case 47, 1047, 1048, 1049:
			t.switchScreen(v, on)
		case 2026:
			t.synced = on
			if !on {
				t.cue(CueFrame, 0, "")
			}
		}
	}
}

// modeIf returns a mode if it is set, else 0.
func modeIf(on bool, mode int32) int {
	if on {
		return int(mode)
	}
	return 0
}

// privateFlag returns the field of a mode that is only stored, nil if there is none.
func (t *Term) privateFlag(v int32) *bool {
	switch v {
	case 1:
		return &t.appCursor
	case 7:
		return &t.autowrap
	case 12:
		return &t.cursorBlink
	case 45:
		return &t.reverseWrap
	case 66:
		return &t.appKeypad
	case 1004:
		return &t.focus
	case 1007:
		return &t.alternateScroll
	case 2004:
		return &t.bracketedPaste
	}
	return nil
}

// switchScreen is DECSET and DECRST 47, 1047, 1048 and 1049.
func (t *Term) switchScreen(v int32, on bool) {
	if on {
		if v >= 1048 {
			t.saveCursor()
		}
		if v != 1048 {
			t.useAlt()
		}
		return
	}
	if v != 1048 {
		t.useMain()
	}
	if v >= 1048 {
		t.restoreCursor()
	}
}

// softReset is DECSTR.
func (t *Term) softReset() {
	sc := t.scr
	sc.top, sc.bottom = 0, t.rows-1
	t.modes = modes{
		autowrap: true, mouse: t.mouse, mouseFormat: t.mouseFormat,
		newLine: t.newLine, cursorBlink: t.cursorBlink,
	}
	t.extra = brushExtra{}
	t.paint(brush{})
	t.resetCharsets()
	sc.saved = savedCursor{y: t.base()}
}

// reset is RIS. It restores the initial state, except for what xterm.js keeps, too: the title, LNM,
// and whether the cursor is visible and blinks. The history is kept.
func (t *Term) reset() {
	t.cue(CueErase, -1, "")
	t.useMain()
	t.rememberScreen()
	t.clearScrollback()
	t.modes = modes{autowrap: true, hidden: t.hidden, newLine: t.newLine, cursorBlink: t.cursorBlink}
	t.keyboard = keyboard{}
	t.extra = brushExtra{}
	t.paint(brush{})
	t.resetCharsets()
	for _, sc := range []*screen{&t.main, &t.alt} {
		t.clearScreen(sc)
		sc.saved = savedCursor{}
	}
	t.blankRows(&t.main, 0)
}
