package vterm

import "encoding/binary"

// printText adds what printable ASCII p starts with to a line that is text, as much as fits, and
// says how much that is.
func (l *line) printText(p []byte, attr uint32) int {
	if cap(l.text) < len(l.grid) {
		l.text = make([]byte, 0, len(l.grid))
	}
	p = p[:min(len(p), len(l.grid)-l.used)]
	n := copyPrintable(l.text[l.used:l.used+len(p)], p)
	l.text, l.attr = l.text[:l.used+n], attr
	return n
}

// printable says that b is a printable ASCII character.
func printable(b byte) bool { return b-0x20 < 0x5F }

// printable8 says that p starts with eight printable ASCII characters: none has its high bit set,
// none is below 0x20, and none reaches 0x80 when one is added, which 0x7F does.
func printable8(p []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	if len(p) < 8 {
		return false
	}
	v := binary.LittleEndian.Uint64(p)
	return (v|(v+ones)|^((v|highs)-0x20*ones))&highs == 0
}

// copyPrintable copies the printable ASCII characters that src starts with, and says how many they
// are.
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
