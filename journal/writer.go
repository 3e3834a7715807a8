package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

const (
	chunkSize = 256 << 10               // size of one write in bytes, approximately
	chunkCap  = chunkSize + chunkSize/4 // capacity of a chunk, in bytes
	maxQueued = 8 << 20                 // bytes that wait in memory if the disk stalls; more are lost
	fileSize  = 256 << 20               // bytes after which a file is closed and the next one begins
	packSize  = 1 << 20                 // the same, if the session is quiet

	writeAfter = 10 * time.Millisecond  // an event waits for more; the terminal gets it first
	syncAfter  = time.Second            // from a write until it is durable
	quietAfter = time.Second            // time without an event after which the session is quiet
	retryAfter = time.Second            // from a failed write until the next try
	lastTries  = 3                      // attempts at a failing write when the Writer is closed
	lastWait   = 200 * time.Millisecond // time between them
	stuckAfter = 5 * time.Second        // how long Close waits for a write that does not return
)

var (
	// ErrStuck reports that a write does not return.
	ErrStuck = errors.New("the disk does not take it")
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
	ready chan struct{} // receives a value when the queue gets its first event, holds much, or somebody waits
	done  chan struct{}
	steps atomic.Int64 // writes that have returned
	after sync.WaitGroup

	mu     sync.Mutex    // guards the fields below
	queue  [][]byte      // whole frames, in chunks
	spare  []byte        // a chunk to use again
	sealed bool          // queue[0] is being written and must not grow
	queued int           // bytes of queue
	next   int64         // number of the next event
	offset int64         // output bytes before it
	at     time.Duration // of the event before it
	lost   int64         // bytes of output
	err    error         // the first error
	closed bool
	asked  chan struct{} // closed when all earlier events are written or have failed; nil: nobody waits

	// These belong to run.
	file    *os.File
	number  int   // of the file
	written int64 // bytes of the file
	head    int   // bytes of queue[0] that were written

	syncing atomic.Bool // a sync is under way
}

// Create creates the journal of a session. The caller must close the Writer.
func Create(o Options) (*Writer, error) {
	if !validName.MatchString(File{Session: o.Session.ID, Number: 1}.base()) {
		return nil, fmt.Errorf("session id %q: %w", o.Session.ID, errNotJournal)
	}
	if err := makeFolder(o.Folder); err != nil {
		return nil, err
	}
	w := &Writer{opt: o, seed: seedOf(o.Session.ID), ready: make(chan struct{}, 1), done: make(chan struct{})}
	if err := w.begin(0, 0); err != nil {
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
	size := headSize + pipeHead + len(e.Data) // at most
	full := w.queued+size > maxQueued && e.Kind != session.Exit
	if full || size > headSize+maxData || w.closed {
		w.lost += e.Printed()
		w.err = cmp.Or(w.err, errFull)
		return
	}
	before, chunk := w.queued, w.room(size)
	w.queued -= len(*chunk)
	*chunk = appendFrame(*chunk, w.seed, placed)
	w.queued += len(*chunk)
	if before == 0 || before < chunkSize && w.queued >= chunkSize {
		notify(w.ready)
	}
}

// room returns a chunk that has room for size more bytes.
func (w *Writer) room(size int) *[]byte {
	if last := len(w.queue) - 1; last >= 0 && (last > 0 || !w.sealed) && len(w.queue[last])+size <= cap(w.queue[last]) {
		return &w.queue[last]
	}
	b := w.spare
	if w.spare = nil; cap(b) < size {
		b = make([]byte, 0, max(size, chunkCap))
	}
	w.queue = append(w.queue, b[:0])
	return &w.queue[len(w.queue)-1]
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
// the journal was removed. Further calls return the same.
func (w *Writer) Close() (lost int64, err error) {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	notify(w.ready)
	for steps := w.steps.Load(); ; {
		select {
		case <-w.done:
			w.after.Wait()
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.lost, w.err
		case <-time.After(stuckAfter):
		}
		before := steps
		if steps = w.steps.Load(); steps == before {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.lost + w.waiting(0), ErrStuck
		}
	}
}

// Discard closes the Writer and removes the files it has written.
func (w *Writer) Discard() error {
	_, _ = w.Close() // the data is not wanted
	var err error
	for ; w.number > 0; w.number-- {
		err = errors.Join(err, os.RemoveAll(w.name())) // one that is packed is gone
	}
	return err
}

// Lost returns what Close would return now, without closing.
func (w *Writer) Lost() (lost int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost, w.err
}

// run is the goroutine of the Writer. It wakes up only if there is work.
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
	return w.queued >= chunkSize || w.closed || w.asked != nil
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
	for chunk := w.oldest(); chunk != nil; chunk = w.oldest() {
		n, err := w.file.Write(chunk[w.head:])
		w.steps.Add(1)
		w.head += n
		w.written += int64(n)
		if err != nil {
			w.fail(err)
			return err
		}
		w.drop(chunk)
	}
	return nil
}

// oldest returns the first chunk, which grows no more, or nil if the queue is empty.
func (w *Writer) oldest() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return nil
	}
	w.sealed = true
	return w.queue[0]
}

// drop removes the first chunk after it was written.
func (w *Writer) drop(chunk []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue[0] = nil
	w.queue, w.head, w.sealed = w.queue[1:], 0, false
	w.queued -= len(chunk)
	if w.spare == nil && cap(chunk) == chunkCap {
		w.spare = chunk
	}
}

func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
}

// finish ends the journal. Whatever cannot be written now is lost.
func (w *Writer) finish(reserve *os.File) {
	for range lastTries {
		if w.writeAll() == nil {
			break
		}
		time.Sleep(lastWait)
	}
	_ = reserve.Close() // the exit event has room now
	w.writeEnd()
	w.settle(w.file)
	gone := w.isRemoved()
	_ = w.file.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost += w.waiting(w.head)
	if gone {
		w.lost, w.err = w.offset, fmt.Errorf("%s was removed: %w", w.name(), os.ErrNotExist)
	}
}

// waiting returns the bytes of output in the queue, except the frames that begin in its first
// written bytes.
func (w *Writer) waiting(written int) (n int64) {
	at := 0
	for e, frame := range framesOf(w.queue) {
		if at += len(frame); at > written {
			n += printed(e.Kind, len(frame)-headSize)
		}
	}
	return n
}

// framesOf returns the frames in chunks, with their heads.
func framesOf(chunks [][]byte) iter.Seq2[Event, []byte] {
	return func(yield func(Event, []byte) bool) {
		for _, chunk := range chunks {
			for len(chunk) > 0 {
				e, size, _ := decodeHead(chunk)
				if !yield(e, chunk[:headSize+size]) {
					return
				}
				chunk = chunk[headSize+size:]
			}
		}
	}
}
