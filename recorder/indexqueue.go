package recorder

import (
	"bytes"
	"sync"

	"github.com/ptyrec/ptyrec/session"
)

// queueMemory bounds the queue before the indexer, in bytes of event data.
const queueMemory = 256 << 10

// indexQueue is the queue before the indexer. put never waits: it leaves out what does not fit, and
// the indexer reads that from the log. An indexQueue may be used concurrently, with one taker.
type indexQueue struct {
	ready chan struct{} // receives a value at the first event to take, the first left out, and close
	ended chan struct{} // closed when the queue is

	mu     sync.Mutex // guards the fields below
	mem    []session.Event
	size   int   // of mem, in bytes
	next   int64 // number of the event that is put next, from 0
	missed int64 // number of the first event that was left out, -1: none
	output int64 // bytes of output that were put or left out
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

// take returns what is queued, and the numbers of the events behind it that were left out:
// [from, to). What is put from now on is queued again.
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

// total returns how many bytes of output there have been, and whether events are left out now.
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

// close says that nothing more will be put. It may be called once.
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
