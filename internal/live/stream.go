package live

import (
	"sync"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Size of the newest output that is kept in memory, in blocks, in bytes.
const (
	keepBytes  = 1 << 20
	blockBytes = 64 << 10
)

// maxSizes is the maximum number of window sizes that are kept with it.
const maxSizes = 256

// block is a piece of the output. Written bytes never change, so they can be read without the lock.
type block struct {
	seq  int64
	data []byte
}

// stream is the newest output of a session, kept while there are readers. It may be used
// concurrently.
type stream struct {
	wake chan struct{} // receives a value when there is more, while output is kept

	mu     sync.Mutex // guards the fields below
	kept   int        // number of readers
	blocks []block
	start  int64 // the output from start to end-1 is kept
	end    int64
	first  protocol.Size   // size of the window before sizes
	size   protocol.Size   // current size
	sizes  []protocol.Size // changes of the size
	before int             // number of changes that are no longer kept
	exit   *protocol.Exit
}

// newStream returns a stream that begins after before bytes of output.
func newStream(cols, rows int, before int64) *stream {
	size := protocol.Size{Cols: cols, Rows: rows}
	return &stream{wake: make(chan struct{}, 1), first: size, size: size, start: before, end: before}
}

// event processes a raw event. It is the only method that a session waits for.
func (s *stream) event(e session.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case session.Output:
		s.output(e.Data)
	case session.Resize:
		s.resize(protocol.Size{Seq: s.end, Cols: e.Cols, Rows: e.Rows})
	case session.Exit:
		s.exit = &protocol.Exit{Status: e.Status, Seq: s.end}
	case session.Marker: // a frame
	case session.Input:
		return
	}
	if s.kept > 0 {
		notify(s.wake)
	}
}

func (s *stream) output(data []byte) {
	if s.kept == 0 {
		s.end += int64(len(data))
		s.start = s.end
		return
	}
	for len(data) > 0 {
		last := len(s.blocks) - 1
		if last < 0 || len(s.blocks[last].data) == cap(s.blocks[last].data) {
			s.blocks = append(s.blocks, block{s.end, make([]byte, 0, blockBytes)})
			last++
		}
		b := &s.blocks[last]
		n := min(len(data), cap(b.data)-len(b.data))
		b.data = append(b.data, data[:n]...)
		data = data[n:]
		s.end += int64(n)
	}
	for len(s.blocks) > 1 && s.end-s.blocks[1].seq >= keepBytes {
		s.blocks[0] = block{}
		s.blocks = s.blocks[1:]
		s.start = s.blocks[0].seq
	}
}

func (s *stream) resize(size protocol.Size) {
	if size.Cols == s.size.Cols && size.Rows == s.size.Rows {
		return
	}
	s.size = size
	s.sizes = append(s.sizes, size)
	if s.kept == 0 || len(s.sizes) > maxSizes {
		s.first, s.sizes = s.sizes[0], s.sizes[1:]
		s.before++
	}
}

// keep changes the number of readers by n. Without readers, no output is kept.
func (s *stream) keep(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept += n; s.kept == 0 {
		s.blocks, s.start = nil, s.end
		s.before += len(s.sizes)
		s.first, s.sizes = s.size, nil
	}
}

// place is the position of a reader.
type place struct {
	seq   int64
	sizes int // number of size changes before it
}

// now returns the place after the newest output, and the window's size there.
func (s *stream) now() (place, protocol.Size) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return place{s.end, s.before + len(s.sizes)}, s.size
}

// piece is the next thing for a reader: a size, output, or the end of the session. It is empty if
// there is nothing yet.
type piece struct {
	size   *protocol.Size
	seq    int64    // offset of data
	data   [][]byte // shared: must not be changed
	exit   *protocol.Exit
	start  int64 // output before this is no longer kept
	behind bool  // the next output is no longer kept
	left   int64 // bytes that follow data
}

// next returns the next piece after p, with at most limit bytes, and advances p.
func (s *stream) next(p *place, limit int) piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.seq < s.start {
		return piece{behind: true, start: s.start, left: s.end - p.seq}
	}
	p.sizes = max(p.sizes, s.before)
	until := s.end
	for i := p.sizes - s.before; i < len(s.sizes); i++ {
		if s.sizes[i].Seq > p.seq {
			until = s.sizes[i].Seq
			break
		}
		if p.sizes++; i+1 == len(s.sizes) || s.sizes[i+1].Seq > p.seq {
			size := s.sizes[i]
			return piece{size: &size, left: s.end - p.seq}
		}
	}
	if p.seq == s.end {
		return piece{exit: s.exit}
	}
	out := piece{seq: p.seq}
	until = min(until, p.seq+int64(limit))
	for _, b := range s.blocks {
		end := b.seq + int64(len(b.data))
		if end <= p.seq || b.seq >= until {
			continue
		}
		out.data = append(out.data, b.data[p.seq-b.seq:min(end, until)-b.seq])
		p.seq = min(end, until)
	}
	out.left = s.end - p.seq
	return out
}

// waiting returns the number of bytes after seq.
func (s *stream) waiting(seq int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end - seq
}

// notify wakes the receiver on ch, or the next one.
func notify(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// oldest returns the offset of the first kept byte, and the window's size before the first kept
// change.
func (s *stream) oldest() (int64, protocol.Size) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start, s.first
}

// at returns the place of a kept byte, with the number of size changes before it.
func (s *stream) at(seq int64) place {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(s.sizes) && s.sizes[n].Seq < seq {
		n++
	}
	return place{seq, s.before + n}
}

// ending returns the place after the newest output and, if the session is over, its end.
func (s *stream) ending() (place, *protocol.Exit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return place{s.end, s.before + len(s.sizes)}, s.exit
}
