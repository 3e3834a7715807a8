package redact

import (
	"bytes"
	"encoding/base64"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// clipboard reads text that a program asks the terminal to copy, in base64: with OSC 52, iTerm2's
// OSC 1337 or kitty's OSC 5522, also within a string for tmux.
type clipboard struct {
	head   []byte  // what came behind the last ESC ]; nil: nothing that begins so
	open   bool    // the text has begun
	coded  []byte  // the text, in the standard alphabet
	from   []place // of the bytes of coded
	escape bool    // the last byte was ESC
	ready  []clip  // complete
}

// clip is a text in base64, or a part of one.
type clip struct {
	coded []byte
	from  []place
}

// copyStart is how what is copied begins, behind ESC ].
var copyStart = lazy.Regexp(`^(?:52;[a-z0-7]*;|1337;Copy=[^:;]*:|5522;[^;]*;)$`)

const maxCopyStart = 256 // bytes

// byte takes the next byte of an output.
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

// text takes a byte of the text or behind it. What is not of the alphabet is left out, as terminals
// do.
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

// take returns the texts that are complete since the last call; all of them at the end of the
// output.
func (c *clipboard) take(end bool) []clip {
	if end {
		c.end()
	}
	ready := c.ready
	c.ready = nil
	return ready
}

// decode returns the text that was encoded.
func (c *clip) decode() []byte {
	text := make([]byte, base64.RawStdEncoding.DecodedLen(len(c.coded)))
	n, _ := base64.RawStdEncoding.Decode(text, c.coded) // what can be decoded
	return text[:n]
}

// patches returns what makes the encoded text that of another one, of the same length.
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

// maskClip returns the patches that hide the secrets in what is copied, and parts of those that are
// known: a letter of base64 may belong to both.
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
	for _, m := range t.redactor.Find(string(text)) {
		cover(m.Start, m.End)
	}
	if parts {
		for i := 0; i+gramSize <= len(text); i++ {
			if t.grams[string(text[i:i+gramSize])] {
				cover(i, i+gramSize)
			}
		}
	}
	return c.patches(hidden)
}
