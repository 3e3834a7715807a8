package cast

import (
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

var errString = errors.New("broken JSON string")

// arena allocates small byte slices from large ones, to save an allocation for each event.
type arena struct{ free []byte }

const arenaSize = 64 << 10

// take returns an empty slice with room for n bytes. keep must be called before the next take.
func (m *arena) take(n int) []byte {
	if n > arenaSize/4 {
		return make([]byte, 0, n)
	}
	if cap(m.free) < n {
		m.free = make([]byte, 0, arenaSize)
	}
	return m.free[:0:n]
}

// keep returns b, a slice from take, and removes it from the free space.
func (m *arena) keep(b []byte) []byte {
	if cap(b) <= arenaSize/4 && cap(b) > 0 {
		m.free = m.free[len(b):cap(m.free)][:0]
	}
	return b[:len(b):len(b)]
}

// plain marks the bytes of a JSON string that need no decoding. It is more lenient than JSON: raw
// control characters and invalid UTF-8 are passed on to the terminal.
var plain = func() (t [256]bool) {
	for i := range t {
		t[i] = i != '"' && i != '\\'
	}
	return t
}()

// decodeString decodes the JSON string at the start of b. Lone surrogates, which some programs
// write for broken UTF-8, become U+FFFD as in every reader.
func decodeString(b []byte, mem *arena) (data, rest []byte, err error) {
	if len(b) < 2 || b[0] != '"' {
		return nil, nil, errString
	}
	b = b[1:]
	out := mem.take(len(b)) // never longer than its source: the shortest escape is two bytes for one
	for {
		run := 0
		for run < len(b) && plain[b[run]] {
			run++
		}
		out = append(out, b[:run]...)
		if run == len(b) {
			return nil, nil, errString
		}
		if b[run] == '"' {
			return mem.keep(out), b[run+1:], nil
		}
		if out, b, err = decodeEscape(out, b[run:]); err != nil {
			return nil, nil, err
		}
	}
}

// decodeEscape appends the decoded form of the escape at the start of b.
func decodeEscape(out, b []byte) ([]byte, []byte, error) {
	if len(b) < 2 {
		return out, nil, errString
	}
	switch b[1] {
	case 'u':
		return decodeUnicode(out, b)
	case '"', '\\', '/':
		return append(out, b[1]), b[2:], nil
	case 'n':
		return append(out, '\n'), b[2:], nil
	case 'r':
		return append(out, '\r'), b[2:], nil
	case 't':
		return append(out, '\t'), b[2:], nil
	case 'b':
		return append(out, '\b'), b[2:], nil
	case 'f':
		return append(out, '\f'), b[2:], nil
	}
	return out, nil, errString
}

// decodeUnicode decodes \uXXXX, or a pair of them for a character outside the BMP.
func decodeUnicode(out, b []byte) ([]byte, []byte, error) {
	r := hex4(b)
	if r < 0 {
		return out, nil, errString
	}
	b = b[6:]
	if r < utf8.RuneSelf {
		return append(out, byte(r)), b, nil
	}
	if utf16.IsSurrogate(r) {
		pair := utf16.DecodeRune(r, hex4(b))
		if pair != utf8.RuneError {
			b = b[6:]
		}
		r = pair
	}
	return utf8.AppendRune(out, r), b, nil
}

// hex4 decodes \uXXXX at the start of b. It returns -1 if there is none.
func hex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}
