package tui

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Keys as sequences: CSI key:alternates ; modifiers:event ; text u (kitty, "An overview") and
// CSI 27 ; modifiers ; key ~ (xterm, modifyOtherKeys).
var keySequences = lazy.Regexp("\x1b\\[(?:([0-9:]+);([0-9]+)(?::([0-9]+))?(?:;[0-9:]*)?u|27;([0-9]+);([0-9]+)~)")

// detachAt returns where the key that leaves, one with Ctrl, is in keys, or -1. The terminal sends
// it as a byte or, if the session's program asked for it, as a sequence.
func detachAt(keys []byte, key byte) int {
	at := bytes.IndexByte(keys, key)
	for _, m := range keySequences().FindAllSubmatchIndex(keys, -1) {
		if at >= 0 && m[0] > at {
			break
		}
		if leaves(submatches(keys, m), key) {
			return m[0]
		}
	}
	return at
}

func submatches(b []byte, at []int) []string {
	var found []string
	for i := 2; i < len(at); i += 2 {
		text := ""
		if at[i] >= 0 {
			text = string(b[at[i]:at[i+1]])
		}
		found = append(found, text)
	}
	return found
}

// leaves reports whether a sequence of these parts says that the key was pressed.
func leaves(parts []string, key byte) bool {
	codes, mods, event := parts[0], parts[1], parts[2]
	if codes == "" {
		codes, mods = parts[4], parts[3]
	}
	const ctrl, released = 4, "3"
	const shift, locks = 1, 64 | 128
	n, err := strconv.Atoi(mods)
	if err != nil || event == released || (n-1)&^(shift|locks) != ctrl {
		return false
	}
	for code := range strings.SplitSeq(codes, ":") {
		c, err := strconv.Atoi(code)
		if err == nil && control(c) == key {
			return true
		}
	}
	return false
}

// control returns what a terminal sends for Ctrl and a key where no program asks for sequences, or
// 0 (kitty, "Legacy ctrl mapping of ASCII keys").
func control(key int) byte {
	switch {
	case key >= 'a' && key <= 'z' || key >= '@' && key <= '_':
		return byte(key & 0x1f)
	case key >= '3' && key <= '7':
		return byte(key - '3' + 0x1b)
	case key == '/' || key == '-':
		return '_' & 0x1f
	}
	return 0
}

// Sequences of keys, and reports of the mouse with characters, that are not complete.
var (
	cutOff     = lazy.Regexp("\x1b\\[(?:<?[0-9][0-9:;]*|<)$")
	cutPointer = lazy.Regexp("\x1b\\[M[^\x1b]{0,2}$")
)

// maxCut is how long the beginning of a sequence may be, in bytes.
const maxCut = 64

// splitCut takes the beginning of a sequence off the end of keys: its rest comes with the next
// ones. What a person types comes in one piece. mouse is whether the terminal reports the mouse:
// CSI M is a key in some.
func splitCut(keys []byte, mouse bool) (whole, cut []byte) {
	m := cutOff().FindIndex(keys)
	if m == nil && mouse {
		m = cutPointer().FindIndex(keys)
	}
	if m != nil && m[1]-m[0] <= maxCut {
		return keys[:m[0]], bytes.Clone(keys[m[0]:])
	}
	return keys, nil
}
