package server

import "bytes"

// backlogLimit is how much output waits for clients of a bridge session, in bytes. A client that is further behind misses some.
const backlogLimit = 16 << 20

// pieceSize is about how long a piece of a backlog is, in bytes.
const pieceSize = 64 << 10

// backlog is the output that some client of a bridge session has not been sent yet. Its zero value is empty.
type backlog struct {
	pieces [][]byte
	start  int64 // the first byte that is there
	end    int64 // the byte after the last
}

// add adds text, and drops the oldest pieces if at least limit bytes are left then.
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

// dropBefore drops the pieces before a byte, which all clients have been sent.
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

// from returns the output from a byte on that is there, up to the end of its piece.
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
