package recorder

import (
	"bytes"
	"sync"

	"github.com/ptyrec/ptyrec/session"
)

// feedMemory bounds the queue before the follower, in bytes of event data.
const feedMemory = 256 << 10

// feed is the queue before the follower. Putting never waits: what does not fit is left out, and the follower reads it
// from the log. It may be used concurrently, with one taker.
type feed struct {
	ready chan struct{} // gets a value when there is the first event to take, when one is left out, and when the feed is closed
	ended chan struct{} // closed when the feed is

	mu     sync.Mutex // guards the fields below
	mem    []session.Event
	size   int   // of mem, in bytes
	next   int64 // number of the event that is put next, from 0
	missed int64 // number of the first event that was left out, -1: none
	left   int64 // bytes that were left out
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
	if f.missed >= 0 {
		f.left += int64(len(e.Data))
		return
	}
	if f.size+eventSize(e) > feedMemory {
		f.missed, f.left = f.next-1, int64(len(e.Data))
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

// plenty tells whether it is time to take: there is too much, or nothing more will come.
func (f *feed) plenty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.missed >= 0 || f.closed
}

// take gives all that is queued.
func (f *feed) take() (events []session.Event, closed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	events, f.mem, f.size = f.mem, nil, 0
	return events, f.closed
}

// resume queues again what is put from now on, and gives the numbers of the events that were left out: [from, to).
func (f *feed) resume() (from, to int64, missed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.missed < 0 || len(f.mem) > 0 {
		return 0, 0, false
	}
	from, f.missed = f.missed, -1
	return from, f.next, true
}

// leftOut tells how many bytes were left out since the feed was full, 0 where it is not.
func (f *feed) leftOut() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.missed < 0 {
		return 0
	}
	return f.left
}

// waiting tells whether there is something to take or to read on.
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
