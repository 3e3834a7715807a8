package recorder

import (
	"bytes"
	"sync"

	"github.com/ptyrec/ptyrec/session"
)

// feedMemory bounds the queue before the follower, in bytes of event data.
const feedMemory = 256 << 10

// feed is the queue before the follower. put never waits: it leaves out what does not fit, and the
// follower reads that from the log. A feed may be used concurrently, with one taker.
type feed struct {
	ready chan struct{} // receives a value at the first event to take, the first left out, and close
	ended chan struct{} // closed when the feed is

	mu     sync.Mutex // guards the fields below
	mem    []session.Event
	size   int   // of mem, in bytes
	next   int64 // number of the event that is put next, from 0
	missed int64 // number of the first event that was left out, -1: none
	output int64 // bytes of output that were put or left out
	closed bool
}

func newFeed() *feed {
	return &feed{ready: make(chan struct{}, 1), ended: make(chan struct{}), missed: -1}
}

// put queues a copy of e.
func (f *feed) put(e session.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	if e.Kind == session.Output {
		f.output += int64(len(e.Data))
	}
	if f.missed >= 0 {
		return
	}
	if f.size+eventSize(e) > feedMemory {
		f.missed = f.next - 1
		notify(f.ready)
		return
	}
	e.Data = bytes.Clone(e.Data)
	f.mem = append(f.mem, e)
	f.size += eventSize(e)
	if len(f.mem) == 1 {
		notify(f.ready)
	}
}

// plenty reports whether it is time to take: the feed is full or closed.
func (f *feed) plenty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.missed >= 0 || f.closed
}

// take returns all that is queued.
func (f *feed) take() (events []session.Event, closed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	events, f.mem, f.size = f.mem, nil, 0
	return events, f.closed
}

// resume queues again what is put from now on. It returns the numbers of the events that were left
// out: [from, to).
func (f *feed) resume() (from, to int64, missed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.missed < 0 || len(f.mem) > 0 {
		return 0, 0, false
	}
	from, f.missed = f.missed, -1
	return from, f.next, true
}

// total returns how many bytes of output there have been, and whether events are left out now.
func (f *feed) total() (output int64, missed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.output, f.missed >= 0
}

// waiting reports whether there is something to take or to read from the log.
func (f *feed) waiting() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mem) > 0 || f.missed >= 0
}

// close says that nothing more will be put. It may be called once.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	close(f.ended)
	notify(f.ready)
}

// eventOverhead is the approximate size of an event without its data, in bytes.
const eventOverhead = 64

func eventSize(e session.Event) int { return len(e.Data) + eventOverhead }

// notify wakes the receiver on ch, or the next one.
func notify(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

func isClosed[T any](ch <-chan T) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
