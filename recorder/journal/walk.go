package journal

import (
	"io"
	"os"

	"github.com/ptyrec/ptyrec/session"
)

// Place is a position in a file, before an event.
type Place struct {
	Number int64 // of the event
	Offset int64 // its offset in the output, in bytes
	pos    int64 // bytes of the file before it
}

// walk iterates over the frames of a file. It reads their heads, and the data of small frames only.
type walk struct {
	Place // of the next frame
	file  io.ReaderAt
	size  int64  // bytes of the file
	rest  []byte // bytes read after pos
	buf   [4 << 10]byte
	err   error // why reading failed
}

// next advances to the next frame. It returns the head, the frame's size in bytes, and as much of
// the frame as was read: all of it if buf has room. It returns false at the end of the file, and at
// an invalid or incomplete frame.
func (w *walk) next() (e Event, size int, frame []byte, ok bool) {
	for again := false; ; again = true {
		if len(w.rest) >= headSize {
			e, size, ok = decodeHead(w.rest)
			size += headSize
			if !ok || e.Number < w.Number || w.pos+int64(size) > w.size {
				return e, 0, nil, false
			}
		}
		if again || ok && size <= len(w.rest) {
			break
		}
		n, err := w.file.ReadAt(w.buf[:max(0, min(int64(len(w.buf)), w.size-w.pos))], w.pos)
		w.rest, w.err = w.buf[:n], ignoreEOF(err)
	}
	if !ok {
		return e, 0, nil, false
	}
	frame = w.rest[:min(size, len(w.rest))]
	w.rest = w.rest[len(frame):]
	w.Place = Place{e.Number + 1, e.Offset + printed(e.Kind, size-headSize), w.pos + int64(size)}
	return e, size, frame, true
}

// begin returns a walk along a file of session id, and the Reader that has read its header.
func begin(f *os.File, id string) (*walk, *Reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	r, err := NewReader(io.NewSectionReader(f, 0, info.Size()), id)
	if err != nil {
		return nil, nil, err
	}
	number, offset := r.End()
	return &walk{Place: Place{number, offset, int64(r.skip)}, file: f, size: info.Size()}, r, nil
}

// Tail describes the end of a file.
type Tail struct {
	Number int64 // of the event that would come next
	Offset int64 // its offset in the output, in bytes
	Last   Event // without its data; zero if the file has no events
	Ended  bool  // Last is the command's exit
	Size   int64 // bytes of the file
}

// ReadTail finds the end of a file of session id without reading the data: it trusts the heads of
// the frames and stops at the first invalid one.
func ReadTail(f *os.File, id string) (t Tail, err error) {
	w, r, err := begin(f, id)
	if err != nil {
		return t, err
	}
	for e, size, frame, ok := w.next(); ok; e, size, frame, ok = w.next() {
		t.Last = e
		t.Ended = e.Kind == session.Exit && len(frame) == size && decodeData(&t.Last, r.seed, frame)
	}
	t.Number, t.Offset, t.Size = w.Number, w.Offset, w.size
	return t, w.err
}
