package tui

import (
	"bytes"
	"slices"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/internal/live"
)

// keySequences matches sequences that may be keys; the groups are the parameters and the final
// byte.
var keySequences = lazy.Regexp("\x1b\\[([0-9:;]+)([u~])")

// detachAt returns the index of the detach key in keys, or -1. The key is a control character. The
// terminal sends it as that byte or, if the session's program asked for that, as a sequence.
func detachAt(keys []byte, key byte) int {
	at := bytes.IndexByte(keys, key)
	for _, m := range keySequences().FindAllSubmatchIndex(keys, -1) {
		if at >= 0 && m[0] > at {
			break
		}
		k, ok := live.ParseKey(string(keys[m[2]:m[3]]), keys[m[4]])
		sends := func(code int) bool { return live.ControlKey(code) == key }
		if ok && !k.Released && k.Mods&^live.Shift == live.Ctrl && slices.ContainsFunc(k.Codes, sends) {
			return m[0]
		}
	}
	return at
}

// Incomplete sequences at the end of keys: those of keys and of mouse reports with numbers, and
// those of mouse reports with characters.
var (
	cutNumbers    = lazy.Regexp("\x1b\\[(?:<?[0-9][0-9:;]*|<)$")
	cutCharacters = lazy.Regexp("\x1b\\[M[^\x1b]{0,2}$")
)

// maxCut is the maximum length of an incomplete sequence, in bytes.
const maxCut = 64

// splitCut splits an incomplete sequence off the end of keys; the terminal sends its rest next.
// mouse reports whether the terminal reports the mouse; if not, CSI M may be a complete key.
func splitCut(keys []byte, mouse bool) (whole, cut []byte) {
	m := cutNumbers().FindIndex(keys)
	if m == nil && mouse {
		m = cutCharacters().FindIndex(keys)
	}
	if m != nil && m[1]-m[0] <= maxCut {
		return keys[:m[0]], bytes.Clone(keys[m[0]:])
	}
	return keys, nil
}
