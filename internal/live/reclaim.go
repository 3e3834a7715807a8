package live

import (
	"bytes"
	"strings"
	"time"
)

const (
	reclaimKey = 0x1c                  // Ctrl+\
	holdTime   = 50 * time.Millisecond // how long an incomplete sequence waits for its end
	maxHold    = 32                    // maximum length of it
	// afterwards is how long Ctrl+\ is not passed on after a revocation, because the key may repeat
	// until it is released.
	afterwards = time.Second
)

// reclaim finds Ctrl+\ in keys. The terminal sends it as a byte or, if the program asked for it, as
// a sequence of the kitty keyboard protocol or of xterm's modifyOtherKeys.
type reclaim struct {
	held []byte // beginning of a sequence that may be Ctrl+\
}

// scan returns keys without Ctrl+\, and whether there was one. It holds back an incomplete sequence
// that may be one.
func (r *reclaim) scan(keys []byte) (pass []byte, found bool) {
	if len(r.held) > 0 {
		keys = append(r.held, keys...)
		r.held = nil
	}
	pass = make([]byte, 0, len(keys))
	for len(keys) > 0 {
		i := bytes.IndexAny(keys, "\x1b\x1c")
		if i < 0 {
			return append(pass, keys...), found
		}
		pass, keys = append(pass, keys[:i]...), keys[i:]
		if keys[0] == reclaimKey {
			keys, found = keys[1:], true
			continue
		}
		n, is, pressed := sequence(keys)
		switch {
		case n == 0:
			r.held = bytes.Clone(keys)
			return pass, found
		case is:
			found = found || pressed
		default:
			pass = append(pass, keys[:n]...)
		}
		keys = keys[n:]
	}
	return pass, found
}

// release returns what was held back, which is not a Ctrl+\.
func (r *reclaim) release() []byte {
	held := r.held
	r.held = nil
	return held
}

// sequence parses the escape sequence at the start of b. n is its length, or 0 if it may be
// incomplete. is means that it is Ctrl+\, pressed that the key was pressed, not released.
func sequence(b []byte) (n int, is, pressed bool) {
	if len(b) == 1 {
		return 0, false, false
	}
	if b[1] != '[' {
		return 1, false, false
	}
	for i := 2; i < len(b); i++ {
		c := b[i]
		switch {
		case c >= 0x40 && c < 0x7f:
			key, ok := ParseKey(string(b[2:i]), c)
			return i + 1, ok && key.Codes[0] == '\\' && key.Mods == Ctrl, !key.Released
		case c < '0' || c > ';' || !begins(string(b[2:i+1])) || i >= maxHold:
			return i, false, false
		}
	}
	return 0, false, false
}

// begins reports whether params may be the first parameters of a Ctrl+\.
func begins(params string) bool {
	for _, p := range []string{"92", "27;"} {
		if strings.HasPrefix(params, p) || strings.HasPrefix(p, params) {
			return true
		}
	}
	return false
}
