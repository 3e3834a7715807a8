package vterm

import (
	"strconv"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// vt10xStore keeps the screen in a vt10x terminal, through its public API and with nothing but
// the sequences that it gets right: CUP, SGR with colours, text, ECH, SU and DECTCEM. vt10x knows
// neither wide characters nor most styles, and allocates for every byte that it reads. So a cell is
// told by a rune, the style's number as the foreground, and, seldom, something in the background:
//
//   - what nobody wrote is a space, a written space is U+00A0
//   - the second half of a wide character is U+200B, and makes the cell before it a wide one
//   - the background has the flags of cells that these rules cannot tell, and clusters' numbers
type vt10xStore struct {
	term   vt10x.Terminal
	out    []byte // what the next flush writes
	cursor vtCursor
}

// vtCursor is where setCursor left the cursor.
type vtCursor struct {
	set     bool
	x, y    int
	visible bool
}

// A vt10x background is a cell's width flags and protection, vtNBSP, and the cluster's number.
const (
	vtWidths    = (cellWide | cellTail) >> 24
	vtProtected = cellProtected >> 24
	vtNBSP      = 1 << 3  // a no-break space that was written
	vtCluster   = 4       // bits to shift the number by
	vtUnset     = 1 << 24 // no colour that a cell has
)

const (
	vtSpace = '\u00a0' // a written space
	vtTail  = '\u200b' // the second half of a wide character
)

func newVT10x(cols, rows int) *vt10xStore {
	return &vt10xStore{term: vt10x.New(vt10x.WithSize(cols, rows))}
}

func (s *vt10xStore) resize(cols, rows int) {
	s.term.Resize(cols, rows)
	s.cursor.set = false
}

func (s *vt10xStore) scrollUp(n int) {
	s.out = append(s.out, "\x1b["...)
	s.out = strconv.AppendInt(s.out, int64(n), 10)
	s.out = append(s.out, 'S')
}

func (s *vt10xStore) setCursor(x, y int, visible bool) {
	now := vtCursor{true, x, y, visible}
	if s.cursor == now && len(s.out) == 0 {
		return
	}
	s.cursor = now
	s.moveTo(x, y)
	if visible {
		s.out = append(s.out, "\x1b[?25h"...)
	} else {
		s.out = append(s.out, "\x1b[?25l"...)
	}
}

func (s *vt10xStore) moveTo(x, y int) {
	s.out = append(s.out, "\x1b["...)
	s.out = strconv.AppendInt(s.out, int64(y+1), 10)
	s.out = append(s.out, ';')
	s.out = strconv.AppendInt(s.out, int64(x+1), 10)
	s.out = append(s.out, 'H')
}

func (s *vt10xStore) flush() {
	if len(s.out) > 0 {
		_, _ = s.term.Write(s.out) // never fails for whole UTF-8 sequences
		s.out = s.out[:0]
	}
}

// write puts a stretch of a row into vt10x: runs of cells of one colour, and empty ones at once. It
// is short, because vt10x allocates for every byte that it reads.
func (s *vt10xStore) write(x, y int, cells []cell) {
	s.moveTo(x, y)
	fg, bg := uint32(vtUnset), uint32(vtUnset)
	for i := 0; i < len(cells); {
		c := cells[i]
		r, f, b := vtGlyph(cells, i)
		if f != fg || b != bg {
			s.colors(f, b, fg, bg)
			fg, bg = f, b
		}
		if n := sameCells(cells[i:]); c == (cell{attr: c.attr & styleMask}) && n > 8 {
			s.eraseCells(n)
			if i += n; i < len(cells) {
				s.moveTo(x+i, y)
			}
			continue
		}
		s.out = utf8.AppendRune(s.out, r)
		i++
	}
}

// sameCells counts the cells at the start that are equal.
func sameCells(cells []cell) int {
	n := 1
	for n < len(cells) && cells[n] == cells[0] {
		n++
	}
	return n
}

func (s *vt10xStore) eraseCells(n int) {
	s.out = append(s.out, "\x1b["...)
	s.out = strconv.AppendInt(s.out, int64(n), 10)
	s.out = append(s.out, 'X')
}

// vtGlyph is cell i as vt10x keeps it.
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
		return vtSpace, fg, bg | vtNBSP
	case c.ch&chCluster != 0:
		return utf8.RuneError, fg, bg | c.ch&^chCluster<<vtCluster
	}
	return rune(c.ch), fg, bg
}

// isPair says that cells start with the two halves of a wide character.
func isPair(cells []cell) bool {
	return len(cells) > 1 && cells[0].attr&cellWide != 0 && cells[1].ch == 0 && cells[1].attr&cellTail != 0
}

// colors sets what of the colours is another one than before.
func (s *vt10xStore) colors(fg, bg, oldFg, oldBg uint32) {
	s.out = append(s.out, "\x1b["...)
	if fg|bg != 0 { // vt10x's default colours stand for both being 0
		if fg != oldFg {
			s.color(fg, 30)
		}
		if bg != oldBg {
			if fg != oldFg {
				s.out = append(s.out, ';')
			}
			s.color(bg, 40)
		}
	}
	s.out = append(s.out, 'm')
}

// color appends the shortest SGR parameters for colour c of vt10x, with base 30 for the
// foreground, 40 for the background. vt10x keeps #00bbcc and palette entries as the same numbers.
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

// read gives the cells of a row back.
func (s *vt10xStore) read(y int, cells []cell) {
	for x := range cells {
		g := s.term.Cell(x, y)
		fg, bg := vtColor(g.FG), vtColor(g.BG)
		c := cell{ch: uint32(g.Char), attr: fg | bg&(vtWidths|vtProtected)<<24}
		switch {
		case bg>>vtCluster != 0:
			c.ch = chCluster | bg>>vtCluster
		case g.Char == ' ':
			c.ch = 0
		case g.Char == vtSpace && bg&vtNBSP == 0:
			c.ch = ' '
		case g.Char == vtTail && bg&vtWidths == 0:
			c.ch, c.attr = 0, c.attr|cellTail
			if x > 0 {
				cells[x-1].attr |= cellWide
			}
		}
		cells[x] = c
	}
}

// vtColor is a colour of vt10x as a number; the defaults are 0.
func vtColor(c vt10x.Color) uint32 {
	if c > styleMask {
		return 0
	}
	return uint32(c)
}
