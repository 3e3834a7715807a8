package journal

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/ptyrec/ptyrec/session"
)

// searchLimit limits the search for intact frames in a damaged file, in bytes to checksum: in a
// hostile file each byte could begin a frame of maxData.
const searchLimit = 256 << 20

// Reader reads the events of one file of a journal. The file may be written at the same time. A
// Reader must not be used concurrently.
type Reader struct {
	// Session is read from the header; nil if that is damaged.
	Session *session.Session

	buf  *bufio.Reader
	seed uint32 // start value of checksums, see seedOf
	last Event  // later events must not be earlier than this one
	skip int    // bytes of buf that are consumed
	work int64  // bytes checksummed by searches so far
	torn int64
}

// NewReader returns a Reader for a file of session id. The error wraps session.ErrNewer if a newer
// version wrote the file. A damaged header is not an error.
func NewReader(f io.Reader, id string) (*Reader, error) {
	r := newReader(f, id)
	var line []byte
	var err error
	for n := 4 << 10; n <= maxHeader && err == nil && bytes.IndexByte(line, '\n') < 0; n *= 2 { // most headers are short
		line, err = r.peek(n)
	}
	end := bytes.IndexByte(line, '\n') + 1
	if end == 0 {
		return r, ignoreEOF(err)
	}
	h, s, err := decodeHeader(id, line[:end])
	if errors.Is(err, session.ErrNewer) {
		return nil, err
	}
	if err == nil {
		r.Session, r.skip = s, end
		r.last = Event{Number: h.Event - 1, Offset: h.Byte}
	}
	return r, nil
}

func newReader(f io.Reader, id string) *Reader {
	return &Reader{buf: bufio.NewReaderSize(f, 32<<10), seed: seedOf(id), last: Event{Number: -1}}
}

// peek returns the next n bytes, or fewer and why. They are valid until the next call.
func (r *Reader) peek(n int) ([]byte, error) {
	if n > r.buf.Size() {
		r.buf = bufio.NewReaderSize(r.buf, max(n, 2*r.buf.Size()))
	}
	return r.buf.Peek(n)
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
		_, _ = r.buf.Discard(r.skip) // the bytes were peeked
		r.skip = 1
		head, err := r.peek(headSize)
		if len(head) < headSize {
			r.skip = 0
			r.torn += int64(len(head))
			return Event{}, err
		}
		e, size, ok := decodeHead(head)
		if !ok || e.Number <= r.last.Number || e.Offset < r.last.Offset || e.At < r.last.At {
			continue
		}
		frame, err := r.peek(headSize + size)
		if len(frame) < headSize+size {
			if errors.Is(err, io.EOF) {
				continue
			}
			return Event{}, err
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
		r.last = e
		return e, nil
	}
}

// End returns the number of the event that would come next, and the output bytes before it.
func (r *Reader) End() (number, offset int64) {
	return r.last.Number + 1, r.last.Offset + r.last.Printed()
}

// Torn returns the number of bytes after the last intact frame, once Next has returned io.EOF.
func (r *Reader) Torn() int64 { return r.torn }
