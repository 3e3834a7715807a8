package tui

import (
	"fmt"
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// reports is how the user's terminal reports what its user does: keys, pastes, mouse, focus. The
// zero value is a terminal as it was.
type reports struct {
	on    bool // as modes say
	modes vterm.Modes
}

// The alternate screen, on which sessions are drawn, has the wheel type arrow keys in most
// terminals. Those that cannot save this mode have it on.
const (
	wheelOurs   = "\x1b[?1007s\x1b[?1007l"
	wheelTheirs = "\x1b[?1007h\x1b[?1007r"
)

// change makes r what is wanted, and returns the sequences that do so in a terminal.
func (r *reports) change(want reports) string {
	var b strings.Builder
	if want.on && !r.on {
		b.WriteString(wheelOurs)
	}
	was, now := r.modes, want.modes
	set := func(code int, was, is bool) {
		if was != is {
			fmt.Fprintf(&b, "\x1b[?%d%c", code, map[bool]rune{true: 'h', false: 'l'}[is])
		}
	}
	set(1, was.ApplicationCursorKeys, now.ApplicationCursorKeys)
	if was.ApplicationKeypad != now.ApplicationKeypad {
		b.WriteString(map[bool]string{true: "\x1b=", false: "\x1b>"}[now.ApplicationKeypad])
	}
	set(2004, was.BracketedPaste, now.BracketedPaste)
	set(1004, was.SendFocus, now.SendFocus)
	set(1007, was.AlternateScroll, now.AlternateScroll)
	if was.Mouse != now.Mouse {
		setMouse(&b, was.Mouse, 'l')
		setMouse(&b, now.Mouse, 'h')
	}
	if was.MouseFormat != now.MouseFormat {
		set(was.MouseFormat, was.MouseFormat != 0, false)
		set(now.MouseFormat, false, now.MouseFormat != 0)
	}
	if was.KeyboardFlags != now.KeyboardFlags {
		if was.KeyboardFlags != 0 {
			b.WriteString("\x1b[<u")
		}
		if now.KeyboardFlags != 0 {
			fmt.Fprintf(&b, "\x1b[>%du", now.KeyboardFlags)
		}
	}
	switch {
	case was.ModifyOtherKeys == now.ModifyOtherKeys:
	case now.ModifyOtherKeys == 0:
		b.WriteString("\x1b[>4m")
	default:
		fmt.Fprintf(&b, "\x1b[>4;%dm", now.ModifyOtherKeys)
	}
	if r.on && !want.on {
		b.WriteString(wheelTheirs)
	}
	*r = want
	return b.String()
}

// setMouse sets a tracking mode, and before it those that report less: a terminal takes the best
// that it knows.
func setMouse(b *strings.Builder, mode int, verb rune) {
	for _, m := range []int{9, 1000, 1002, 1003} {
		if m == mode || mode > 1000 && m >= 1000 && m < mode {
			fmt.Fprintf(b, "\x1b[?%d%c", m, verb)
		}
	}
}
