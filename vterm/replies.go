package vterm

import "fmt"

// maxReplies is the maximum length of the replies that wait for TakeReplies, in bytes.
const maxReplies = 1 << 16

// reply adds a reply to a query, if Options.Replies is set.
func (t *Term) reply(format string, args ...any) {
	if t.answer && len(t.replies) < maxReplies {
		t.replies = fmt.Appendf(t.replies, format, args...)
	}
}

// TakeReplies returns the replies to queries since the last call, which a terminal would send to
// the program. It returns nothing without Options.Replies.
func (t *Term) TakeReplies() []byte {
	out := t.replies
	t.replies = nil
	return out
}

// deviceAttributes is DA1. It replies as a VT100 with the advanced video option.
func (t *Term) deviceAttributes() {
	if t.params.get(0, 0) == 0 {
		t.reply("\x1b[?1;2c")
	}
}

// reportCSI executes the sequences with the private marker ">": DA2 and XTVERSION.
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

// keyboardFlags replies to the kitty keyboard protocol's query that no flags are set.
func (t *Term) keyboardFlags() { t.reply("\x1b[?0u") }

// deviceStatus is DSR. 5 asks for the status, 6 for the cursor.
func (t *Term) deviceStatus(private bool) {
	if !t.answer {
		return // skip formatting the reply
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

// States of a mode in replies to DECRQM.
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
	case 8: // DECARM: keys repeat
		return modeAlwaysSet
	case 67, 1005, 1015: // DECBKM, and two formats of mouse reports that are not supported
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

// dispatchDCS executes a device control string. Only DECRQSS has a reply here.
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
	case " q": // blinking block: the viewer decides about the cursor's shape
		t.reply("\x1bP1$r%d q\x1b\\", setOrReset(t.cursorBlink))
	default:
		t.reply("\x1bP0$r\x1b\\")
	}
}
