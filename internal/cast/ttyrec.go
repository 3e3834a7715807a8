package cast

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// A ttyrec is a sequence of frames: seconds and microseconds since 1970 and the length of the data,
// each as 32 bits in little endian, then the data. It does not contain the window's size.

const ttyrecHead = 12

// looksLikeTTYRec guesses from its first bytes whether a file is a ttyrec. The format has no
// signature.
func looksLikeTTYRec(start []byte) bool {
	if len(start) < ttyrecHead {
		return false
	}
	sec, usec, size := binary.LittleEndian.Uint32(start), binary.LittleEndian.Uint32(start[4:]),
		binary.LittleEndian.Uint32(start[8:])
	return sec > 1e8 && usec < 1e6 && size > 0 && size < 1<<20
}

type ttyrec struct {
	src   *source
	start time.Time
	last  time.Time
}

func newTTYRec(src *source, r *Reader) {
	t := &ttyrec{src: src}
	if head, err := src.br.Peek(ttyrecHead); err == nil {
		t.start = frameTime(head)
	}
	t.last = t.start
	r.Header = Header{Cols: defaultCols, Rows: defaultRows, Timestamp: t.start, Env: map[string]string{}}
	r.special = t.next
}

func frameTime(head []byte) time.Time {
	return time.Unix(int64(binary.LittleEndian.Uint32(head)), int64(binary.LittleEndian.Uint32(head[4:]))*1000).UTC()
}

// next returns the next event, with the time since the previous one.
func (t *ttyrec) next() (ev session.Event, ok bool, err error) {
	var head [ttyrecHead]byte
	if _, err := io.ReadFull(t.src.br, head[:]); err != nil {
		return ev, false, t.end(err)
	}
	size := binary.LittleEndian.Uint32(head[8:])
	if size > maxLine {
		return ev, false, fmt.Errorf("%w: a frame of %d bytes", session.ErrCorrupt, size)
	}
	data := make([]byte, size)
	n, err := io.ReadFull(t.src.br, data)
	if err != nil && n == 0 && size > 0 {
		t.src.cut = true
		return ev, false, t.end(err)
	}
	if err != nil {
		t.src.cut = true
	}
	at := frameTime(head[:])
	ev = session.Event{At: max(0, at.Sub(t.last)), Kind: session.Output, Data: data[:n]}
	t.last = at
	return ev, n > 0, nil
}

// end returns the error for the end of the file: it distinguishes a truncated file from a complete
// one.
func (t *ttyrec) end(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || isCut(err) {
		t.src.cut = true
		return io.EOF
	}
	return err
}
