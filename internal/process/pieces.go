package process

import (
	"iter"
	"unicode/utf8"
)

// The longest text of a piece grows from the first to the last, in bytes.
const (
	firstPiece = 1 << 10
	lastPiece  = 64 << 10
)

// Pieces returns the chunks, at first in small pieces that become larger. A client whose connection
// breaks again and again after a few messages gets on with each of them; one that reads undisturbed
// gets large chunks soon.
func Pieces(chunks iter.Seq2[Chunk, error]) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		size := firstPiece
		for c, err := range chunks {
			for ; len(c.Text) > size; size = min(2*size, lastPiece) {
				n := size
				for !utf8.RuneStart(c.Text[n]) {
					n--
				}
				piece := c
				piece.Text = c.Text[:n]
				if !yield(piece, nil) {
					return
				}
				c.Offset, c.Text, c.Info = c.Offset+int64(n), c.Text[n:], ""
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
