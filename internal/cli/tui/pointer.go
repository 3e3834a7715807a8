package tui

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/vterm"
)

// view is the part of a session's screen that the user's terminal shows.
type view struct {
	top        int // first visible row
	cols, rows int // size of the whole screen, in cells
}

// Formats of mouse reports, by their DEC modes.
const (
	mouseUTF8   = 1005
	mousePixels = 1016
)

// pointed returns keys with the positions in mouse reports converted to the session's screen. m are
// the modes in which the terminal has sent keys. Reports from outside the screen are dropped,
// except when a button is released.
func (v view) pointed(keys []byte, m vterm.Modes) []byte {
	if m.Mouse == 0 || m.MouseFormat == mousePixels && v.top == 0 {
		return keys
	}
	out := make([]byte, 0, len(keys))
	for len(keys) > 0 {
		p, n := readPointer(keys, m.MouseFormat)
		if n == 0 {
			next := 1 + bytes.IndexByte(keys[1:], 0x1b)
			if next == 0 {
				next = len(keys)
			}
			out, keys = append(out, keys[:next]...), keys[next:]
			continue
		}
		keys = keys[n:]
		if m.MouseFormat == mousePixels {
			continue // the height of a row is unknown
		}
		p.y += v.top
		if p.x <= v.cols && p.y <= v.rows || p.released() {
			p.x, p.y = min(p.x, v.cols), min(p.y, v.rows)
			out = p.append(out, m.MouseFormat)
		}
	}
	return out
}

// pointer is a mouse report (ctlseqs, "Mouse Tracking").
type pointer struct {
	button, x, y int    // positions start at 1
	prefix       string // "<" in the SGR format
	final        byte   // of a report with numbers; 0 if the report is in characters
}

// released reports whether a button was released.
func (p pointer) released() bool {
	const wheel, motion = 64, 32
	return p.final == 'm' || p.prefix == "" && p.button&3 == 3 && p.button&(wheel|motion) == 0
}

// readPointer parses the mouse report at the start of keys. n is its length, or 0 if there is none.
func readPointer(keys []byte, format int) (p pointer, n int) {
	rest, ok := bytes.CutPrefix(keys, []byte("\x1b["))
	if !ok {
		return p, 0
	}
	if rest, ok = bytes.CutPrefix(rest, []byte("M")); ok {
		return readCharacters(rest, format)
	}
	if bytes.HasPrefix(rest, []byte("<")) {
		p.prefix = "<"
	}
	end := bytes.IndexAny(rest, "mM")
	if end < 0 {
		return p, 0
	}
	p.final = rest[end]
	const most = len("<999;99999;99999M")
	body := string(rest[len(p.prefix):min(end, most)])
	if _, err := fmt.Sscanf(body, "%d;%d;%d", &p.button, &p.x, &p.y); err != nil ||
		p.text() != p.prefix+body+string(p.final) {
		return p, 0
	}
	if p.prefix == "" {
		p.button -= 32
	}
	return p, len("\x1b[") + end + 1
}

// readCharacters parses a report in characters. rest is what follows CSI M.
func readCharacters(rest []byte, format int) (p pointer, n int) {
	n = len("\x1b[M")
	for _, field := range []*int{&p.button, &p.x, &p.y} {
		if len(rest) == 0 {
			return p, 0
		}
		c, size := rune(rest[0]), 1
		if format == mouseUTF8 {
			c, size = utf8.DecodeRune(rest)
		}
		*field, rest, n = int(c)-32, rest[size:], n+size
	}
	return p, n
}

// text returns a report with numbers, without CSI.
func (p pointer) text() string {
	return fmt.Sprintf("%s%d;%d;%d%c", p.prefix, p.button, p.x, p.y, p.final)
}

// append appends the report to out.
func (p pointer) append(out []byte, format int) []byte {
	switch {
	case p.final != 0 && p.prefix == "":
		p.button += 32
		fallthrough
	case p.final != 0:
		return append(append(out, "\x1b["...), p.text()...)
	}
	out = append(out, "\x1b[M"...)
	for _, v := range []int{p.button, p.x, p.y} {
		if format == mouseUTF8 {
			out = utf8.AppendRune(out, rune(v+32))
		} else {
			out = append(out, byte(min(v+32, 255)))
		}
	}
	return out
}
