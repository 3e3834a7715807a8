package vterm

import "encoding/binary"

// printText appends the printable ASCII characters at the start of p to a line that is text, as
// many as fit, and returns their number.
func (l *line) printText(p []byte, attr uint32) int {
	if cap(l.text) < len(l.grid) {
		l.text = make([]byte, 0, len(l.grid))
	}
	p = p[:min(len(p), len(l.grid)-l.used)]
	n := copyPrintable(l.text[l.used:l.used+len(p)], p)
	l.text, l.attr = l.text[:l.used+n], attr
	return n
}

// printable reports whether b is a printable ASCII character.
func printable(b byte) bool { return b-0x20 < 0x5F }

// printable8 reports whether p starts with eight printable ASCII characters: none has its high bit
// set, none is less than 0x20, and none reaches 0x80 when 1 is added, as 0x7F does.
func printable8(p []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	if len(p) < 8 {
		return false
	}
	v := binary.LittleEndian.Uint64(p)
	return (v|(v+ones)|^((v|highs)-0x20*ones))&highs == 0
}

// copyPrintable copies the printable ASCII characters at the start of src, and returns their
// number.
func copyPrintable(dst, src []byte) int {
	n := 0
	for ; printable8(src[n:]); n += 8 {
		copy(dst[n:n+8], src[n:])
	}
	for ; n < len(src) && printable(src[n]); n++ {
		dst[n] = src[n]
	}
	return n
}
