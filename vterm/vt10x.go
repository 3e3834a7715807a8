package vterm

import (
	"strconv"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// vt10xStore keeps the screen in a vt10x terminal, through its public API and with nothing but
// the sequences that it gets right: CUP, SGR 38;2 and 48;2, text, ECH, SU and DECTCEM. It knows
// neither wide characters nor most styles, so a cell is told by its rune and two 24-bit colours:
// the style's number as the foreground; width, flags and the cluster's number as the background.
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

// A vt10x background is the cell's flags (width, protected), vtEmpty, and the cluster's number.
const (
	vtEmpty   = 1 << 3
	vtCluster = 4       // bits to shift the number by
	vtUnset   = 1 << 24 // no colour that a cell has
)

// vtFiller stands in the second half of a wide character, so that vt10x's String reads well.
const vtFiller = '\u200b'

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
		if f, b := vtColors(c); f != fg || b != bg {
			s.colors(f, b, fg, bg)
			fg, bg = f, b
		}
		if n := sameCells(cells[i:]); (c.ch == 0 || c.ch == ' ') && n > 8 {
			s.eraseCells(n)
			if i += n; i < len(cells) {
				s.moveTo(x+i, y)
			}
			continue
		}
		s.out = utf8.AppendRune(s.out, vtRune(c))
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

// vtColors is how a cell is told apart by its colours.
func vtColors(c cell) (fg, bg uint32) {
	bg = c.attr >> 24
	switch {
	case c.ch == 0:
		bg |= vtEmpty
	case c.ch&chCluster != 0:
		bg |= (c.ch &^ chCluster) << vtCluster
	}
	return c.attr & styleMask, bg
}

// vtRune is the rune that stands for a cell: of a cluster, any will do, as the number tells it.
func vtRune(c cell) rune {
	switch {
	case c.ch == 0 && c.attr&cellTail != 0:
		return vtFiller
	case c.ch == 0:
		return ' '
	case c.ch&chCluster != 0:
		return utf8.RuneError
	}
	return rune(c.ch)
}

// colors sets what of the colours is another one than before.
func (s *vt10xStore) colors(fg, bg, oldFg, oldBg uint32) {
	s.out = append(s.out, "\x1b["...)
	if fg != oldFg {
		s.color(fg, 30)
	}
	if bg != oldBg {
		if fg != oldFg {
			s.out = append(s.out, ';')
		}
		s.color(bg, 40)
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
		fg, bg := uint32(g.FG), uint32(g.BG)
		if fg > styleMask { // not written since it came in
			cells[x] = cell{}
			continue
		}
		c := cell{ch: uint32(g.Char), attr: fg | bg&7<<24}
		if bg&vtEmpty != 0 {
			c.ch = 0
		} else if n := bg >> vtCluster; n > 0 {
			c.ch = chCluster | n
		}
		cells[x] = c
	}
}
