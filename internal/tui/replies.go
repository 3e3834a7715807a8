package tui

import "regexp"

// replies are what terminals answer to queries (xterm's control sequences: DA, DSR, DECRQM, window
// reports, the kitty keyboard's flags, OSC and DCS). Something else on the terminal may have asked,
// and nobody typed that. A cursor report of the first row looks as Shift+F3 does, and is left
// alone.
var replies = regexp.MustCompile("\x1b\\[[?>=][0-9;]*c|\x1b\\[\\??[0-9;]*n|\x1b\\[\\??(?:[2-9]|[1-9][0-9]+);[0-9;]+R|\x1b\\[\\?[0-9;]*\\$y|\x1b\\[\\?[0-9]*u|\x1b\\[[0-9;]+t|" +
	"\x1b\\][0-9]+;[^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[P_][^\x1b]*\x1b\\\\")

// withoutReplies takes a terminal's answers out of what was typed, where they come whole.
func withoutReplies(keys []byte) []byte {
	return replies.ReplaceAll(keys, nil)
}
