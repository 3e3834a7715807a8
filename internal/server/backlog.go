package server

import "bytes"

// backlogLimit is how much output is kept for slow clients of a bridge session, in bytes. A client
// that is further behind loses some.
const backlogLimit = 16 << 20

// pieceSize is the approximate length of a piece of the backlog, in bytes.
const pieceSize = 64 << 10

// backlog is the output that has not been sent to all clients of a bridge session. Its zero value
// is empty.
type backlog struct {
	pieces [][]byte
	start  int64 // offset of the first byte that is kept
	end    int64 // offset after the last byte
}

// add adds text, and drops the oldest pieces that are not needed to keep limit bytes.
func (l *backlog) add(text []byte, limit int64) {
	if n := len(l.pieces) - 1; n >= 0 && len(l.pieces[n])+len(text) <= pieceSize {
		l.pieces[n] = append(l.pieces[n], text...)
	} else {
		l.pieces = append(l.pieces, text)
	}
	l.end += int64(len(text))
	for len(l.pieces) > 1 && l.end-l.start-int64(len(l.pieces[0])) >= limit {
		l.dropFirst()
	}
}

// dropBefore drops the pieces before an offset up to which all clients have received the output.
func (l *backlog) dropBefore(at int64) {
	for len(l.pieces) > 0 && l.start+int64(len(l.pieces[0])) <= at {
		l.dropFirst()
	}
}

func (l *backlog) dropFirst() {
	l.start += int64(len(l.pieces[0]))
	l.pieces[0] = nil
	l.pieces = l.pieces[1:]
}

// from returns the output from an offset to the end of its piece.
func (l *backlog) from(at int64) []byte {
	before := l.start
	for _, piece := range l.pieces {
		if end := before + int64(len(piece)); at >= end {
			before = end
			continue
		}
		return bytes.Clone(piece[at-before:])
	}
	return nil
}
