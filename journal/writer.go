package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/bytelock"
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
	asked  []chan struct{} // each is closed when all earlier events are written or have failed

	// These belong to run.
	reserve *os.File // disk space kept for the session's end; may be nil
	file    *os.File
	number  int   // of the file
	written int64 // bytes of the file
	head    int   // bytes of queue[0] that were written

	syncing atomic.Bool // a sync is under way
}

// Create creates the journal of a session. The caller must close the Writer.
func Create(o Options) (*Writer, error) {
	if !isID(o.Session.ID) {
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

// makeFolder creates the folder with mode 0700 whatever the umask is. It refuses a link or another
// user's folder.
func makeFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err == nil {
		return os.Chmod(path, 0o700)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Geteuid() && os.Geteuid() != 0 {
		return fmt.Errorf("%s: %w", path, ErrForeign)
	}
	return nil
}

// begin creates the next file; its first event has the number event and comes after offset bytes of
// output. The file gets its name only after it is locked: without the lock others would take it for
// a complete one.
func (w *Writer) begin(event, offset int64) error {
	line, err := encodeHeader(w.seed, w.opt.Session, event, offset)
	if err != nil {
		return err
	}
	w.number++
	path := w.name()
	f, err := os.OpenFile(path+newEnding, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_ = bytelock.Lock(f, writerByte) // if this fails, the session counts as interrupted while it runs
	if err = f.Chmod(0o600); err == nil {
		_, err = f.Write(line)
	}
	if _, there := os.Lstat(path); err == nil && there == nil {
		err = fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()), f.Close())
	}
	w.file, w.written = f, int64(len(line))
	return nil
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
	size := headSize + dataSize(e)
	w.offset += e.Printed()
	full := w.queued+size > maxQueued && e.Kind != session.Exit
	if full || size > headSize+maxData || w.closed {
		w.lose(placed, errFull)
		return
	}
	first, plenty := w.queued == 0, w.queued >= chunkSize
	chunk := w.room(size)
	*chunk = appendFrame(*chunk, w.seed, placed)
	w.queued += size
	if first || !plenty && w.queued >= chunkSize {
		notify(w.ready)
	}
}

func (w *Writer) lose(e Event, err error) {
	if w.err == nil {
		w.err = err
	}
	w.lost += e.Printed()
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
	ask := make(chan struct{})
	w.asked = append(w.asked, ask)
	w.mu.Unlock()
	notify(w.ready)
	select {
	case <-ask:
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
		if removeErr := os.Remove(w.name()); !errors.Is(removeErr, os.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
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
	w.keepReserve()
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
			w.finish()
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
	return w.queued >= chunkSize || w.closed || len(w.asked) > 0
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
	defer func() {
		for _, ask := range asked {
			close(ask)
		}
	}()
	for {
		chunk := w.oldest()
		if chunk == nil {
			return nil
		}
		n, err := guarded(func() (int, error) { return w.file.Write(chunk[w.head:]) })
		w.steps.Add(1)
		w.head += n
		w.written += int64(n)
		if err != nil {
			w.fail(err)
			return err
		}
		w.drop(chunk)
	}
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
	if w.err == nil {
		w.err = err
	}
}

// guarded turns a panic into an error.
func guarded(fn func() (int, error)) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the journal failed: %v", p)
		}
	}()
	return fn()
}

// sync begins to make what was written durable, concurrently with further writes. It reports false
// if the sync before has not ended.
func (w *Writer) sync() bool {
	if w.syncing.Swap(true) {
		return false
	}
	f := w.file
	w.after.Go(func() {
		w.settle(f)
		w.syncing.Store(false)
	})
	return true
}

// settle makes what was written to f durable. Some file systems cannot, which is no error.
func (w *Writer) settle(f *os.File) {
	err := f.Sync()
	if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		w.fail(err)
	}
}

// rotate begins a new file if the current one has at least limit bytes. The last write must have
// succeeded.
func (w *Writer) rotate(limit int64) {
	if w.written < limit {
		return
	}
	old := w.file
	if w.begin(w.place()) != nil {
		return // keep using this file
	}
	w.after.Go(func() {
		w.settle(old)
		_ = old.Close() // this also releases the lock
		if w.opt.Closed != nil {
			w.opt.Closed()
		}
	})
}

// place returns the number of the next event to be written, and the output bytes before it.
func (w *Writer) place() (number, offset int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return w.next, w.offset
	}
	e, _, _ := decodeHead(w.queue[0])
	return e.Number, e.Offset
}

// finish ends the journal. Whatever cannot be written now is lost.
func (w *Writer) finish() {
	for range lastTries {
		if w.writeAll() == nil {
			break
		}
		time.Sleep(lastWait)
	}
	w.release()
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

func (w *Writer) name() string {
	return filepath.Join(w.opt.Folder, File{Session: w.opt.Session.ID, Number: w.number}.base())
}

// reserveSize is the disk space kept for the session's end, in bytes.
const reserveSize = 8 << 10

// keepReserve allocates disk space in a file without a name.
func (w *Writer) keepReserve() {
	f, err := os.CreateTemp(w.opt.Folder, ".reserve-*")
	if err != nil {
		return
	}
	noise := make([]byte, reserveSize) // some file systems allocate nothing for zeros
	_, _ = rand.Read(noise)
	_, err = f.Write(noise)
	if os.Remove(f.Name()) != nil || err != nil {
		_ = f.Close()
		return
	}
	w.reserve = f
}

// release returns the reserved space to the disk.
func (w *Writer) release() {
	if w.reserve != nil {
		_ = w.reserve.Close()
		w.reserve = nil
	}
}

// writeEnd overwrites the torn frame at the end with the session's exit event, if the disk is too
// full for the events before it.
func (w *Writer) writeEnd() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return
	}
	whole, end := 0, []byte(nil)
	for i, chunk := range w.queue {
		for at := 0; at < len(chunk); {
			e, size, _ := decodeHead(chunk[at:])
			begun := at
			if at += headSize + size; i == 0 && at <= w.head {
				whole = at
			}
			if end = nil; e.Kind == session.Exit {
				end = chunk[begun:at]
			}
		}
	}
	if w.file.Truncate(w.written-int64(w.head-whole)) == nil {
		w.head = whole
		_, _ = w.file.Write(end) // the disk may have filled up further
	}
}

// isRemoved reports whether the file has been unlinked.
func (w *Writer) isRemoved() bool {
	info, err := w.file.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}

// waiting returns the bytes of output in the queue, except the frames that begin in its first
// written bytes.
func (w *Writer) waiting(written int) (n int64) {
	for _, chunk := range w.queue {
		for at := 0; at < len(chunk); {
			e, size, _ := decodeHead(chunk[at:])
			if at += headSize + size; at > written {
				n += printed(e.Kind, size)
			}
		}
		written = 0
	}
	return n
}
