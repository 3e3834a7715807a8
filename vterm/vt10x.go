package vterm

import (
	"strconv"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// vt10xStore stores the screen in a vt10x terminal, through its public API and only with sequences
// that it executes correctly: CUP, CUF, CR, LF, SGR with colours, text, ECH, DECSTBM, SU, SD and
// DECTCEM. vt10x knows neither wide characters nor most styles, and allocates memory for every byte
// that it reads. A cell is therefore encoded as a rune, with the style's number as the foreground
// and, rarely, something in the background:
//
//   - an unwritten cell is a space; a written space is U+00A0, or if there are many, a space with
//     vtOther
//   - the second half of a wide character is U+200B, and makes the cell before it a wide one
//   - the background has the flags of cells that these rules do not encode, and clusters' numbers
type vt10xStore struct {
	term       vt10x.Terminal
	out        []byte // bytes of the next flush
	cols, rows int
	x, y       int    // cursor after out; x is cols after the last column
	hidden     bool   // whether the cursor is hidden
	fg, bg     uint32 // current colours
}

// Bits of a vt10x background: width flags and protection of the cell, vtOther, and the number of a
// cluster.
const (
	vtWidths    = (cellWide | cellTail) >> 24
	vtProtected = cellProtected >> 24
	vtOther     = 1 << 3 // a written space that was erased, or a character U+00A0
	vtCluster   = 4      // shift of the number
)

const (
	vtSpace = '\u00a0' // a written space
	vtTail  = '\u200b' // the second half of a wide character
)

// resize creates a new terminal, because resizing loses tab stops in vt10x.
func (s *vt10xStore) resize(cols, rows int) {
	*s = vt10xStore{term: vt10x.New(vt10x.WithSize(cols, rows)), out: s.out[:0], cols: cols, rows: rows}
}

func (s *vt10xStore) shift(top, bottom, n int) {
	s.colors(0, 0)
	part := top > 0 || bottom < s.rows-1
	if part {
		s.csi('r', top+1, bottom+1)
		s.x, s.y = 0, 0
	}
	if n > 0 {
		s.csi('S', n)
	} else {
		s.csi('T', -n)
	}
	if part {
		s.csi('r')
	}
}

func (s *vt10xStore) setCursor(x, y int, visible bool) {
	s.moveTo(x, y)
	if s.hidden != visible {
		return
	}
	s.hidden = !visible
	if visible {
		s.out = append(s.out, "\x1b[?25h"...)
	} else {
		s.out = append(s.out, "\x1b[?25l"...)
	}
}

// csi writes a control sequence.
func (s *vt10xStore) csi(final byte, params ...int) {
	s.out = append(s.out, '\x1b', '[')
	for i, p := range params {
		if i > 0 {
			s.out = append(s.out, ';')
		}
		s.out = strconv.AppendInt(s.out, int64(p), 10)
	}
	s.out = append(s.out, final)
}

// moveTo moves the cursor in as few bytes as possible: vt10x takes at least as long for a byte of a
// sequence as for a character.
func (s *vt10xStore) moveTo(x, y int) {
	switch down := y - s.y; {
	case down < 0 || down > 3:
		s.csi('H', y+1, x+1)
	case down > 0 || x < s.x || s.x == s.cols:
		if s.x > 0 {
			s.out = append(s.out, '\r')
		}
		for range down {
			s.out = append(s.out, '\n')
		}
		if x > 0 {
			s.csi('C', x)
		}
	case x > s.x:
		s.csi('C', x-s.x)
	}
	s.x, s.y = x, y
}

func (s *vt10xStore) flush() {
	if len(s.out) > 0 {
		_, _ = s.term.Write(s.out) // never fails with complete UTF-8 sequences
		s.out = s.out[:0]
	}
}

// Minimum numbers of blanks and spaces for which erasing is cheaper than printing, within a stretch
// and at its end.
const (
	minErase, minEraseEnd   = 14, 7
	minSpaces, minSpacesEnd = 30, 20
)

// write writes a stretch of a row.
func (s *vt10xStore) write(x, y int, cells []cell) {
	s.moveTo(x, y)
	for i := 0; i < len(cells); {
		if c := cells[i]; c.ch > ' ' && c.ch < 0x7F && c.attr == s.fg && s.bg == 0 { // the most common case
			s.out = append(s.out, byte(c.ch))
			s.x++
			i++
			continue
		}
		r, fg, bg := vtGlyph(cells, i)
		if n := erasable(cells[i:]); n > 0 {
			if r == vtSpace {
				bg |= vtOther
			}
			s.colors(fg, bg)
			s.csi('X', n)
			if i += n; i < len(cells) {
				s.moveTo(x+i, y)
			}
			continue
		}
		s.colors(fg, bg)
		s.out = utf8.AppendRune(s.out, r)
		s.x++
		i++
	}
}

// erasable returns the number of cells at the start that are cheaper to erase than to print.
func erasable(cells []cell) int {
	c := cells[0]
	if c.ch != 0 && c.ch != ' ' || c.attr&^styleMask != 0 {
		return 0
	}
	n := 1
	for n < len(cells) && cells[n] == c {
		n++
	}
	within, end := minErase, minEraseEnd
	if c.ch == ' ' {
		within, end = minSpaces, minSpacesEnd
	}
	if n >= within || n >= end && n == len(cells) {
		return n
	}
	return 0
}

// vtGlyph returns cell i as vt10x stores it.
func vtGlyph(cells []cell, i int) (r rune, fg, bg uint32) {
	c := cells[i]
	fg, bg = c.attr&styleMask, c.attr>>24
	switch {
	case c.ch == 0 && i > 0 && isPair(cells[i-1:]):
		return vtTail, fg, bg &^ vtWidths
	case c.ch == 0:
		return ' ', fg, bg
	case isPair(cells[i:]):
		bg &^= vtWidths
	}
	switch {
	case c.ch == ' ':
		return vtSpace, fg, bg
	case c.ch == vtSpace:
		return vtSpace, fg, bg | vtOther
	case c.ch&chCluster != 0:
		return utf8.RuneError, fg, bg | c.ch&^chCluster<<vtCluster
	}
	return rune(c.ch), fg, bg
}

// isPair reports whether cells start with both halves of a wide character.
func isPair(cells []cell) bool {
	return len(cells) > 1 && cells[0].attr&cellWide != 0 && cells[1].ch == 0 && cells[1].attr&cellTail != 0
}

// colors sets the colours that differ from the current ones.
func (s *vt10xStore) colors(fg, bg uint32) {
	if fg == s.fg && bg == s.bg {
		return
	}
	s.out = append(s.out, "\x1b["...)
	if fg|bg != 0 { // vt10x's default colours are both 0
		if fg != s.fg {
			s.color(fg, 30)
		}
		if bg != s.bg {
			if fg != s.fg {
				s.out = append(s.out, ';')
			}
			s.color(bg, 40)
		}
	}
	s.out = append(s.out, 'm')
	s.fg, s.bg = fg, bg
}

// color appends the shortest SGR parameters for a colour, with base 30 for the foreground and 40
// for the background. vt10x stores #00bbcc and palette entries as the same numbers.
func (s *vt10xStore) color(c, base uint32) {
	put := func(vs ...uint32) {
		for i, v := range vs {
			if i > 0 {
				s.out = append(s.out, ';')
			}
			s.out = strconv.AppendUint(s.out, uint64(v), 10)
		}
	}
	switch {
	case c < 8:
		put(base + c)
	case c < 16:
		put(base + 60 + c - 8)
	case c < 256:
		put(base+8, 5, c)
	default:
		put(base+8, 2, c>>16, c>>8&0xFF, c&0xFF)
	}
}

// read reads the cells of a part of a row.
func (s *vt10xStore) read(x, y int, cells []cell) {
	for i := range cells {
		g := s.term.Cell(x+i, y)
		fg, bg := vtColor(g.FG), vtColor(g.BG)
		c := cell{ch: uint32(g.Char), attr: fg | bg&(vtWidths|vtProtected)<<24}
		switch {
		case bg>>vtCluster != 0:
			c.ch = chCluster | bg>>vtCluster
		case g.Char == ' ' && bg&vtOther == 0:
			c.ch = 0
		case g.Char == vtSpace && bg&vtOther == 0:
			c.ch = ' '
		case g.Char == vtTail && bg&vtWidths == 0:
			c.ch, c.attr = 0, c.attr|cellTail
			if i > 0 {
				cells[i-1].attr |= cellWide
			}
		}
		cells[i] = c
	}
}

// vtColor returns a colour of vt10x as a number; 0 is the default.
func vtColor(c vt10x.Color) uint32 {
	if c > styleMask {
		return 0
	}
	return uint32(c)
}
