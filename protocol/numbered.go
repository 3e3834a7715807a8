package protocol

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Numbered is a frame of the raw log, see session.Frame.
type Numbered struct {
	Number  int64
	Outputs int64         // frames of output up to and with this one
	At      time.Duration // since the start of the session, to the microsecond
	Kind    NumberedKind
	Data    []byte // as Kind says
}

// NumberedKind says what a Numbered holds.
type NumberedKind byte

// The kinds.
const (
	NumberedOutput NumberedKind = 'o' // output
	NumberedResize NumberedKind = 'r' // the window's size: see Size
	NumberedMark   NumberedKind = 'm' // the label of a marker, see session.FrameMark
	NumberedExit   NumberedKind = 'x' // the command's end: see Status
	NumberedLost   NumberedKind = 'l' // the frames from Number up to End cannot be had
	NumberedNext   NumberedKind = 'n' // the first one: the next frame has this Number; behind a Snapshot, with the Outputs before it
)

// numberedSize is the length of a Numbered's payload before its data.
const numberedSize = 25

// AppendNumbered appends n as a frame on the wire to buf.
func AppendNumbered(buf []byte, n Numbered) []byte {
	buf = append(buf, byte(TypeNumbered))
	buf = binary.BigEndian.AppendUint32(buf, uint32(numberedSize+len(n.Data)))
	buf = binary.BigEndian.AppendUint64(buf, uint64(n.Number))
	buf = binary.BigEndian.AppendUint64(buf, uint64(n.Outputs))
	buf = binary.BigEndian.AppendUint64(buf, uint64(n.At.Microseconds()))
	buf = append(buf, byte(n.Kind))
	return append(buf, n.Data...)
}

// Numbered returns what a TypeNumbered frame holds. The data shares the payload's memory.
func (f Frame) Numbered() (Numbered, error) {
	p := f.Payload
	if len(p) < numberedSize {
		return Numbered{}, fmt.Errorf("%w: a numbered frame of %d bytes", ErrBadFrame, len(p))
	}
	n := Numbered{
		Number: int64(binary.BigEndian.Uint64(p)), Outputs: int64(binary.BigEndian.Uint64(p[8:])),
		At: time.Duration(binary.BigEndian.Uint64(p[16:])) * time.Microsecond, Kind: NumberedKind(p[24]), Data: p[numberedSize:],
	}
	need := map[NumberedKind]int{NumberedResize: 4, NumberedExit: 4, NumberedLost: 8}[n.Kind]
	if len(n.Data) < need {
		return n, fmt.Errorf("%w: %d bytes of a numbered frame of kind %q", ErrBadFrame, len(n.Data), n.Kind)
	}
	return n, nil
}

// NumberedSize returns the data of a NumberedResize.
func NumberedSize(cols, rows int) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, uint16(cols)), uint16(rows))
}

// Size returns the size in a NumberedResize, in cells.
func (n Numbered) Size() (cols, rows int) {
	return int(binary.BigEndian.Uint16(n.Data)), int(binary.BigEndian.Uint16(n.Data[2:]))
}

// NumberedStatus returns the data of a NumberedExit.
func NumberedStatus(status int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(status)) }

// Status returns the exit status in a NumberedExit.
func (n Numbered) Status() int { return int(int32(binary.BigEndian.Uint32(n.Data))) }

// NumberedEnd returns the data of a NumberedLost.
func NumberedEnd(to int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(to)) }

// End returns the number of the first frame behind a NumberedLost.
func (n Numbered) End() int64 { return int64(binary.BigEndian.Uint64(n.Data)) }

// MarkRequest asks for a marker that takes numbers, see session.FrameMark. Only viewers in
// ModeFrames may; those that run inside the session may not.
type MarkRequest struct {
	ID    uint32         `json:"id"`
	Event string         `json:"event"`
	Data  map[string]any `json:"data,omitempty"`
}
