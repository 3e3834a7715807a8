package journal

import (
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/ptyrec/ptyrec/session"
)

// Place is a position in a file, before an event.
type Place struct {
	Number int64 // of the event
	Offset int64 // output bytes before it
	pos    int64 // bytes of the file before it
}

// FindText returns the place in a file of session id from which on all text of its Pipe events can
// be read that is behind the given places of the streams' texts, in bytes. It reads the heads of
// the frames, and returns the end of the file if that has no such text, or its beginning if it has
// Output events. What is before the place may be damaged.
func FindText(f *os.File, id string, at [3]int64) (Place, error) {
	info, err := f.Stat()
	if err != nil {
		return Place{}, err
	}
	r, err := NewReader(io.NewSectionReader(f, 0, info.Size()), id)
	if err != nil {
		return Place{}, err
	}
	w := textWalk{at: at, end: Place{r.next, r.offset, int64(r.skip)}}
	begin := w.end
	var buf [tailStep]byte
	for w.end.pos+headSize <= info.Size() {
		n, err := f.ReadAt(buf[:min(tailStep, info.Size()-w.end.pos)], w.end.pos)
		if n < headSize {
			return w.end, ignoreEOF(err)
		}
		for used := 0; used+headSize+pipeHead <= n || used == 0; {
			e, size, ok := decodeHead(buf[used:])
			if !ok || e.Number < w.end.Number || w.end.pos+int64(headSize+size) > info.Size() {
				return w.found(f)
			}
			if e.Kind == session.Output { // of a PTY: it does not say where its text is
				return begin, nil
			}
			if e.Kind == session.Pipe {
				e.Stream = int(buf[used+headSize])
				e.Text = int64(binary.LittleEndian.Uint64(buf[used+headSize+1:]))
			}
			w.step(e, size)
			if used += headSize + size; used >= n {
				break
			}
		}
	}
	return w.found(f)
}

// textWalk is the state of FindText.
type textWalk struct {
	at    [3]int64
	end   Place      // behind the last frame
	last  [3]*framed // the last frame of each stream that begins at or before at
	after [3]*framed // the first one of the stream behind that
}

type framed struct {
	Place
	text int64
	size int
}

func (w *textWalk) step(e Event, size int) {
	f := &framed{Place{e.Number, e.Offset, w.end.pos}, e.Text, size}
	w.end = Place{e.Number + 1, e.Offset + printed(e.Kind, size), w.end.pos + int64(headSize+size)}
	if e.Kind != session.Pipe || e.Stream != session.Stdout && e.Stream != session.Stderr {
		return
	}
	switch s := e.Stream; {
	case e.Text <= w.at[s]:
		w.last[s], w.after[s] = f, nil
	case w.after[s] == nil:
		w.after[s] = f
	}
}

// found returns the first place that holds text behind at.
func (w *textWalk) found(file *os.File) (Place, error) {
	from := w.end
	for s := range w.at {
		f := w.last[s]
		if f != nil {
			data := make([]byte, f.size-pipeHead)
			if _, err := file.ReadAt(data, f.pos+headSize+pipeHead); err != nil && !errors.Is(err, io.EOF) {
				return from, err
			}
			if f.text+session.TextSize(data) <= w.at[s] {
				f = nil
			}
		}
		if f == nil {
			f = w.after[s]
		}
		if f != nil && f.pos < from.pos {
			from = f.Place
		}
	}
	return from, nil
}

// NewReaderAt returns a Reader for a file of session id that begins at a place from FindText.
func NewReaderAt(f *os.File, id string, p Place) *Reader {
	r := newReader(io.NewSectionReader(f, p.pos, 1<<62), id)
	r.next, r.offset = p.Number, p.Offset
	r.last.Number, r.last.Offset = p.Number-1, p.Offset
	return r
}
