package redact

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Terminal finds secrets in what a program wrote to a terminal, or a user typed, and hides each
// behind as many "*" as it takes cells. No byte is added or taken away, and no escape sequence
// changes. It reads a recording twice: Look at all of it, then Mask all of it.
type Terminal struct {
	redactor *Redactor
	values   map[string]string // the rule of each secret
	grams    map[string]bool   // parts of the secrets that are known
	stream   stream
}

// gramSize is the size of the smallest part of a known secret that is hidden, in bytes.
const gramSize = 8

// Patch replaces bytes of a chunk.
type Patch struct {
	Chunk  int // number of the chunk, as Mask counts them
	Offset int // in the chunk, in bytes
	Data   []byte
}

// Terminal makes a Terminal. r must not be nil.
func (r *Redactor) Terminal() *Terminal {
	return &Terminal{redactor: r, values: map[string]string{}, grams: map[string]bool{}}
}

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
	for _, m := range t.redactor.Find(text) {
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

// LookAt is Look for the chunks of an output; the last call has none.
func (t *Terminal) LookAt(chunk []byte) {
	t.run(chunk, func(s *stream) []Patch { t.Look(string(s.text)); return nil }, func(c *clip) []Patch { t.Look(string(c.decode())); return nil })
}

// Mask returns the patches for a chunk and those before it, as far as they are certain. The last
// call, without a chunk, returns the rest. A patch may be returned twice.
func (t *Terminal) Mask(chunk []byte) []Patch {
	return t.run(chunk, t.mask, t.maskClip)
}

// run collects chunks and has them searched, and what is copied. Chunks are numbered from 0; a nil
// one ends the stream, and begins another.
func (t *Terminal) run(chunk []byte, search func(*stream) []Patch, searchCopied func(*clip) []Patch) (patches []Patch) {
	s := &t.stream
	if chunk != nil {
		s.add(chunk)
	}
	for _, c := range s.copied.take(chunk == nil) {
		patches = append(patches, searchCopied(&c)...)
	}
	if chunk != nil && len(s.text) < window {
		return patches
	}
	patches = append(patches, search(s)...)
	if chunk == nil {
		t.stream = stream{}
	} else {
		s.drop(len(s.text) - keep)
	}
	return patches
}

func (t *Terminal) mask(s *stream) (patches []Patch) {
	text := string(s.text)
	for _, m := range t.redactor.Find(text) {
		patches = s.hide(patches, m.Start, m.End)
	}
	if len(t.grams) == 0 {
		return patches
	}
	glued, at := s.glue()
	for i := 0; i+gramSize <= len(glued); i++ {
		if t.grams[string(glued[i:i+gramSize])] {
			for _, k := range at[i : i+gramSize] {
				patches = s.hide(patches, k, k+1)
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
				c := []byte{0} // a terminal takes no notice of it
				if k < stars {
					c[0] = '*'
				}
				patches = append(patches, Patch{Chunk: int(s.from[i+k].chunk), Offset: int(s.from[i+k].offset), Data: c})
			}
		}
		i += n
	}
	return patches
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
