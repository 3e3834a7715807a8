package recorder

import (
	"sync"

	"github.com/ptyrec/ptyrec/session"
)

// The spool's bounds, in bytes of event data. What does not fit in memory goes to a temporary file; what does not fit there is lost,
// and counted.
const (
	spoolMemory = 1 << 20
	spoolFile   = 1 << 30
)

// eventOverhead is what an event takes beside its data, in bytes, about.
const eventOverhead = 64

// batch is events that are taken at once, with their data.
type batch struct {
	events []session.Event
	data   []byte // of events, which point into it
	size   int    // in bytes, with what the events take
}

// add copies e. There must be room for its data.
func (b *batch) add(e session.Event) {
	start := len(b.data)
	b.data = append(b.data, e.Data...)
	e.Data = b.data[start:]
	b.events = append(b.events, e)
	b.size += eventSize(e)
}

func (b *batch) reset() {
	clear(b.events)
	b.events, b.data, b.size = b.events[:0], b.data[:0], 0
}

// spool is the queue before the log writer. Putting never waits for the taker. It may be used concurrently, with one taker.
type spool struct {
	folder string        // for the file
	ready  chan struct{} // gets a value when there is the first event to take, when there are takeBytes of them, and when the spool is closed

	mu     sync.Mutex // guards the fields below
	mem    []*batch
	spare  *batch
	size   int        // of mem, in bytes
	file   *spillFile // nil, or what came after mem
	lost   int64      // bytes of output
	err    error      // why they were lost
	closed bool
}

func newSpool(folder string) *spool { return &spool{folder: folder, ready: make(chan struct{}, 1)} }

// put queues a copy of e.
func (s *spool) put(e session.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.size == 0
	if s.file == nil && s.size+eventSize(e) <= spoolMemory {
		s.room(len(e.Data)).add(e)
		s.size += eventSize(e)
	} else {
		s.spill(e)
	}
	if first || s.plentyLocked() {
		notify(s.ready)
	}
}

// room gives a batch that takes n bytes more.
func (s *spool) room(n int) *batch {
	if last := len(s.mem) - 1; last >= 0 {
		if b := s.mem[last]; b.size < takeBytes && n <= cap(b.data)-len(b.data) {
			return b
		}
	}
	b := s.spare
	if s.spare = nil; b == nil || cap(b.data) < n {
		b = &batch{data: make([]byte, 0, max(n, takeBytes))}
	}
	s.mem = append(s.mem, b)
	return b
}

// plenty tells whether it is time to take: there is much, or nothing more will come.
func (s *spool) plenty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plentyLocked() || s.closed
}

func (s *spool) plentyLocked() bool { return s.size >= takeBytes || s.file != nil }

func (s *spool) spill(e session.Event) {
	var err error
	if s.file == nil {
		s.file, err = newSpillFile(s.folder)
	}
	if err == nil {
		err = s.file.put(e)
	}
	if err == nil {
		return
	}
	if s.err == nil {
		s.err = err
	}
	if e.Kind == session.Output {
		s.lost += int64(len(e.Data))
	}
}

// take gives the oldest events, about takeBytes of them; nil where there are none. They are to be given back when they are done with.
// more tells whether there are others.
func (s *spool) take() (b *batch, more, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.mem) > 0:
		b = s.mem[0]
		s.mem[0] = nil
		s.mem = s.mem[1:]
		s.size -= b.size
	case s.file != nil:
		b = s.unspill()
	}
	return b, len(s.mem) > 0 || s.file != nil, s.closed
}

// giveBack lets the memory of what was taken be used again.
func (s *spool) giveBack(b *batch) {
	b.reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare == nil && cap(b.data) == takeBytes {
		s.spare = b
	}
}

func (s *spool) unspill() *batch {
	b := s.spare
	if s.spare = nil; b == nil {
		b = &batch{data: make([]byte, 0, takeBytes)}
	}
	if err := s.file.take(b); err != nil { // the rest of the file cannot be read
		s.lost += s.file.unread()
		if s.err == nil {
			s.err = err
		}
		s.file.close()
		s.file = nil
		return b
	}
	if s.file.empty() {
		s.file.close()
		s.file = nil
	}
	return b
}

// close says that nothing more will be put.
func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	notify(s.ready)
}

func (s *spool) losses() (lost int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost, s.err
}

// queued gives the bytes of output that nobody has taken, about.
func (s *spool) queued() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := int64(0)
	for _, b := range s.mem {
		n += outputBytes(b.events)
	}
	if s.file != nil {
		n += s.file.unread()
	}
	return n
}

func eventSize(e session.Event) int { return len(e.Data) + eventOverhead }

func outputBytes(events []session.Event) (n int64) {
	for _, e := range events {
		if e.Kind == session.Output {
			n += int64(len(e.Data))
		}
	}
	return n
}

// notify wakes the one who waits on ch, now or when it comes to wait.
func notify(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
