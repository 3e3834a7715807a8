package tui

import (
	"fmt"
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// reports are the modes in which the user's terminal reports keys, pastes, mouse and focus. The
// zero value stands for the terminal's own modes.
type reports struct {
	on    bool // whether the terminal is in modes; false: in its own
	modes vterm.Modes
}

// Sessions are drawn on the alternate screen, where most terminals convert wheel movements to arrow
// keys (mode 1007). In a terminal that cannot save and restore this mode, it is set afterwards,
// which is the default.
const (
	wheelSave    = "\x1b[?1007s\x1b[?1007l"
	wheelRestore = "\x1b[?1007h\x1b[?1007r"
)

// change sets r to want, and returns the sequences that change the terminal.
func (r *reports) change(want reports) string {
	var b strings.Builder
	if want.on && !r.on {
		b.WriteString(wheelSave)
	}
	was, now := r.modes, want.modes
	set := func(code int, was, is bool) {
		switch {
		case is && !was:
			fmt.Fprintf(&b, "\x1b[?%dh", code)
		case was && !is:
			fmt.Fprintf(&b, "\x1b[?%dl", code)
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
		setKeyboard(&b, was.KeyboardFlags, now.KeyboardFlags)
	}
	if was.ModifyOtherKeys != now.ModifyOtherKeys {
		setModifyOtherKeys(&b, now.ModifyOtherKeys)
	}
	if r.on && !want.on {
		b.WriteString(wheelRestore)
	}
	*r = want
	return b.String()
}

// setModifyOtherKeys writes the sequence that sets xterm's modifyOtherKeys.
func setModifyOtherKeys(b *strings.Builder, level int) {
	if level == 0 {
		b.WriteString("\x1b[>4m")
		return
	}
	fmt.Fprintf(b, "\x1b[>4;%dm", level)
}

// setKeyboard writes the sequences that change the flags of the kitty keyboard protocol.
func setKeyboard(b *strings.Builder, was, now int) {
	if was != 0 {
		b.WriteString("\x1b[<u")
	}
	if now != 0 {
		fmt.Fprintf(b, "\x1b[>%du", now)
	}
}

// setMouse sets or resets a tracking mode, preceded by the modes that report less: a terminal uses
// the last one that it supports.
func setMouse(b *strings.Builder, mode int, verb rune) {
	for _, m := range []int{9, 1000, 1002, 1003} {
		if m == mode || mode > 1000 && m >= 1000 && m < mode {
			fmt.Fprintf(b, "\x1b[?%d%c", m, verb)
		}
	}
}
