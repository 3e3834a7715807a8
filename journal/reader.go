package journal

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/ptyrec/ptyrec/session"
)

// searchLimit bounds the search for intact frames in a damaged file, in bytes to checksum: in a
// hostile file each byte could begin a frame of maxData.
const searchLimit = 256 << 20

// Reader reads the events of one file of a journal. The file may be written at the same time. A
// Reader must not be used concurrently.
type Reader struct {
	// Session is read from the header; nil if that is damaged.
	Session *session.Session

	buf    window
	seed   uint32 // where checksums start, see seedOf
	last   Event  // later events are not earlier than this one
	next   int64  // number of the event that should come next
	offset int64  // output bytes before it
	skip   int    // bytes of buf that are consumed
	work   int64  // bytes checksummed by searches so far
	torn   int64
}

// NewReader returns a Reader for a file of session id. The error wraps session.ErrNewer if a newer
// version wrote the file. A damaged header is not an error.
func NewReader(f io.Reader, id string) (*Reader, error) {
	r := newReader(f, id)
	var line []byte
	var err error
	for n := 4 << 10; ; n *= 2 { // most headers are short
		line, err = r.buf.peek(min(n, maxHeader))
		if err != nil || n >= maxHeader || bytes.IndexByte(line, '\n') >= 0 {
			break
		}
	}
	if len(line) == 0 || err != nil && !errors.Is(err, io.EOF) {
		return r, ignoreEOF(err)
	}
	end := bytes.IndexByte(line, '\n') + 1
	if end == 0 {
		return r, nil
	}
	h, s, err := decodeHeader(id, line[:end])
	if errors.Is(err, session.ErrNewer) {
		return nil, err
	}
	if err == nil {
		r.Session, r.next, r.offset, r.skip = s, h.Event, h.Byte, end
		r.last.Number, r.last.Offset = h.Event-1, h.Byte
	}
	return r, nil
}

func newReader(f io.Reader, id string) *Reader {
	return &Reader{buf: window{in: f}, seed: seedOf(id)}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Next returns the next intact event; a gap in the numbers means that events are missing. It
// returns io.EOF at the end. The caller owns the event's data.
func (r *Reader) Next() (Event, error) {
	for r.torn = 0; ; r.torn++ {
		r.buf.skip(r.skip)
		r.skip = 1
		head, err := r.buf.peek(headSize)
		if len(head) < headSize {
			r.skip = 0
			r.torn += int64(len(head))
			return Event{}, noNil(err)
		}
		e, size, ok := decodeHead(head)
		if !ok || e.Number <= r.last.Number && r.next > 0 || e.Offset < r.last.Offset || e.At < r.last.At {
			continue
		}
		frame, err := r.buf.peek(headSize + size)
		if len(frame) < headSize+size {
			if errors.Is(err, io.EOF) {
				continue
			}
			return Event{}, noNil(err)
		}
		if r.torn > 0 {
			if r.work += int64(size); r.work > searchLimit {
				return Event{}, io.EOF
			}
		}
		if !decodeData(&e, r.seed, frame) {
			continue
		}
		r.skip = headSize + size
		r.last, r.next, r.offset = e, e.Number+1, e.Offset+e.Printed()
		return e, nil
	}
}

func noNil(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

// End returns the number of the event that would come next, and the output bytes before it.
func (r *Reader) End() (number, offset int64) { return r.next, r.offset }

// Torn returns the number of bytes after the last intact frame, once Next has returned io.EOF.
func (r *Reader) Torn() int64 { return r.torn }

// Tail describes the end of a file.
type Tail struct {
	Number int64 // of the event that would come next
	Offset int64 // output bytes before it
	Last   Event // without its data; zero if the file has no events
	Ended  bool  // Last is the command's exit
	Size   int64 // bytes of the file
}

// tailStep is how many bytes ReadTail reads at a time if frames are large.
const tailStep = 4 << 10

// ReadTail finds the end of a file of session id without reading the data: it trusts the heads of
// the frames and stops at the first invalid one.
func ReadTail(f *os.File, id string) (Tail, error) {
	info, err := f.Stat()
	if err != nil {
		return Tail{}, err
	}
	t := Tail{Size: info.Size()}
	r, err := NewReader(io.NewSectionReader(f, 0, t.Size), id)
	if err != nil {
		return t, err
	}
	t.Number, t.Offset = r.next, r.offset
	var buf [tailStep]byte
	for pos := int64(r.skip); pos+headSize <= t.Size; {
		n, err := f.ReadAt(buf[:min(tailStep, t.Size-pos)], pos)
		if n < headSize {
			return t, ignoreEOF(err)
		}
		at := 0
		for at+headSize <= n {
			e, size, ok := decodeHead(buf[at:])
			if !ok || e.Number < t.Number || pos+int64(at+headSize+size) > t.Size {
				return t, nil
			}
			end := at + headSize + size
			if e.Kind == session.Exit && end > n && at > 0 {
				break // the rest is read with the next step
			}
			t.Number, t.Offset, t.Last = e.Number+1, e.Offset+printed(e.Kind, size), e
			t.Ended = e.Kind == session.Exit && end <= n && decodeData(&t.Last, r.seed, buf[at:end])
			if at = end; at > n {
				break
			}
		}
		pos += int64(at)
	}
	return t, nil
}
