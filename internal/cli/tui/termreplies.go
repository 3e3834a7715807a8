package tui

import "github.com/ptyrec/ptyrec/internal/lazy"

// replies matches the replies of terminals to queries (xterm's control sequences: DA, DSR, DECRQM,
// window reports, the kitty keyboard's flags, OSC and DCS). They arrive among the keys, but were
// not typed. It does not match a cursor report for the first row, which looks like Shift+F3.
var replies = lazy.Regexp("\x1b\\[[?>=][0-9;]*c|\x1b\\[\\??[0-9;]*n|\x1b\\[\\??(?:[2-9]|[1-9][0-9]+);[0-9;" +
	"]+R|\x1b\\[\\?[0-9;]*\\$y|\x1b\\[\\?[0-9]*u|\x1b\\[[0-9;]+t|" +
	"\x1b\\][0-9]+;[^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[P_][^\x1b]*\x1b\\\\")

// withoutReplies returns keys without the terminal's replies, except an incomplete one.
func withoutReplies(keys []byte) []byte {
	return replies().ReplaceAll(keys, nil)
}
