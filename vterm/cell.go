package vterm

// cell is the content and style of one cell. It has 8 bytes, so that a row of 120 columns takes
// 960. The zero cell was never written: a blank, one column wide, in the default style.
type cell struct {
	ch   uint32 // code point, or chCluster and a number in Term.clusters; 0 if nothing was written
	attr uint32 // style number, and the flags below
}

const (
	chCluster = 1 << 31

	styleMask     = 1<<24 - 1
	cellWide      = 1 << 24 // first half of a wide character
	cellTail      = 1 << 25 // takes no column: second half of a wide character, or a lone zero-width character
	cellProtected = 1 << 26 // protected from DECSED and DECSEL (DECSCA)
)

// width returns the number of columns that the cell's character takes: 0, 1 or 2.
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

// trimmed returns the number of columns up to the end of the last character. Written spaces count
// as characters, cells that were only erased do not, even if styled.
func trimmed(cells []cell) int {
	for x := len(cells) - 1; x >= 0; x-- {
		if c := cells[x]; c.ch != 0 {
			return x + c.width()
		}
	}
	return 0
}
