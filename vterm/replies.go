package vterm

import "fmt"

// maxReplies bounds the answers that wait for TakeReplies.
const maxReplies = 1 << 16

// reply adds an answer to a query, where ptyrec is the terminal and has to give one.
func (t *Term) reply(format string, args ...any) {
	if t.answer && len(t.replies) < maxReplies {
		t.replies = fmt.Appendf(t.replies, format, args...)
	}
}

// TakeReplies returns the answers to queries since the last call: what a terminal would have sent
// to the program. Always empty without Options.Replies.
func (t *Term) TakeReplies() []byte {
	out := t.replies
	t.replies = nil
	return out
}

// deviceAttributes is DA1: a VT100 with advanced video option.
func (t *Term) deviceAttributes() {
	if t.params.get(0, 0) == 0 {
		t.reply("\x1b[?1;2c")
	}
}

// reportCSI executes the sequences marked with >: DA2 and XTVERSION.
func (t *Term) reportCSI(final byte) {
	if t.params.get(0, 0) > 0 {
		return
	}
	switch final {
	case 'c':
		t.reply("\x1b[>0;276;0c")
	case 'q':
		t.reply("\x1bP>|ptyrec\x1b\\")
	}
}

// keyboardFlags is the kitty keyboard protocol's query: no progressive enhancement is on.
func (t *Term) keyboardFlags() { t.reply("\x1b[?0u") }

// deviceStatus is DSR: 5 for the state, 6 for the cursor.
func (t *Term) deviceStatus(private bool) {
	if !t.answer {
		return // without the cost of making the answer
	}
	switch n := t.params.get(0, 0); {
	case n == 5 && !private:
		t.reply("\x1b[0n")
	case n == 6 && !private:
		t.reply("\x1b[%d;%dR", t.scr.y+1, t.scr.x+1)
	case n == 6:
		t.reply("\x1b[?%d;%dR", t.scr.y+1, t.scr.x+1)
	}
}

// What DECRQM says of a mode.
const (
	modeUnknown = iota
	modeSet
	modeReset
	modeAlwaysSet
	modeAlwaysReset
)

// reportMode is DECRQM.
func (t *Term) reportMode(private bool) {
	n := t.params.nums[0]
	if private {
		t.reply("\x1b[?%d;%d$y", n, t.privateState(n))
		return
	}
	state := modeUnknown
	switch n {
	case 2:
		state = modeAlwaysReset
	case 4:
		state = setOrReset(t.insert)
	case 12:
		state = modeAlwaysSet
	case 20:
		state = setOrReset(t.newLine)
	}
	t.reply("\x1b[%d;%d$y", n, state)
}

func setOrReset(on bool) int {
	if on {
		return modeSet
	}
	return modeReset
}

func (t *Term) privateState(n int32) int {
	if flag := t.privateFlag(n); flag != nil {
		return setOrReset(*flag)
	}
	switch n {
	case 6:
		return setOrReset(t.origin)
	case 8: // DECARM: the keyboard repeats
		return modeAlwaysSet
	case 67, 1005, 1015: // DECBKM, and two ways to tell mouse positions that are not offered
		return modeAlwaysReset
	case 9, 1000, 1002, 1003:
		return setOrReset(t.mouse == int(n))
	case 1006, 1016:
		return setOrReset(t.mouseFormat == int(n))
	case 25:
		return setOrReset(!t.hidden)
	case 47, 1047, 1049:
		return setOrReset(t.scr == &t.alt)
	case 1048:
		return modeSet
	case 2026:
		return setOrReset(t.synced)
	}
	return modeUnknown
}

// dispatchDCS executes a device control string. Only DECRQSS has an answer here.
func (t *Term) dispatchDCS() {
	if t.dcs != 'q' || t.ncol != 1 || t.collect[0] != '$' {
		return
	}
	switch string(t.str) {
	case "r":
		t.reply("\x1bP1$r%d;%dr\x1b\\", t.scr.top+1, t.scr.bottom+1)
	case "m":
		t.reply("\x1bP1$r0m\x1b\\")
	case "\"q":
		t.reply("\x1bP1$r%d\"q\x1b\\", t.brush.flags&penProtected/penProtected)
	case "\"p":
		t.reply("\x1bP1$r61;1\"p\x1b\\")
	case " q": // a block, blinking or not: the viewer that draws it decides how it looks
		t.reply("\x1bP1$r%d q\x1b\\", setOrReset(t.cursorBlink))
	default:
		t.reply("\x1bP0$r\x1b\\")
	}
}
