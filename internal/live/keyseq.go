package live

import (
	"strconv"
	"strings"
)

// Modifiers of a key.
const (
	Shift = 1 << iota
	Alt
	Ctrl
)

const keyLocks = 64 | 128 // Caps Lock, Num Lock

// Key is a key that was pressed, held down or released.
type Key struct {
	// Unicode code points: of the key and, if the terminal sends them, of its shifted form and its
	// base layout.
	Codes    []int
	Mods     int // Shift, Alt, Ctrl and others, but not the locks
	Released bool
}

// ParseKey reads the parameters and the final byte of a CSI sequence. It knows two forms:
// CSI key:alternates ; modifiers:event ; text u (kitty, "An overview") and
// CSI 27 ; modifiers ; key ~ (xterm, modifyOtherKeys). ok is false for others.
func ParseKey(params string, final byte) (k Key, ok bool) {
	fields := strings.Split(params, ";")
	var codes, mods, event string
	switch {
	case final == 'u' && len(fields) >= 2:
		codes = fields[0]
		mods, event, _ = strings.Cut(fields[1], ":")
	case final == '~' && len(fields) == 3 && fields[0] == "27":
		codes, mods = fields[2], fields[1]
	default:
		return k, false
	}
	n, err := strconv.Atoi(mods)
	if err != nil {
		return k, false
	}
	k.Mods, k.Released = (n-1)&^keyLocks, event == "3"
	for code := range strings.SplitSeq(codes, ":") {
		if c, err := strconv.Atoi(code); err == nil { // an alternate may be empty
			k.Codes = append(k.Codes, c)
		}
	}
	return k, len(k.Codes) > 0
}

// ControlKey returns what a terminal sends for Ctrl and a key if no program asks for sequences, or
// 0 (kitty, "Legacy ctrl mapping of ASCII keys").
func ControlKey(code int) byte {
	switch {
	case code >= 'a' && code <= 'z' || code >= '@' && code <= '_':
		return byte(code & 0x1f)
	case code >= '3' && code <= '7':
		return byte(code - '3' + 0x1b)
	case code == '/' || code == '-':
		return '_' & 0x1f
	}
	return 0
}
