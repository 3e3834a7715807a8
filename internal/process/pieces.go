package process

import (
	"iter"
	"unicode/utf8"
)

// The maximum size of a piece's text grows from firstPiece to lastPiece, in bytes.
const (
	firstPiece = 1 << 10
	lastPiece  = 64 << 10
)

// Pieces splits the chunks into pieces, the first ones small and later ones larger. So a client
// whose connection breaks after a few messages makes progress each time, and one with a stable
// connection soon receives large pieces.
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
