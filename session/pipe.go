package session

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// The text of a stream is its bytes decoded as UTF-8, with U+FFFD for each maximal invalid subpart
// (Unicode 16, section 3.9, "U+FFFD Substitution of Maximal Subparts"). A Pipe event has whole
// characters, so its text does not depend on the events around it.

// replacement is U+FFFD.
const replacement = "\uFFFD"

// TextSize returns the length of the text of data, in bytes.
func TextSize(data []byte) (n int64) {
	n = int64(len(data))
	if utf8.Valid(data) {
		return n
	}
	for at := 0; at < len(data); {
		size, valid, _ := character(data[at:])
		if !valid {
			n += int64(len(replacement) - size)
		}
		at += size
	}
	return n
}

// Text returns the text of data.
func Text(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var b strings.Builder
	b.Grow(int(TextSize(data)))
	from := 0
	for at := 0; at < len(data); {
		size, valid, _ := character(data[at:])
		if !valid {
			b.Write(data[from:at])
			b.WriteString(replacement)
			from = at + size
		}
		at += size
	}
	b.Write(data[from:])
	return b.String()
}

// Whole returns the length of data without an incomplete character at its end.
func Whole(data []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		at := len(data) - back
		if !utf8.RuneStart(data[at]) {
			continue
		}
		if _, _, more := character(data[at:]); more {
			return at
		}
		break
	}
	return len(data)
}

// lead describes the first byte of a character: how many bytes follow it, and the range of the
// second one (Unicode 16, table 3-7).
type lead struct {
	follow    uint8
	low, high byte
}

var leads = func() (l [256]lead) {
	for c := 0xC2; c <= 0xDF; c++ {
		l[c] = lead{1, 0x80, 0xBF}
	}
	for c := 0xE0; c <= 0xEF; c++ {
		l[c] = lead{2, 0x80, 0xBF}
	}
	for c := 0xF0; c <= 0xF4; c++ {
		l[c] = lead{3, 0x80, 0xBF}
	}
	l[0xE0].low, l[0xED].high, l[0xF0].low, l[0xF4].high = 0xA0, 0x9F, 0x90, 0x8F
	return l
}()

// character returns the size of the character at the start of data, which must not be empty. If it
// is not valid, size is that of its maximal subpart, at least 1, and more reports whether further
// bytes could complete it.
func character(data []byte) (size int, valid, more bool) {
	if data[0] < utf8.RuneSelf {
		return 1, true, false
	}
	l := leads[data[0]]
	if l.follow == 0 {
		return 1, false, false
	}
	for size = 1; size <= int(l.follow); size++ {
		if size == len(data) {
			return size, false, true
		}
		if data[size] < l.low || data[size] > l.high {
			return size, false, false
		}
		l.low, l.high = 0x80, 0xBF
	}
	return size, true, false
}

// OnTerminal converts a Pipe event to the Output event that shows it on a terminal (see
// TerminalLines). It returns other events unchanged.
func OnTerminal(e Event) Event {
	if e.Kind == Pipe {
		e = Event{At: e.At, Kind: Output, Data: TerminalLines(e.Data)}
	}
	return e
}

// TerminalLines returns data with a carriage return before each line feed, which makes a terminal
// start the next line at its left edge.
func TerminalLines(data []byte) []byte {
	return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
}
