package recorder

import (
	"bytes"
	"sync"

	"github.com/ptyrec/ptyrec/session"
)

// queueMemory is the maximum size of the indexer's queue, in bytes of event data.
const queueMemory = 256 << 10

// indexQueue is the queue of events for the indexer. put never waits: it skips events that do not
// fit, and the indexer reads them from the log. An indexQueue may be used concurrently, with one
// caller of take.
type indexQueue struct {
	ready chan struct{} // receives a value at the first queued event, the first skipped one, and close
	ended chan struct{} // closed with the queue

	mu     sync.Mutex // guards the fields below
	mem    []session.Event
	size   int   // of mem, in bytes
	next   int64 // number of the next event, from 0
	missed int64 // number of the first skipped event, -1 if there is none
	output int64 // bytes of output that were queued or skipped
	closed bool
}

func newIndexQueue() *indexQueue {
	return &indexQueue{ready: make(chan struct{}, 1), ended: make(chan struct{}), missed: -1}
}

// put queues a copy of e.
func (f *indexQueue) put(e session.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	if e.Kind == session.Output {
		f.output += int64(len(e.Data))
	}
	if f.missed >= 0 {
		return
	}
	if f.size+eventSize(e) > queueMemory {
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

// plenty reports whether it is time to take: the queue is full or closed.
func (f *indexQueue) plenty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.missed >= 0 || f.closed
}

// take returns the queued events and, as [from, to), the numbers of those after them that were
// skipped. Later events are queued again.
func (f *indexQueue) take() (events []session.Event, from, to int64, closed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	events, from, to = f.mem, f.missed, f.next
	if from < 0 {
		from = to
	}
	f.mem, f.size, f.missed = nil, 0, -1
	return events, from, to, f.closed
}

// total returns the number of output bytes so far, and whether events are being skipped.
func (f *indexQueue) total() (output int64, missed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.output, f.missed >= 0
}

// waiting reports whether there is something to take or to read from the log.
func (f *indexQueue) waiting() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mem) > 0 || f.missed >= 0
}

// close closes the queue. It must be called only once, after the last put.
func (f *indexQueue) close() {
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
