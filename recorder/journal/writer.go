package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

const (
	writeSize = 256 << 10 // size of a write, in bytes
	keepSize  = 512 << 10 // maximum capacity of a buffer that is kept for reuse, in bytes
	maxQueued = 8 << 20   // maximum size of the queue if the disk stalls, in bytes; more is lost
	fileSize  = 256 << 20 // size at which a file is complete, in bytes
	packSize  = 1 << 20   // the same when the session is quiet

	writeAfter = 10 * time.Millisecond  // waiting time for more events, so that the terminal gets the output first
	syncAfter  = time.Second            // time from a write to a sync
	quietAfter = time.Second            // time without an event after which the session is quiet
	retryAfter = time.Second            // time from a failed write to the next attempt
	lastTries  = 3                      // number of attempts at a failing write in Close
	lastWait   = 200 * time.Millisecond // time between them
	stuckAfter = 5 * time.Second        // how long Close waits for a write that does not return
)

var (
	// errStuck means that a write does not return.
	errStuck = errors.New("the disk does not write")
	errFull  = errors.New("the disk is too slow")
)

// Options configure a Writer.
type Options struct {
	Folder  string          // created with mode 0700 if missing
	Session session.Session // its ID must not have a journal in Folder
	// Closed, if set, is called in its own goroutine when a file is closed and others may store
	// it elsewhere. Close waits for it.
	Closed func()
}

// Writer writes the journal of a session. Put never waits for the disk. The methods may be called
// concurrently.
type Writer struct {
	opt   Options
	seed  uint32
	ready chan struct{} // receives a value at the first queued event, when the queue is large, and when someone waits
	done  chan struct{}
	after sync.WaitGroup

	mu     sync.Mutex    // guards the fields below
	queue  []byte        // frames that run has not taken yet
	queued int           // bytes that are not written
	next   int64         // number of the next event
	offset int64         // output bytes before it
	at     time.Duration // of the event before it
	lost   int64         // bytes of output
	err    error         // first error
	closed bool
	asked  chan struct{} // closed when all earlier events are written or have failed; nil if no one waits
	taken  []byte        // frames that run writes; only run changes it, head and steps
	head   int           // bytes of taken that were written
	steps  int           // number of writes that have returned

	// Used by run only.
	file    *os.File
	info    fs.FileInfo // identifies the file
	number  int         // of the file
	written int64       // bytes of the file
	fresh   bool        // whether its name is not durable yet

	syncing atomic.Bool // whether a sync is in progress
}

// Create creates the journal of a session. The caller must close the Writer.
func Create(o Options) (*Writer, error) {
	if !validID(o.Session.ID) {
		return nil, fmt.Errorf("session id %q: %w", o.Session.ID, errNotJournal)
	}
	if err := makeFolder(o.Folder); err != nil {
		return nil, err
	}
	w := &Writer{opt: o, seed: seedOf(o.Session.ID), ready: make(chan struct{}, 1), done: make(chan struct{})}
	if err := w.begin(1, 0, 0); err != nil {
		return nil, err
	}
	go w.run()
	return w, nil
}

// Put queues the next event with a copy of its data. It never waits: if the queue is full, the
// event is counted as lost. Times never decrease: an event with an earlier time than the one before
// gets the time of that one.
func (w *Writer) Put(e session.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = max(w.at, e.At)
	e.At = w.at
	placed := Event{Number: w.next, Offset: w.offset, Event: e}
	w.next++
	w.offset += e.Printed()
	size := headSize + pipeHead + len(e.Data) // maximum
	full := w.queued+size > maxQueued && e.Kind != session.Exit
	if full || size > headSize+maxData || w.closed {
		w.lost += e.Printed()
		w.err = cmp.Or(w.err, errFull)
		return
	}
	before, had := w.queued, len(w.queue)
	w.queue = appendFrame(w.queue, w.seed, placed)
	w.queued += len(w.queue) - had
	if before == 0 || before < writeSize && w.queued >= writeSize {
		notify(w.ready)
	}
}

// notify wakes the receiver on ch, or the next one.
func notify(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Settle returns when all events that were put before can be read, or have failed to be written.
func (w *Writer) Settle(ctx context.Context) error {
	w.mu.Lock()
	if w.queued == 0 {
		w.mu.Unlock()
		return nil
	}
	if w.asked == nil {
		w.asked = make(chan struct{})
	}
	asked := w.asked
	w.mu.Unlock()
	notify(w.ready)
	select {
	case <-asked:
	case <-w.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Waiting returns how many bytes wait to be written.
func (w *Writer) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queued
}

// Close writes what is queued, and waits as long as the disk accepts data. It returns how many
// bytes of output are missing from the journal, and the first error, which wraps fs.ErrNotExist if
// the journal was removed and cannot be written again. Further calls return the same.
func (w *Writer) Close() (lost int64, err error) {
	w.mu.Lock()
	w.closed = true
	before := w.steps
	w.mu.Unlock()
	notify(w.ready)
	for {
		select {
		case <-w.done:
			w.after.Wait()
			return w.Lost()
		case <-time.After(stuckAfter):
		}
		w.mu.Lock()
		steps, lost := w.steps, w.lost+w.waiting()
		w.mu.Unlock()
		if steps == before {
			return lost, errStuck
		}
		before = steps
	}
}

// Discard closes the Writer and removes its files.
func (w *Writer) Discard() error {
	_, _ = w.Close() // the data is not needed
	var err error
	for ; w.number > 0; w.number-- {
		err = errors.Join(err, os.RemoveAll(w.name(w.number))) // packed ones are already removed
	}
	return err
}

// Lost returns what Close would return now, without closing.
func (w *Writer) Lost() (lost int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost, w.err
}

// run is the goroutine of the Writer. It wakes up only when there is work.
func (w *Writer) run() {
	defer close(w.done)
	reserve := w.reserve()
	var due, quiet, unsynced <-chan time.Time
	for {
		select {
		case <-w.ready:
			if !w.hasty() {
				if due == nil {
					due = time.After(writeAfter)
				}
				continue
			}
		case <-due:
		case <-quiet:
			if quiet = nil; due == nil {
				w.rotate(packSize)
			}
			continue
		case <-unsynced:
			w.restore()
			if unsynced = nil; !w.sync() {
				unsynced = time.After(syncAfter)
			}
			continue
		}
		due = nil
		err := w.writeAll()
		switch {
		case w.isClosed():
			w.finish(reserve)
			return
		case err != nil:
			due = time.After(retryAfter)
		default:
			w.rotate(fileSize)
			quiet = time.After(quietAfter)
			if unsynced == nil {
				unsynced = time.After(syncAfter)
			}
		}
	}
}

// hasty reports whether the queue must be written at once.
func (w *Writer) hasty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queued >= writeSize || w.closed || w.asked != nil
}

func (w *Writer) isClosed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// writeAll writes the queue. After an error it can be called again.
func (w *Writer) writeAll() error {
	w.mu.Lock()
	asked := w.asked
	w.asked = nil
	w.mu.Unlock()
	if asked != nil {
		defer close(asked)
	}
	for w.take() {
		n, err := w.file.Write(w.taken[w.head:min(w.head+writeSize, len(w.taken))])
		w.wrote(n)
		if err != nil {
			w.fail(err)
			return err
		}
	}
	return nil
}

func (w *Writer) wrote(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps++
	w.head += n
	w.queued -= n
	w.written += int64(n)
}

// take takes the queued events if all those taken before are written. It reports whether there is
// something to write.
func (w *Writer) take() bool {
	if w.head < len(w.taken) {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	free := w.taken[:0]
	if cap(free) > keepSize {
		free = nil
	}
	w.taken, w.head, w.queue = w.queue, 0, free
	return len(w.taken) > 0
}

func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
}

// finish ends the journal. What cannot be written now is lost.
func (w *Writer) finish(reserve *os.File) {
	for range lastTries {
		if w.writeAll() == nil {
			break
		}
		time.Sleep(lastWait)
	}
	_ = reserve.Close() // makes room for the exit event
	w.writeEnd()
	w.restore()
	w.settle(w.file, w.fresh)
	gone := !w.isPlaced()
	_ = w.file.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost += w.waiting()
	if gone {
		w.lost, w.err = w.offset, fmt.Errorf("%s was removed: %w", w.name(w.number), os.ErrNotExist)
	}
}

// waiting returns the number of output bytes whose frames are not completely written. The caller
// holds mu.
func (w *Writer) waiting() (n int64) {
	at := 0
	for e, frame := range framesOf(w.taken, w.queue) {
		if at += len(frame); at > w.head {
			n += printed(e.Kind, len(frame)-headSize)
		}
	}
	return n
}

// framesOf returns the frames in buffers, with their heads.
func framesOf(buffers ...[]byte) iter.Seq2[Event, []byte] {
	return func(yield func(Event, []byte) bool) {
		for _, b := range buffers {
			for len(b) > 0 {
				e, size, _ := decodeHead(b)
				if !yield(e, b[:headSize+size]) {
					return
				}
				b = b[headSize+size:]
			}
		}
	}
}
