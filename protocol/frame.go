package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrTooLong means that a frame's payload is longer than MaxPayload. The stream cannot be read
// further.
var ErrTooLong = errors.New("the frame is too long")

// headerSize is the length of a frame before its payload, in bytes.
const headerSize = 5

// Frame is a frame on the wire.
type Frame struct {
	Type    Type
	Payload []byte
}

// Append appends the encoded frame to buf. The payload must not be longer than MaxPayload.
func Append(buf []byte, f Frame) []byte {
	buf = append(buf, byte(f.Type))
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(f.Payload)))
	return append(buf, f.Payload...)
}

// Write writes f to w in a single call of w.Write.
func Write(w io.Writer, f Frame) error {
	if len(f.Payload) > MaxPayload {
		return ErrTooLong
	}
	_, err := w.Write(Append(make([]byte, 0, headerSize+len(f.Payload)), f))
	return err
}

// Reader reads frames from a stream. Its memory grows with the bytes that arrive, not with the
// length that a frame announces.
type Reader struct {
	r       io.Reader
	header  [headerSize]byte
	payload []byte
}

// NewReader reads frames from r, which should be buffered.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// growth is the number of bytes by which the buffer of a payload grows. A frame that announces a
// large payload takes no more memory than has arrived, plus growth.
const growth = 64 << 10

// Next reads a frame. Its payload is valid until the next call. The error is io.EOF if the stream
// ends after a frame, io.ErrUnexpectedEOF if it ends within one, and ErrTooLong if the payload is
// too long.
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
