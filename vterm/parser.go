package vterm

import "unicode/utf8"

// state is a state of the parser. The state machine is that of
// https://vt100.net/emu/dec_ansi_parser, with OSC strings that BEL may also end, colons in
// parameters, and UTF-8.
type state uint8

const (
	ground state = iota
	escape
	escapeIntermediate
	csiEntry // this and the next three have the same order as those of DCS: see inHead
	csiParam
	csiIntermediate
	csiIgnore
	dcsEntry
	dcsParam
	dcsIntermediate
	dcsIgnore
	dcsPassthrough
	oscString
	sosPmApc
)

// maxString is the maximum length of the payload of an OSC or DCS string. Longer ones are not
// executed.
const maxString = 1 << 20

// parser holds the incomplete sequence at the end of the output so far.
type parser struct {
	state   state
	carry   [utf8.UTFMax]byte // UTF-8 sequence cut off by the end of a Write
	ncarry  int
	params  params
	collect [4]byte // private marker and intermediates
	ncol    int     // number of these, which may be more than 4
	str     []byte  // payload of a string
	strLong bool    // whether the payload was longer than maxString
	dcs     byte    // final byte of the DCS
}

// Write processes the output p of a program. It accepts any bytes, always returns len(p) and nil,
// and gets the same result however the output is divided into writes.
func (t *Term) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && t.ncarry > 0 {
		p = t.resume(p)
	}
	for len(p) > 0 {
		if t.state == ground {
			p = t.ground(p)
		} else {
			p = t.inSequence(p)
		}
	}
	return n, nil
}

// resume completes the UTF-8 sequence that the last Write ended with.
func (t *Term) resume(p []byte) []byte {
	t.carry[t.ncarry] = p[0]
	seq := t.carry[:t.ncarry+1]
	if !utf8.FullRune(seq) {
		t.ncarry++
		return p[1:]
	}
	t.ncarry = 0
	r, size := utf8.DecodeRune(seq)
	if size < len(seq) { // the new byte does not continue it: drop it
		return p
	}
	t.char(r)
	return p[1:]
}

// ground processes text up to the start of a sequence.
func (t *Term) ground(p []byte) []byte {
	for i := 0; i < len(p); {
		switch b := p[i]; {
		case printable(b):
			i += t.printASCII(p[i:])
		case b == 0x1B:
			t.inRun = false
			if n := t.wholeCSI(p[i+1:]); n > 0 {
				i += 1 + n
				continue
			}
			t.enterEscape()
			return p[i+1:]
		case b < 0x20:
			t.inRun = false
			t.execute(b)
			i++
		case b == 0x7F:
			t.inRun = false
			i++
		default:
			if n := t.printPlain(p[i:]); n > 0 {
				i += n
				continue
			}
			r, size := utf8.DecodeRune(p[i:])
			if r == utf8.RuneError && size <= 1 {
				if !utf8.FullRune(p[i:]) {
					t.ncarry = copy(t.carry[:], p[i:])
					return nil
				}
				i++
				continue
			}
			i += size
			if r >= 0xA0 {
				if r != 0xFEFF {
					t.printRune(r)
				}
			} else if t.c1(r); t.state != ground {
				return p[i:]
			}
		}
	}
	return nil
}

// inSequence processes a sequence, up to its end or the end of p.
func (t *Term) inSequence(p []byte) []byte {
	for i := 0; i < len(p); {
		b := p[i]
		if b < 0x80 {
			i++
			t.ascii(b)
		} else {
			r, size := utf8.DecodeRune(p[i:])
			if r == utf8.RuneError && size <= 1 {
				if !utf8.FullRune(p[i:]) {
					t.ncarry = copy(t.carry[:], p[i:])
					return nil
				}
				i++
				continue
			}
			i += size
			t.char(r)
		}
		if t.state == ground {
			return p[i:]
		}
	}
	return nil
}

// char processes a decoded character above U+007F, in any state. Like xterm.js, it drops byte order
// marks and code points that are not characters.
func (t *Term) char(r rune) {
	switch {
	case r < 0xA0:
		t.c1(r)
	case r == 0xFEFF:
	case t.state == ground:
		t.printRune(r)
	case t.state == oscString || t.state == dcsPassthrough:
		t.putString(r)
	case t.state == csiIgnore || t.state == dcsIgnore:
	default:
		t.state = ground // it ends any other sequence, and is dropped
	}
}

// c1 processes an 8-bit control. It ends any sequence.
func (t *Term) c1(r rune) {
	t.inRun = false
	switch r {
	case 0x90:
		t.clearSequence()
		t.state = dcsEntry
	case 0x98, 0x9E, 0x9F:
		t.state = sosPmApc
	case 0x9B:
		t.clearSequence()
		t.state = csiEntry
	case 0x9D:
		t.startString()
		t.state = oscString
	case 0x9C:
		t.endString(true)
		t.state = ground
	default:
		t.state = ground
		t.executeC1(r)
	}
}

// ascii processes a byte below 0x80 in a sequence.
func (t *Term) ascii(b byte) {
	switch {
	case b == 0x1B:
		t.endString(true)
		t.enterEscape()
		return
	case b == 0x18 || b == 0x1A: // CAN, SUB
		t.endString(false)
		t.state = ground
		t.execute(b)
		return
	case b < 0x20:
		t.controlInside(b)
		return
	}
	switch t.state {
	case escape:
		t.inEscape(b)
	case escapeIntermediate:
		t.inEscapeIntermediate(b)
	case csiEntry, csiParam, csiIntermediate, csiIgnore:
		t.inCSI(b)
	case dcsEntry, dcsParam, dcsIntermediate:
		t.inDCS(b)
	case oscString:
		t.putByte(b)
	case dcsPassthrough:
		if b != 0x7F {
			t.putByte(b)
		}
	}
}

// controlInside processes a C0 control in a sequence: it executes it, or adds it to a string.
func (t *Term) controlInside(b byte) {
	switch t.state {
	case escape, escapeIntermediate, csiEntry, csiParam, csiIntermediate, csiIgnore:
		t.execute(b)
	case oscString:
		if b == 0x07 {
			t.endString(true)
			t.state = ground
		}
	case dcsPassthrough:
		t.putByte(b)
	}
}
