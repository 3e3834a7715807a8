package session

import (
	"bytes"
	"unicode/utf8"
)

// The text of a stream is its bytes as UTF-8, with U+FFFD for each maximal part that is not valid
// (Unicode 16, section 3.9, "U+FFFD Substitution of Maximal Subparts"). A Pipe event holds whole
// characters, so that its text does not depend on the events around it.

// replacement is U+FFFD.
const replacement = "\uFFFD"

// TextSize returns the length of the text of data, in bytes.
func TextSize(data []byte) (n int64) {
	n = int64(len(data))
	if utf8.Valid(data) {
		return n
	}
	eachInvalid(data, func(_, size int) { n += int64(len(replacement) - size) })
	return n
}

// Text returns the text of data.
func Text(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	b := make([]byte, 0, len(data)+len(data)/2)
	from := 0
	eachInvalid(data, func(at, size int) {
		b = append(append(b, data[from:at]...), replacement...)
		from = at + size
	})
	return string(append(b, data[from:]...))
}

// Whole returns how many bytes of data can be made into text before the bytes that follow are
// known: all but an unfinished character at the end.
func Whole(data []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		at := len(data) - back
		if !utf8.RuneStart(data[at]) {
			continue
		}
		if part, more := invalidPart(data[at:]); more && part == back {
			return at
		}
		break
	}
	return len(data)
}

// eachInvalid calls fn with the place and size of each maximal part of data that is not valid.
func eachInvalid(data []byte, fn func(at, size int)) {
	for at := 0; at < len(data); {
		if data[at] < utf8.RuneSelf {
			at++
			continue
		}
		if r, size := utf8.DecodeRune(data[at:]); r != utf8.RuneError || size > 1 {
			at += size
			continue
		}
		size, _ := invalidPart(data[at:])
		fn(at, size)
		at += size
	}
}

// invalidPart returns the size of the maximal part of a character that data, which does not begin
// with a whole one, begins with, or 1; more reports whether further bytes could complete it.
func invalidPart(data []byte) (size int, more bool) {
	var need int
	low, high := byte(0x80), byte(0xBF) // of the second byte (Unicode 16, table 3-7)
	switch c := data[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 2
	case c >= 0xE0 && c <= 0xEF:
		need = 3
		switch c {
		case 0xE0:
			low = 0xA0
		case 0xED:
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 4
		switch c {
		case 0xF0:
			low = 0x90
		case 0xF4:
			high = 0x8F
		}
	default:
		return 1, false
	}
	for size = 1; size < need; size++ {
		if size == len(data) {
			return size, true
		}
		if data[size] < low || data[size] > high {
			return size, false
		}
		low, high = 0x80, 0xBF
	}
	return size, false
}

// OnTerminal returns a Pipe event as an Output event with the same bytes, but with a carriage
// return before each line feed, as a terminal would show it. Other events are returned as they are.
func OnTerminal(e Event) Event {
	if e.Kind == Pipe {
		e = Event{At: e.At, Kind: Output, Data: bytes.ReplaceAll(e.Data, []byte("\n"), []byte("\r\n"))}
	}
	return e
}
