package journal

import "io"

// window is a view of the next bytes of a file. It takes as much memory as the largest frame.
type window struct {
	in         io.Reader
	buf        []byte
	begin, end int // of what was read and not skipped
	err        error
}

// windowSize is the size of a window at first, in bytes.
const windowSize = 32 << 10

// peek returns the next n bytes, or fewer and why. They are valid until the next call.
func (w *window) peek(n int) ([]byte, error) {
	if w.end-w.begin < n && w.begin+n > len(w.buf) {
		buf := w.buf
		if n > len(buf) {
			buf = make([]byte, max(n, windowSize, 2*len(buf)))
		}
		w.end = copy(buf, w.buf[w.begin:w.end])
		w.buf, w.begin = buf, 0
	}
	for w.end-w.begin < n && w.err == nil {
		var k int
		k, w.err = w.in.Read(w.buf[w.end:])
		w.end += k
	}
	if have := w.end - w.begin; have < n {
		err := w.err
		w.err = nil // the file may grow
		return w.buf[w.begin:w.end], err
	}
	return w.buf[w.begin : w.begin+n], nil
}

// skip drops n bytes that were peeked at.
func (w *window) skip(n int) {
	if w.begin += n; w.begin == w.end {
		w.begin, w.end = 0, 0
	}
}
