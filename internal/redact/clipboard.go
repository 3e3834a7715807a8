package redact

import (
	"bytes"
	"encoding/base64"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// clipboard collects the texts that programs copy to the clipboard by escape sequences, encoded in
// base64. It supports OSC 52, OSC 1337 of iTerm2 and OSC 5522 of kitty, also inside a DCS for tmux.
type clipboard struct {
	head   []byte  // bytes since the last ESC ]; nil if they are not the start of a text
	open   bool    // whether head is complete and a text follows
	coded  []byte  // the text in the standard base64 alphabet
	from   []place // origin of each byte of coded
	escape bool    // whether the last byte was ESC
	ready  []clip  // completed texts
}

// clip is a text in base64, or a part of a long one.
type clip struct {
	coded []byte
	from  []place
}

// copyStart matches what is between ESC ] and a text.
var copyStart = lazy.Regexp(`^(?:52;[a-z0-7]*;|1337;Copy=[^:;]*:|5522;[^;]*;)$`)

const maxCopyStart = 256 // bytes

// byte processes the next byte of the output.
func (c *clipboard) byte(b byte, at place) {
	escape := c.escape
	c.escape = b == 0x1b
	switch {
	case b == ']' && escape:
		c.end()
		c.head = c.head[:0]
		if c.head == nil {
			c.head = make([]byte, 0, maxCopyStart)
		}
	case c.open:
		c.text(b, at)
	case c.head == nil:
	case b < ' ' || len(c.head) == maxCopyStart:
		c.head = nil
	default:
		c.head = append(c.head, b)
		if b == ';' || b == ':' {
			c.open = copyStart().Match(c.head)
		}
	}
}

// text processes a byte of the text, or the one that ends it. Like terminals, it ignores bytes
// outside the alphabet.
func (c *clipboard) text(b byte, at place) {
	switch {
	case b == '-':
		b = '+'
	case b == '_':
		b = '/'
	case b == 0x07 || b == 0x1b || b == 0x18 || b == 0x1a:
		c.end()
		return
	case b != '+' && b != '/' && !isWord(b):
		return
	}
	c.coded, c.from = append(c.coded, b), append(c.from, at)
	if len(c.coded) == window {
		c.ready = append(c.ready, clip{bytes.Clone(c.coded), append([]place(nil), c.from...)})
		c.coded, c.from = append(c.coded[:0], c.coded[window-keep:]...), append(c.from[:0], c.from[window-keep:]...)
	}
}

// end ends a text.
func (c *clipboard) end() {
	if len(c.coded) > 0 {
		c.ready = append(c.ready, clip{c.coded, c.from})
	}
	c.head, c.open, c.coded, c.from = nil, false, nil, nil
}

// take returns the texts that were completed since the last call. If end is set, the output is
// over, and it returns an incomplete text, too.
func (c *clipboard) take(end bool) []clip {
	if end {
		c.end()
	}
	ready := c.ready
	c.ready = nil
	return ready
}

// decode returns the decoded text, up to the first error.
func (c *clip) decode() []byte {
	text := make([]byte, base64.RawStdEncoding.DecodedLen(len(c.coded)))
	n, _ := base64.RawStdEncoding.Decode(text, c.coded)
	return text[:n]
}

// patches returns the patches that change the decoded text to text, which must have the same
// length.
func (c *clip) patches(text []byte) (patches []Patch) {
	coded := make([]byte, base64.RawStdEncoding.EncodedLen(len(text)))
	base64.RawStdEncoding.Encode(coded, text)
	for i, b := range coded {
		if b != c.coded[i] {
			patches = appendByte(patches, c.from[i], b)
		}
	}
	return patches
}

// maskClip records the secrets in a copied text, and returns the patches that hide them. If parts
// is set, they also hide parts of known secrets. One call does both, since a letter of base64 may
// encode bits of either.
func (t *Terminal) maskClip(c *clip, parts bool) []Patch {
	text := c.decode()
	hidden := bytes.Clone(text)
	cover := func(start, end int) {
		for i := start; i < end; i++ {
			if text[i] != '\n' {
				hidden[i] = '*'
			}
		}
	}
	v := fold(string(text))
	for _, m := range t.redactor.find(v) {
		t.note(m.Rule, v.value(m))
		cover(m.Start, m.End)
	}
	if parts {
		t.grams.in(text, func(at int) { cover(at, at+gramSize) })
	}
	return c.patches(hidden)
}
