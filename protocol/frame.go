package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrTooLong says that a frame's payload is longer than MaxPayload. Nothing sensible can follow it.
var ErrTooLong = errors.New("the frame is too long")

// headerSize is the length of a frame before its payload, in bytes.
const headerSize = 5

// Frame is one frame as it is on the wire.
type Frame struct {
	Type    Type
	Payload []byte
}

// Append appends the frame's bytes to buf. The payload is not longer than MaxPayload.
func Append(buf []byte, f Frame) []byte {
	buf = append(buf, byte(f.Type))
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(f.Payload)))
	return append(buf, f.Payload...)
}

// Write writes a frame with one call of w.Write.
func Write(w io.Writer, f Frame) error {
	if len(f.Payload) > MaxPayload {
		return ErrTooLong
	}
	_, err := w.Write(Append(make([]byte, 0, headerSize+len(f.Payload)), f))
	return err
}

// Reader reads frames. It never holds more memory than what has arrived and one read ahead.
type Reader struct {
	r       io.Reader
	header  [headerSize]byte
	payload []byte
}

// NewReader reads frames from r, which should be buffered.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// growth is by how much a payload's memory grows ahead of what arrived, in bytes: a length alone
// costs nobody a megabyte.
const growth = 64 << 10

// Next reads a frame. Its payload is valid until the next call. At the end between two frames the
// error is io.EOF, in the midst of one io.ErrUnexpectedEOF, and ErrTooLong where a length is over
// the bound.
func (r *Reader) Next() (Frame, error) {
	if _, err := io.ReadFull(r.r, r.header[:]); err != nil {
		return Frame{}, err
	}
	n := binary.BigEndian.Uint32(r.header[1:])
	if n > MaxPayload {
		return Frame{}, fmt.Errorf("%w: %d bytes", ErrTooLong, n)
	}
	r.payload = r.payload[:0]
	for left := int(n); left > 0; {
		have, step := len(r.payload), min(left, growth)
		if cap(r.payload) < have+step {
			r.payload = append(make([]byte, 0, min(int(n), 2*have+step)), r.payload...)
		}
		r.payload = r.payload[:have+step]
		if _, err := io.ReadFull(r.r, r.payload[have:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return Frame{}, err
		}
		left -= step
	}
	return Frame{Type: Type(r.header[0]), Payload: r.payload}, nil
}
