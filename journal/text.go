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

// Place is a position in a file, before an event.
type Place struct {
	Number int64 // of the event
	Offset int64 // output bytes before it
	pos    int64 // bytes of the file before it
}

// TextIndex remembers where the text of the Pipe events in a file is. The zero value knows nothing
// yet. A file has one id and does not change, except that it grows. The methods may be called
// concurrently.
type TextIndex struct {
	mu     sync.Mutex  // guards the fields below
	points []textPoint // by position; the first one is the beginning
	pty    bool        // the file has Output events
}

// textPoint is a place in a file, and the last frame of each stream before it.
type textPoint struct {
	Place
	last [3]*framed
}

// pointStep is how far points are apart, in bytes of the file.
var pointStep int64 = 1 << 20

// Find returns the place in a file of session id from which on all text of its Pipe events can be
// read that is behind the given places of the streams' texts, in bytes. It reads the heads of the
// frames, and returns the end of the file if that has no such text, or its beginning if it has
// Output events. What is before the place may be damaged.
func (x *TextIndex) Find(f *os.File, id string, at [3]int64) (Place, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	info, err := f.Stat()
	if err != nil {
		return Place{}, err
	}
	if len(x.points) == 0 {
		r, err := NewReader(io.NewSectionReader(f, 0, info.Size()), id)
		if err != nil {
			return Place{}, err
		}
		x.points = []textPoint{{Place: Place{r.next, r.offset, int64(r.skip)}}}
	}
	if x.pty {
		return x.points[0].Place, nil
	}
	late := sort.Search(len(x.points), func(i int) bool { return x.points[i].behind(at) })
	w := textWalk{at: at, textPoint: x.points[max(0, late-1)]}
	var buf [tailStep]byte
	for !w.over && w.pos+headSize <= info.Size() {
		n, err := f.ReadAt(buf[:min(tailStep, info.Size()-w.pos)], w.pos)
		if n < headSize {
			return w.Place, ignoreEOF(err)
		}
		if !w.steps(buf[:n], info.Size()) {
			break
		}
		if w.pty {
			x.pty = true
			return x.points[0].Place, nil
		}
		if w.pos >= x.points[len(x.points)-1].pos+pointStep && !w.over {
			x.points = append(x.points, w.textPoint)
		}
	}
	return w.found(f)
}

// behind reports whether text behind the places may be before the point.
func (p *textPoint) behind(at [3]int64) bool {
	for s, f := range p.last {
		if f != nil && f.text > at[s] {
			return true
		}
	}
	return false
}

// textWalk is a walk along a file, up to the first frame that begins behind the wanted places.
type textWalk struct {
	at [3]int64
	textPoint
	over  bool
	after *framed // the frame at which it is over
	pty   bool    // it has met an Output event
}

// framed is a frame of a Pipe event.
type framed struct {
	Place
	text int64
	size int
}

// steps goes along the frames that begin in data, which is at the walk's place. It returns false
// where the file has no more.
func (w *textWalk) steps(data []byte, fileSize int64) bool {
	for used := 0; used+headSize+pipeHead <= len(data) || used == 0; {
		e, size, ok := decodeHead(data[used:])
		if !ok || e.Number < w.Number || w.pos+int64(headSize+size) > fileSize {
			return false
		}
		switch e.Kind {
		case session.Output: // of a PTY: it does not say where its text is
			w.pty = true
			return true
		case session.Pipe:
			e.Stream = int(data[used+headSize])
			e.Text = int64(binary.LittleEndian.Uint64(data[used+headSize+1:]))
		}
		if w.step(e, size); w.over {
			return true
		}
		if used += headSize + size; used >= len(data) {
			break
		}
	}
	return true
}

func (w *textWalk) step(e Event, size int) {
	f := &framed{Place{e.Number, e.Offset, w.pos}, e.Text, size}
	if s := e.Stream; e.Kind == session.Pipe && (s == session.Stdout || s == session.Stderr) {
		if e.Text > w.at[s] {
			w.after, w.over = f, true
			return
		}
		w.last[s] = f
	}
	w.Place = Place{e.Number + 1, e.Offset + printed(e.Kind, size), w.pos + int64(headSize+size)}
}

// found returns the first place that holds text behind at.
func (w *textWalk) found(file *os.File) (Place, error) {
	from := w.Place
	if w.after != nil {
		from = w.after.Place
	}
	for s, f := range w.last {
		if f == nil || f.pos >= from.pos {
			continue
		}
		data := make([]byte, f.size-pipeHead)
		if _, err := file.ReadAt(data, f.pos+headSize+pipeHead); err != nil && !errors.Is(err, io.EOF) {
			return from, err
		}
		if f.text+session.TextSize(data) > w.at[s] {
			from = f.Place
		}
	}
	return from, nil
}

// NewReaderAt returns a Reader for a file of session id that begins at a place from TextIndex.Find.
func NewReaderAt(f *os.File, id string, p Place) *Reader {
	r := newReader(io.NewSectionReader(f, p.pos, 1<<62), id)
	r.next, r.offset = p.Number, p.Offset
	r.last.Number, r.last.Offset = p.Number-1, p.Offset
	return r
}
