package recorder

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// spillFile is a queue of events in a temporary file without a name: it is gone when the process is. It is not for concurrent use.
//
// An event is a header (kind, time, columns, rows, status, length of the data; little endian) and its data.
type spillFile struct {
	f          *os.File
	read, size int64 // bytes
	buf        []byte
}

const spillHeader = 1 + 8 + 4 + 4 + 4 + 4

var errSpoolFull = errors.New("the log is too far behind")

// newSpillFile makes one in the folder, or, where that takes none, in that for temporary files.
func newSpillFile(folder string) (*spillFile, error) {
	f, err := os.CreateTemp(folder, ".ptyrec-spool-*")
	if err != nil {
		f, err = os.CreateTemp("", ".ptyrec-spool-*")
	}
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &spillFile{f: f}, nil
}

// put appends e, whole or, with an error, not at all.
func (s *spillFile) put(e session.Event) error {
	if s.size+int64(len(e.Data)) > spoolFile {
		return errSpoolFull
	}
	b := append(s.buf[:0], byte(e.Kind))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.At))
	for _, n := range []int{e.Cols, e.Rows, e.Status, len(e.Data)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	s.buf = append(b, e.Data...)
	if _, err := s.f.WriteAt(s.buf, s.size); err != nil {
		return err // what was written of it is overwritten by the next
	}
	s.size += int64(len(s.buf))
	return nil
}

// take puts the oldest events into an empty batch: those that have room in its data, or at least one.
func (s *spillFile) take(b *batch) error {
	data, err := s.readAt(b.data[:0], cap(b.data))
	if err != nil {
		return err
	}
	if need := spillHeader + dataSize(data); need > len(data) {
		if data, err = s.readAt(data[:0], need); err != nil {
			return err
		}
	}
	b.data = data
	for len(data) >= spillHeader && len(data) >= spillHeader+dataSize(data) {
		var e session.Event
		e, data = decodeSpilled(data)
		b.events = append(b.events, e)
		b.size += eventSize(e)
		s.read += int64(spillHeader + len(e.Data))
	}
	return nil
}

// readAt reads n bytes of what is not taken, or what there is, but at least an event's header.
func (s *spillFile) readAt(buf []byte, n int) ([]byte, error) {
	buf = slices.Grow(buf, n)[:min(int64(n), s.unread())]
	_, err := s.f.ReadAt(buf, s.read)
	if err == nil && len(buf) < spillHeader {
		err = io.ErrUnexpectedEOF
	}
	return buf, err
}

// dataSize gives the length of the data of an event whose header is there.
func dataSize(header []byte) int { return int(binary.LittleEndian.Uint32(header[spillHeader-4:])) }

// decodeSpilled gives the event at the beginning of data, which it shares, and what is behind it.
func decodeSpilled(data []byte) (e session.Event, rest []byte) {
	field := func(i int) int { return int(int32(binary.LittleEndian.Uint32(data[9+4*i:]))) }
	end := spillHeader + dataSize(data)
	return session.Event{
		Kind: session.EventKind(data[0]),
		At:   time.Duration(binary.LittleEndian.Uint64(data[1:])),
		Cols: field(0), Rows: field(1), Status: field(2),
		Data: data[spillHeader:end:end],
	}, data[end:]
}

func (s *spillFile) empty() bool   { return s.read >= s.size }
func (s *spillFile) unread() int64 { return s.size - s.read }
func (s *spillFile) close()        { _ = s.f.Close() }
