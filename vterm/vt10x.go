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
	term vt10x.Terminal
	out  []byte // what the next flush writes
}

// A vt10x background is the cell's flags (width, protected), vtEmpty, and the cluster's number.
const (
	vtEmpty    = 1 << 3
	vtCluster  = 4 // bits to shift the number by
	maxVTIndex = 1<<20 - 1
)

// vtFiller stands in the second half of a wide character, so that vt10x's String reads well.
const vtFiller = '\u200b'

func newVT10x(cols, rows int) *vt10xStore {
	return &vt10xStore{term: vt10x.New(vt10x.WithSize(cols, rows))}
}

func (s *vt10xStore) resize(cols, rows int) { s.term.Resize(cols, rows) }

func (s *vt10xStore) scrollUp(n int) {
	s.out = append(s.out, "\x1b["...)
	s.out = strconv.AppendInt(s.out, int64(n), 10)
	s.out = append(s.out, 'S')
}

func (s *vt10xStore) setCursor(x, y int, visible bool) {
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

// write puts a row into vt10x: runs of cells of one colour, and the empty rest at once.
func (s *vt10xStore) write(y int, cells []cell) {
	s.moveTo(0, y)
	fg, bg := uint32(1<<24), uint32(1<<24)
	for x := 0; x < len(cells); {
		c := cells[x]
		if f, b := vtColors(c); f != fg || b != bg {
			fg, bg = f, b
			s.colors(fg, bg)
		}
		if n := sameCells(cells[x:]); c.ch == 0 && n > 4 {
			s.eraseCells(n)
			if x += n; x < len(cells) {
				s.moveTo(x, y)
			}
			continue
		}
		s.out = utf8.AppendRune(s.out, vtRune(c))
		x++
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

func (s *vt10xStore) colors(fg, bg uint32) {
	s.out = append(s.out, "\x1b[38;2"...)
	s.rgb(fg)
	s.out = append(s.out, ";48;2"...)
	s.rgb(bg)
	s.out = append(s.out, 'm')
}

func (s *vt10xStore) rgb(c uint32) {
	for shift := 16; shift >= 0; shift -= 8 {
		s.out = append(s.out, ';')
		s.out = strconv.AppendUint(s.out, uint64(c>>shift&0xFF), 10)
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
