package recorder

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
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

// take gives the oldest events, about maxBytes of them.
func (s *spillFile) take(maxBytes int) (events []session.Event, err error) {
	for begin := s.read; !s.empty() && s.read-begin < int64(maxBytes); {
		e, err := s.next()
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

func (s *spillFile) next() (session.Event, error) {
	var h [spillHeader]byte
	if _, err := s.f.ReadAt(h[:], s.read); err != nil {
		return session.Event{}, err
	}
	field := func(i int) int { return int(int32(binary.LittleEndian.Uint32(h[9+4*i:]))) }
	e := session.Event{
		Kind: session.EventKind(h[0]),
		At:   time.Duration(binary.LittleEndian.Uint64(h[1:])),
		Cols: field(0), Rows: field(1), Status: field(2),
		Data: make([]byte, field(3)),
	}
	if _, err := s.f.ReadAt(e.Data, s.read+spillHeader); err != nil && !errors.Is(err, io.EOF) {
		return session.Event{}, err
	}
	s.read += int64(spillHeader + len(e.Data))
	return e, nil
}

func (s *spillFile) empty() bool   { return s.read >= s.size }
func (s *spillFile) unread() int64 { return s.size - s.read }
func (s *spillFile) close()        { _ = s.f.Close() }
