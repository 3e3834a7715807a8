package protocol

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Numbered is a frame of the raw log; see session.Frame.
type Numbered struct {
	Number  int64
	Outputs int64         // frames of output up to and including this one
	At      time.Duration // time since the start of the session, in whole microseconds
	Kind    NumberedKind
	Data    []byte // depends on Kind
}

// NumberedKind is the kind of a Numbered.
type NumberedKind byte

// Kinds of numbered frames.
const (
	NumberedOutput NumberedKind = 'o' // output
	NumberedResize NumberedKind = 'r' // size of the window; see Size
	NumberedMark   NumberedKind = 'm' // label of a marker; see session.FrameMark
	NumberedExit   NumberedKind = 'x' // end of the command; see Status
	NumberedLost   NumberedKind = 'l' // frames from Number up to End are not available
	NumberedNext   NumberedKind = 'n' // first frame: number of the next one; after a Snapshot, also its Outputs
)

// numberedSize is the length of the payload before its data, in bytes.
const numberedSize = 25

// AppendNumbered appends n to buf as an encoded frame.
func AppendNumbered(buf []byte, n Numbered) []byte {
	buf = append(buf, byte(TypeNumbered))
	buf = binary.BigEndian.AppendUint32(buf, uint32(numberedSize+len(n.Data)))
	buf = binary.BigEndian.AppendUint64(buf, uint64(n.Number))
	buf = binary.BigEndian.AppendUint64(buf, uint64(n.Outputs))
	buf = binary.BigEndian.AppendUint64(buf, uint64(n.At.Microseconds()))
	buf = append(buf, byte(n.Kind))
	return append(buf, n.Data...)
}

// Numbered decodes a TypeNumbered frame. Its data shares the payload's memory.
func (f Frame) Numbered() (Numbered, error) {
	p := f.Payload
	if len(p) < numberedSize {
		return Numbered{}, fmt.Errorf("%w: a numbered frame of %d bytes", ErrBadFrame, len(p))
	}
	n := Numbered{
		Number: int64(binary.BigEndian.Uint64(p)), Outputs: int64(binary.BigEndian.Uint64(p[8:])),
		At: time.Duration(binary.BigEndian.Uint64(p[16:])) * time.Microsecond, Kind: NumberedKind(p[24]),
		Data: p[numberedSize:],
	}
	need := map[NumberedKind]int{NumberedResize: 4, NumberedExit: 4, NumberedLost: 8}[n.Kind]
	if len(n.Data) < need {
		return n, fmt.Errorf("%w: %d bytes of a numbered frame of kind %q", ErrBadFrame, len(n.Data), n.Kind)
	}
	return n, nil
}

// NumberedSize encodes the data of a NumberedResize.
func NumberedSize(cols, rows int) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, uint16(cols)), uint16(rows))
}

// Size decodes the data of a NumberedResize, in cells.
func (n Numbered) Size() (cols, rows int) {
	return int(binary.BigEndian.Uint16(n.Data)), int(binary.BigEndian.Uint16(n.Data[2:]))
}

// NumberedStatus encodes the data of a NumberedExit.
func NumberedStatus(status int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(status)) }

// Status decodes the data of a NumberedExit.
func (n Numbered) Status() int { return int(int32(binary.BigEndian.Uint32(n.Data))) }

// NumberedEnd encodes the data of a NumberedLost.
func NumberedEnd(to int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(to)) }

// End decodes the data of a NumberedLost: the number of the first frame after the gap.
func (n Numbered) End() int64 { return int64(binary.BigEndian.Uint64(n.Data)) }

// MarkRequest requests a marker with numbers; see session.FrameMark. It requires ModeFrames, and a
// viewer that does not run in the session.
type MarkRequest struct {
	ID    uint32         `json:"id"`
	Event string         `json:"event"`
	Data  map[string]any `json:"data,omitempty"`
}
