package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

const (
	formatName      = "ptyrec.journal"
	terminalVersion = 1 // for what a terminal shows
	processVersion  = 2 // adds Pipe events, and data to Exit; only for sessions with Session.Process

	headSize  = 4 + 4 + 1 + 8 + 8 + 8 // size of a frame before its data, in bytes
	maxData   = 1 << 20               // maximum size of an event, in bytes
	maxHeader = 1 << 20               // maximum size of a header line, in bytes
	maxValue  = 1 << 56               // maximum of numbers, offsets and times, so that the sum of two does not overflow
)

// Event is an event and its position in the session.
type Event struct {
	Number int64 // number of events before it
	Offset int64 // its offset in the output, in bytes
	session.Event
}

// header is the first line of a file.
type header struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Event   int64           `json:"event"` // number of the file's first event
	Byte    int64           `json:"byte"`  // output bytes before it
	Check   uint32          `json:"check"` // see sum
	Session json.RawMessage `json:"session"`
}

var (
	errNotJournal = errors.New("not a journal")
	castagnoli    = crc32.MakeTable(crc32.Castagnoli)
)

// seedOf returns the CRC that the checksums of a session's files start from, so that a frame of
// another session is not accepted.
func seedOf(id string) uint32 { return crc32.Checksum([]byte(id), castagnoli) }

// sum returns the header's checksum: the CRC-32C of the session's JSON text, then of version, event
// and byte (64 bits each, little endian). Like the checksum of a frame it starts from seed.
func (h header) sum(seed uint32) uint32 {
	var numbers []byte
	for _, n := range [...]int64{int64(h.Version), h.Event, h.Byte} {
		numbers = binary.LittleEndian.AppendUint64(numbers, uint64(n))
	}
	return crc32.Update(crc32.Update(seed, castagnoli, h.Session), castagnoli, numbers)
}

func encodeHeader(seed uint32, s session.Session, number, offset int64) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	h := header{Format: formatName, Version: terminalVersion, Event: number, Byte: offset, Session: text}
	if s.Process != "" {
		h.Version = processVersion
	}
	h.Check = h.sum(seed)
	line, err := json.Marshal(h)
	return append(line, '\n'), err
}

func decodeHeader(id string, line []byte) (h header, s *session.Session, err error) {
	if err := json.Unmarshal(line, &h); err != nil || h.Format != formatName {
		return h, nil, errors.Join(errNotJournal, err)
	}
	if h.sum(seedOf(id)) != h.Check || h.Event < 0 || h.Event > maxValue || h.Byte < 0 || h.Byte > maxValue {
		return h, nil, errNotJournal
	}
	if h.Version > processVersion {
		return h, nil, fmt.Errorf("journal format %d: %w", h.Version, session.ErrNewer)
	}
	s = &session.Session{}
	if err := json.Unmarshal(h.Session, s); err != nil || s.ID != id {
		return h, nil, errors.Join(errNotJournal, err)
	}
	return h, s, nil
}

// pipeHead is the number of bytes before the output in the data of a Pipe event's frame.
const pipeHead = 1 + 8

// printed returns how many of the size bytes of data are output of the child.
func printed(kind session.EventKind, size int) int64 {
	switch kind {
	case session.Output:
		return int64(size)
	case session.Pipe:
		return int64(size - pipeHead)
	}
	return 0
}

// appendFrame appends the event's frame to b.
func appendFrame(b []byte, seed uint32, e Event) []byte {
	begin := len(b)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, byte(e.Kind)) // checksum and length are filled in below
	for _, n := range [...]int64{e.Number, e.Offset, int64(e.At)} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	switch e.Kind {
	case session.Resize:
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Cols))
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Rows))
	case session.Exit:
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Status))
	case session.Pipe:
		b = append(b, byte(e.Stream))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Text))
	}
	if e.Kind != session.Resize {
		b = append(b, e.Data...)
	}
	binary.LittleEndian.PutUint32(b[begin+4:], uint32(len(b)-begin-headSize))
	binary.LittleEndian.PutUint32(b[begin:], crc32.Update(seed, castagnoli, b[begin+4:]))
	return b
}

// decodeHead decodes the head of a frame and returns the length of its data in bytes. It returns
// false if it is not a valid head.
func decodeHead(head []byte) (e Event, size int, ok bool) {
	length := binary.LittleEndian.Uint32(head[4:])
	e.Kind = session.EventKind(head[8])
	e.Number = int64(binary.LittleEndian.Uint64(head[9:]))
	e.Offset = int64(binary.LittleEndian.Uint64(head[17:]))
	e.At = time.Duration(binary.LittleEndian.Uint64(head[25:]))
	switch {
	case length > maxData,
		e.Kind > session.Pipe,
		e.Kind == session.Resize && length != 8,
		e.Kind == session.Exit && length < 4,
		e.Kind == session.Pipe && length < pipeHead,
		uint64(e.Number) > maxValue, uint64(e.Offset) > maxValue, uint64(e.At) > maxValue:
		return e, 0, false
	}
	return e, int(length), true
}

// decodeData decodes the data of a complete frame into e, whose head was decoded before. They share
// memory.
func decodeData(e *Event, seed uint32, frame []byte) bool {
	if crc32.Update(seed, castagnoli, frame[4:]) != binary.LittleEndian.Uint32(frame) {
		return false
	}
	data := frame[headSize:]
	switch e.Kind {
	case session.Resize:
		e.Cols, e.Rows = int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
	case session.Exit:
		e.Status, data = int(int32(binary.LittleEndian.Uint32(data))), data[4:]
	case session.Pipe:
		e.Stream, e.Text, data = int(data[0]), int64(binary.LittleEndian.Uint64(data[1:])), data[pipeHead:]
		if e.Stream != session.Stdout && e.Stream != session.Stderr || uint64(e.Text) > maxValue {
			return false
		}
	}
	if e.Kind != session.Resize && len(data) > 0 {
		e.Data = bytes.Clone(data)
	}
	return true
}
