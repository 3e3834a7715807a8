package echo

import (
	"strings"
	"unicode/utf8"
)

// key is one key.
type key struct {
	of   *Keys
	data []byte
	text string // text that the screen must show; empty for a control key
	kind keyKind
	drop bool // never recorded
}

type keyKind uint8

const (
	charKey    keyKind = iota
	controlKey         // moves, erases or ends the line; has no text
	enterKey
	altKey    // ESC and a character
	hiddenKey // has text that cannot be looked for, such as a terminal's reply
)

// splitKeys splits what a terminal sends into keys.
func splitKeys(t *Keys) (keys []key) {
	data := t.Data
	for len(data) > 0 {
		n, kind := keyAt(data)
		k := key{of: t, data: data[:n:n], kind: kind}
		if kind == charKey {
			k.text = string(data[:n])
		}
		keys = append(keys, k)
		data = data[n:]
	}
	return keys
}

// keyAt returns the length and the kind of the first key in data.
func keyAt(data []byte) (n int, kind keyKind) {
	switch c := data[0]; {
	case c == '\r' || c == '\n':
		return 1, enterKey
	case c == 0x1b && len(data) > 1:
		return escapedKey(data)
	case c < ' ' || c == 0x7f:
		return 1, controlKey
	}
	r, n := utf8.DecodeRune(data)
	if r == utf8.RuneError || r < 0xa0 && r >= 0x7f {
		return n, hiddenKey
	}
	return n, charKey
}

// escapedKey is keyAt for sequences that begin with ESC (ECMA-48, 5.3 to 5.6; ctlseqs).
func escapedKey(data []byte) (n int, kind keyKind) {
	switch c := data[1]; {
	case c == '[':
		return sequenceKey(data)
	case c == 'O' && len(data) > 2:
		return 3, controlKey
	case strings.IndexByte("]P_^X", c) >= 0: // a terminal's reply
		for n = 2; n < len(data); n++ {
			if data[n] == 0x07 || data[n] == '\\' && data[n-1] == 0x1b {
				return n + 1, hiddenKey
			}
		}
		return n, hiddenKey
	case c < ' ' || c == 0x7f:
		return 1, controlKey
	}
	_, n = utf8.DecodeRune(data[1:])
	return n + 1, altKey
}

// sequenceKey is keyAt for CSI. Some keyboard protocols send characters that way (kitty's u,
// xterm's 27;…~, win32's _).
func sequenceKey(data []byte) (n int, kind keyKind) {
	for n = 2; n < len(data); n++ {
		c := data[n]
		if c < 0x20 || c > 0x7e {
			return n, hiddenKey
		}
		if c < 0x40 {
			continue
		}
		n++
		switch {
		case c == 'M' && n == 3: // X10 mouse: three bytes follow
			return min(n+3, len(data)), controlKey
		case c == 'u', c == '_', c == '~' && strings.HasPrefix(string(data[2:]), "27;"):
			return n, hiddenKey
		}
		return n, controlKey
	}
	return n, hiddenKey
}
