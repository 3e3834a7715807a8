package vterm

// A cell is 8 bytes so that a row of 120 columns is 960: what is in it, and how it is drawn.
// The zero cell is one that was never written: a blank, one column wide, in the default style.
type cell struct {
	ch   uint32 // code point, or chCluster and a number in Term.clusters; 0: nothing written
	attr uint32 // style number, and the flags below
}

const (
	chCluster = 1 << 31

	styleMask     = 1<<24 - 1
	cellWide      = 1 << 24 // the first half of a wide character
	cellTail      = 1 << 25 // no column of its own: the second half, or a lone zero-width character
	cellProtected = 1 << 26 // DECSCA: DECSED and DECSEL leave it alone
)

// width is the number of columns the cell's character takes: 0, 1 or 2.
func (c cell) width() int {
	switch {
	case c.attr&cellWide != 0:
		return 2
	case c.attr&cellTail != 0:
		return 0
	}
	return 1
}

// widthFlags is the inverse of cell.width.
func widthFlags(w int) uint32 {
	switch w {
	case 0:
		return cellTail
	case 2:
		return cellWide
	}
	return 0
}

// trimmed is the number of columns up to the end of the last character. Styled blanks that
// nobody wrote do not count, written spaces do.
func trimmed(cells []cell) int {
	for x := len(cells) - 1; x >= 0; x-- {
		if c := cells[x]; c.ch != 0 {
			return x + c.width()
		}
	}
	return 0
}
