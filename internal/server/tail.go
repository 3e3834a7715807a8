package server

import (
	"unicode/utf8"
)

// tail is the newest output of a session, cut only between characters and control sequences. Its
// zero value is empty.
type tail struct {
	any  bool // whether there was any output
	torn bool // the last returned output ended within a sequence

	carry   []byte // held back because it is incomplete
	kept    []byte // starts at the beginning of a character or sequence
	cutting cutter // state at the end of the returned output
}

// add adds output and returns, as UTF-8, what is complete of it and of what was held back. A
// sequence without an end is returned in parts.
func (t *tail) add(data []byte) (text []byte) {
	data = append(t.carry, data...)
	t.carry = nil
	at := t.cutting
	n := at.safe(data)
	if n < 0 && len(data) < bridgeLimit {
		t.carry = data
		return nil
	}
	if t.torn = n < 0; t.torn {
		n = len(data)
	} else if len(data)-n < bridgeLimit {
		t.carry = append(t.carry, data[n:]...)
	} else {
		t.torn, n = true, len(data)
	}
	t.cutting.safe(data[:n])
	text = valid(data[:n])
	t.any = t.any || len(text) > 0
	t.kept = append(t.kept, text...)
	if len(t.kept) > 2*bridgeLimit {
		t.trim()
	}
	return text
}

// newest returns the newest output, at most bridgeLimit bytes. The output must not end within a
// character or sequence.
func (t *tail) newest() []byte {
	t.trim()
	return t.kept
}

// trim keeps at most bridgeLimit bytes, starting at the beginning of a character or sequence.
func (t *tail) trim() {
	over := len(t.kept) - bridgeLimit
	if over <= 0 {
		return
	}
	var c cutter
	for i, b := range t.kept {
		if i >= over && c.rests() {
			t.kept = append([]byte{}, t.kept[i:]...)
			return
		}
		c.next(b)
	}
	t.kept = nil
}

// cutter finds places at which output may be cut: not within a character (UTF-8) or an escape
// sequence (ECMA-48, and xterm's strings).
type cutter struct {
	state  byte // one of the constants below
	follow int  // number of missing bytes of a character
}

const (
	atGround  = iota
	inEscape  // after ESC
	inControl // after ESC [
	inText    // within OSC, DCS, SOS, PM or APC, up to ST or BEL
	inTextEnd // after ESC within such a string
	inShort   // after ESC and an intermediate byte, up to the final one
)

// rests reports whether the next byte begins a character or sequence.
func (c *cutter) rests() bool { return c.state == atGround && c.follow == 0 }

// safe reads data and returns the last offset at which it may be cut, or -1 if there is none, not
// even at its beginning.
func (c *cutter) safe(data []byte) int {
	last := -1
	if c.rests() {
		last = 0
	}
	for i, b := range data {
		c.next(b)
		if c.rests() {
			last = i + 1
		}
	}
	return last
}

// next reads a byte.
func (c *cutter) next(b byte) {
	switch {
	case b == 0x18 || b == 0x1a: // CAN and SUB end every sequence
		*c = cutter{}
	case b == 0x1b && c.state == inText:
		c.state = inTextEnd
	case b == 0x1b:
		*c = cutter{state: inEscape}
	case c.state == atGround:
		c.character(b)
	case c.state == inEscape, c.state == inTextEnd && b != '\\':
		c.escaped(b)
	case c.state == inTextEnd:
		c.state = atGround
	case c.state == inText:
		if b == 0x07 {
			c.state = atGround
		}
	case c.state == inControl && b >= 0x40 && b < 0x7f, c.state == inShort && b >= 0x30 && b < 0x7f:
		c.state = atGround
	}
}

// escaped reads the byte after ESC.
func (c *cutter) escaped(b byte) {
	switch {
	case b == '[':
		c.state = inControl
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		c.state = inText
	case b >= 0x20 && b < 0x30:
		c.state = inShort
	case b >= 0x30:
		c.state = atGround
	}
}

// character reads a byte of a character.
func (c *cutter) character(b byte) {
	switch {
	case c.follow > 0 && !utf8.RuneStart(b):
		c.follow--
	case b >= 0xf0 && b < 0xf8:
		c.follow = 3
	case b >= 0xe0 && b < 0xf0:
		c.follow = 2
	case b >= 0xc2 && b < 0xe0:
		c.follow = 1
	default:
		c.follow = 0
	}
}
