package redact

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Terminal hides the secrets in a recording: in the output of programs, and in the user's input. It
// replaces each by the same number of "*". It does not add or remove bytes, and does not change
// escape sequences.
//
// A recording is read once or twice: with Find, and if HasParts is true afterwards, with FindParts.
type Terminal struct {
	redactor *Redactor
	values   map[string]string // rule of each secret
	grams    gramSet           // parts of the known secrets
}

// Stream is one pass over one text of a recording. Its chunks are numbered from 0.
type Stream struct {
	terminal *Terminal
	text     stream
}

// Patch replaces bytes of a chunk.
type Patch struct {
	Chunk  int // number of the chunk in its Stream
	Offset int // offset in the chunk, in bytes
	Data   []byte
}

// Terminal returns a new Terminal. r must not be nil.
func (r *Redactor) Terminal() *Terminal {
	return &Terminal{redactor: r, values: map[string]string{}}
}

// Stream returns a new Stream. The streams of a Terminal may be read alternately, but not
// concurrently.
func (t *Terminal) Stream() *Stream { return &Stream{terminal: t} }

// HasParts reports whether a second pass may find parts of secrets.
func (t *Terminal) HasParts() bool { return t.grams.size > 0 }

// Found returns the number of secrets by rule. A secret that is drawn repeatedly, or in pieces,
// counts once.
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

// Look records the secrets in a text.
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
	glued := strings.Join(strings.Fields(value), "") // as findParts searches it
	eachGram([]byte(glued), func(g gram, at int) {
		if looksRandom(glued[at : at+gramSize]) {
			t.grams.add(g)
		}
	})
}

// value returns a matched text without the breaks that cut it.
func (v *view) value(m Match) string {
	out := make([]byte, 0, m.End-m.Start)
	at := m.Start
	first := sort.Search(len(v.folds), func(i int) bool { return v.folds[i].back > m.Start })
	for _, f := range v.folds[first:] {
		v.compared++
		if f.back >= m.End {
			break
		}
		out = append(out, v.text[at:max(at, v.cutAt(f))]...)
		at = f.back
	}
	return string(append(out, v.text[at:m.End]...))
}

// cutAt returns the offset in the text at which the row before a break ends.
func (v *view) cutAt(f foldAt) int { return v.original(f.at-1) + 1 }

// window is how much is searched at once, in bytes. The search for secrets reads the last keep
// bytes again with what follows, the search for parts of them the last keepParts.
const (
	window    = 256 << 10
	keep      = 64 << 10
	keepParts = 8 << 10
)

// Find searches the next chunk, or the rest at the end if it is nil, and returns patches that hide
// the secrets. Patches for a chunk may be returned with a later one, and more than once.
func (s *Stream) Find(chunk []byte) []Patch {
	return s.run(chunk, keep, s.find, func(c *clip) []Patch { return s.terminal.maskClip(c, false) })
}

// FindParts is like Find, but returns patches for parts of the secrets that were found before. It
// needs its own Stream.
func (s *Stream) FindParts(chunk []byte) []Patch {
	return s.run(chunk, keepParts, s.findParts, func(c *clip) []Patch { return s.terminal.maskClip(c, true) })
}

// run collects chunks, and searches them in windows that overlap by keep bytes.
func (s *Stream) run(chunk []byte, keep int, search func() []Patch,
	searchCopied func(*clip) []Patch) (patches []Patch) {
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
	done := 0 // in glued
	s.terminal.grams.in(glued, func(start int) {
		for _, k := range at[max(done, start) : start+gramSize] {
			patches = s.text.hide(patches, k, k+1)
		}
		done = start + gramSize
	})
	return patches
}

// hide appends the patches for the characters in [start, end) of the text.
func (s *stream) hide(patches []Patch, start, end int) []Patch {
	for start > 0 && !utf8.RuneStart(s.text[start]) {
		start--
	}
	for i := start; i < end; {
		r, n, stars := rune(s.text[i]), 1, 1
		if r > '~' {
			r, n = utf8.DecodeRune(s.text[i:])
			stars = displaywidth.Rune(r)
		}
		if s.from[i].chunk >= 0 && r != ' ' && !isBorder(r) {
			for k := range n {
				c := byte(0) // ignored by a terminal
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

// appendByte appends a patch that replaces a byte.
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
	return r == '|' || r >= utf8.RuneSelf && strings.ContainsRune(borderRune, r)
}

// glue returns the text without breaks and blanks, and the offset of each of its bytes in the text.
func (s *stream) glue() (glued []byte, at []int) {
	glued, at = make([]byte, 0, len(s.text)), make([]int, 0, len(s.text))
	for i, c := range s.text {
		if c > ' ' && c < 0x7f {
			glued, at = append(glued, c), append(at, i)
		}
	}
	return glued, at
}
