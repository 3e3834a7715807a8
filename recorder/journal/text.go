package journal

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sort"
	"sync"

	"github.com/ptyrec/ptyrec/session"
)

// TextIndex remembers where the text of the Pipe events in a file is. The zero value is empty. Use
// it for one file only, which may grow but not change otherwise. The methods may be called
// concurrently.
type TextIndex struct {
	mu     sync.Mutex  // guards the fields below
	points []textPoint // in order of position; the first one is the beginning
	pty    bool        // whether the file has Output events
}

// textPoint is a place in a file, and the last frame of each stream before it.
type textPoint struct {
	Place
	last [3]textFrame
}

// textFrame is the frame of a Pipe event; the zero value is none.
type textFrame struct {
	Place
	text int64 // its offset in the stream's text, in bytes
	size int   // size of the frame, in bytes
}

// pointStep is the distance between points, in bytes of the file.
var pointStep int64 = 1 << 20

// Find returns a place in a file of session id such that all text of Pipe events after the offsets
// at (in bytes of each stream's text) is after that place. It reads the heads of the frames. It
// returns the end of the file if there is no such text, and the beginning if the file has Output
// events. What is before the place may be damaged.
func (x *TextIndex) Find(f *os.File, id string, at [3]int64) (Place, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, _, err := begin(f, id)
	if err != nil {
		return Place{}, err
	}
	if len(x.points) == 0 {
		x.points = []textPoint{{Place: w.Place}}
	}
	if x.pty {
		return x.points[0].Place, nil
	}
	late := sort.Search(len(x.points), func(i int) bool { return x.points[i].behind(at) })
	from := x.points[max(0, late-1)]
	w.Place = from.Place
	for {
		before := w.Place
		e, size, frame, ok := w.next()
		if !ok {
			place, err := from.first(f, at)
			return place, errors.Join(err, w.err)
		}
		switch e.Kind {
		case session.Output: // of a PTY: it does not say where its text is
			x.pty = true
			return x.points[0].Place, nil
		case session.Pipe:
			s, text := int(frame[headSize]), int64(binary.LittleEndian.Uint64(frame[headSize+1:]))
			known := s == session.Stdout || s == session.Stderr
			if known && text > at[s] {
				from.Place = before
				return from.first(f, at)
			}
			if known {
				from.last[s] = textFrame{before, text, size}
			}
		}
		if from.Place = w.Place; w.pos >= x.points[len(x.points)-1].pos+pointStep {
			x.points = append(x.points, from)
		}
	}
}

// behind reports whether text after the offsets may be before the point.
func (p *textPoint) behind(at [3]int64) bool {
	for s, f := range p.last {
		if f.size > 0 && f.text > at[s] {
			return true
		}
	}
	return false
}

// first returns the first place with text after the offsets, at or before the point.
func (p *textPoint) first(file *os.File, at [3]int64) (Place, error) {
	from := p.Place
	for s, f := range p.last {
		if f.size == 0 || f.pos >= from.pos {
			continue
		}
		data := make([]byte, f.size-headSize-pipeHead)
		if _, err := file.ReadAt(data, f.pos+headSize+pipeHead); err != nil && !errors.Is(err, io.EOF) {
			return from, err
		}
		if f.text+session.TextSize(data) > at[s] {
			from = f.Place
		}
	}
	return from, nil
}

// NewReaderAt returns a Reader for a file of session id that begins at a place from TextIndex.Find.
func NewReaderAt(f *os.File, id string, p Place) *Reader {
	r := newReader(io.NewSectionReader(f, p.pos, 1<<62), id)
	r.last = Event{Number: p.Number - 1, Offset: p.Offset}
	return r
}
