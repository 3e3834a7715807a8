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

// spool is the queue before the log writer. Putting never waits for the taker. It may be used concurrently, with one taker.
type spool struct {
	folder string        // for the file
	ready  chan struct{} // gets a value when there is the first event to take, when there are takeBytes of them, and when the spool is closed

	mu     sync.Mutex // guards the fields below
	mem    []session.Event
	size   int        // of mem, in bytes
	file   *spillFile // nil, or what came after mem
	lost   int64      // bytes of output
	err    error      // why they were lost
	closed bool
}

func newSpool(folder string) *spool { return &spool{folder: folder, ready: make(chan struct{}, 1)} }

// put queues e, whose data must not change any more.
func (s *spool) put(e session.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := len(s.mem) == 0
	if s.file == nil && s.size+eventSize(e) <= spoolMemory {
		s.mem = append(s.mem, e)
		s.size += eventSize(e)
	} else {
		s.spill(e)
	}
	if first || s.plentyLocked() {
		notify(s.ready)
	}
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

// take gives the oldest events, about max bytes of them; none where there are none. more tells whether there are others.
func (s *spool) take(maxBytes int) (events []session.Event, more, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, size := 0, 0
	for n < len(s.mem) && size < maxBytes {
		size += eventSize(s.mem[n])
		n++
	}
	if n > 0 {
		events = append(events, s.mem[:n]...)
		clear(s.mem[:n])
		s.mem = s.mem[n:]
		s.size -= size
	} else if s.file != nil {
		events = s.unspill(maxBytes)
	}
	return events, len(s.mem) > 0 || s.file != nil, s.closed
}

func (s *spool) unspill(maxBytes int) []session.Event {
	events, err := s.file.take(maxBytes)
	if err != nil { // the rest of the file cannot be read
		s.lost += s.file.unread()
		if s.err == nil {
			s.err = err
		}
	}
	if err != nil || s.file.empty() {
		s.file.close()
		s.file = nil
	}
	return events
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
	n := outputBytes(s.mem)
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
