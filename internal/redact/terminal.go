package redact

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Terminal hides the secrets in a recording: in what programs wrote to the terminal, and in what
// the user typed. It replaces each by as many "*" as it has cells. It adds and removes no bytes,
// and changes no escape sequences.
//
// A recording is read once or twice: with Find, and if HasParts is true afterwards, with FindParts.
type Terminal struct {
	redactor *Redactor
	values   map[string]string // the rule of each secret
	grams    map[string]bool   // parts of the secrets that are known
}

// Stream is one reading of one text of a recording. Its chunks are numbered from 0.
type Stream struct {
	terminal *Terminal
	text     stream
}

// gramSize is the size of the smallest part of a known secret that is hidden, in bytes.
const gramSize = 8

// Patch replaces bytes of a chunk.
type Patch struct {
	Chunk  int // number of the chunk in its Stream
	Offset int // in the chunk, in bytes
	Data   []byte
}

// Terminal makes a Terminal. r must not be nil.
func (r *Redactor) Terminal() *Terminal {
	return &Terminal{redactor: r, values: map[string]string{}, grams: map[string]bool{}}
}

// Stream returns a new Stream. The streams of a Terminal may be read in turns, but not
// concurrently.
func (t *Terminal) Stream() *Stream { return &Stream{terminal: t} }

// HasParts reports whether a second reading may find parts of secrets.
func (t *Terminal) HasParts() bool { return len(t.grams) > 0 }

// Found counts the secrets by rule. One that is drawn over and over, or bit by bit, counts once.
func (t *Terminal) Found() map[string]int {
	values := slices.Sorted(maps.Keys(t.values))
	found := map[string]int{}
	for i, v := range values {
		if i+1 == len(values) || !strings.HasPrefix(values[i+1], v) {
			found[t.values[v]]++
		}
	}
	return found
}

// Look notes the secrets in a text.
func (t *Terminal) Look(text string) {
	v := fold(text)
	for _, m := range t.redactor.find(v) {
		t.note(m.Rule, v.value(m))
	}
}

func (t *Terminal) note(rule, value string) {
	if _, known := t.values[value]; known {
		return
	}
	t.values[value] = rule
	glued := strings.Join(strings.Fields(value), "") // as in what mask searches
	for i := 0; i+gramSize <= len(glued); i++ {
		if gram := glued[i : i+gramSize]; looksRandom(gram) {
			t.grams[gram] = true
		}
	}
}

// value returns a match without what cut it.
func (v *view) value(m Match) string {
	out := make([]byte, 0, m.End-m.Start)
	at := m.Start
	for _, f := range v.folds {
		if f.back <= m.Start || f.back >= m.End {
			continue
		}
		out = append(out, v.text[at:max(at, v.cutAt(f))]...)
		at = f.back
	}
	return string(append(out, v.text[at:m.End]...))
}

// cutAt returns where in the text the row before a break ends.
func (v *view) cutAt(f foldAt) int { return v.original(f.at-1) + 1 }

// window is how much is searched at once, and keep how much of it again with what follows, in
// bytes.
const (
	window = 256 << 10
	keep   = 64 << 10
)

// Find takes the next chunk, or nil at the end, and returns patches that hide the secrets. Patches
// for a chunk may come with a later one, and more than once.
func (s *Stream) Find(chunk []byte) []Patch {
	return s.run(chunk, s.find, func(c *clip) []Patch { return s.terminal.maskClip(c, false) })
}

// FindParts is like Find, but returns patches for parts of the secrets that were found before. It
// wants a Stream of its own.
func (s *Stream) FindParts(chunk []byte) []Patch {
	return s.run(chunk, s.findParts, func(c *clip) []Patch { return s.terminal.maskClip(c, true) })
}

// run collects chunks, and searches them in parts of the size of window.
func (s *Stream) run(chunk []byte, search func() []Patch, searchCopied func(*clip) []Patch) (patches []Patch) {
	text := &s.text
	if chunk != nil {
		text.add(chunk)
	}
	for _, c := range text.copied.take(chunk == nil) {
		patches = append(patches, searchCopied(&c)...)
	}
	if chunk != nil && len(text.text) < window {
		return patches
	}
	patches = append(patches, search()...)
	if chunk == nil {
		s.text = stream{}
	} else {
		text.drop(len(text.text) - keep)
	}
	return patches
}

func (s *Stream) find() (patches []Patch) {
	v := fold(string(s.text.text))
	v.table = s.text.table
	for _, m := range s.terminal.redactor.find(v) {
		s.terminal.note(m.Rule, v.value(m))
		patches = s.text.hide(patches, m.Start, m.End)
	}
	s.text.table = v.table
	return patches
}

func (s *Stream) findParts() (patches []Patch) {
	glued, at := s.text.glue()
	for i := 0; i+gramSize <= len(glued); i++ {
		if s.terminal.grams[string(glued[i:i+gramSize])] {
			for _, k := range at[i : i+gramSize] {
				patches = s.text.hide(patches, k, k+1)
			}
		}
	}
	return patches
}

// hide appends the patches for the characters in [start, end) of the text.
func (s *stream) hide(patches []Patch, start, end int) []Patch {
	for start > 0 && !utf8.RuneStart(s.text[start]) {
		start--
	}
	for i := start; i < end; {
		r, n := utf8.DecodeRune(s.text[i:])
		if s.from[i].chunk >= 0 && r != ' ' && !isBorder(r) {
			stars := displaywidth.Rune(r)
			for k := range n {
				c := byte(0) // a terminal takes no notice of it
				if k < stars {
					c = '*'
				}
				patches = appendByte(patches, s.from[i+k], c)
			}
		}
		i += n
	}
	return patches
}

// appendByte appends what replaces a byte.
func appendByte(patches []Patch, at place, c byte) []Patch {
	chunk, offset := int(at.chunk), int(at.offset)
	if n := len(patches); n > 0 {
		if last := &patches[n-1]; last.Chunk == chunk && last.Offset+len(last.Data) == offset {
			last.Data = append(last.Data, c)
			return patches
		}
	}
	return append(patches, Patch{Chunk: chunk, Offset: offset, Data: []byte{c}})
}

func isBorder(r rune) bool {
	for _, b := range borderRune {
		if r == b {
			return true
		}
	}
	return false
}

// glue returns the text without breaks and blanks, and the position of each of its bytes in the
// text.
func (s *stream) glue() (glued []byte, at []int) {
	for i, c := range s.text {
		if c > ' ' && c < 0x7f {
			glued, at = append(glued, c), append(at, i)
		}
	}
	return glued, at
}
