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
	chunkSize = 256 << 10               // bytes that one write takes, about
	chunkCap  = chunkSize + chunkSize/4 // bytes of memory for them
	maxQueued = 8 << 20                 // bytes that wait in memory for a disk that stalls; what does not fit is lost
	fileSize  = 256 << 20               // bytes after which a file is closed
	packSize  = 1 << 20                 // bytes after which a file is closed once the session is quiet

	writeAfter = 10 * time.Millisecond  // an event waits for others: it is on its way to the terminal, which comes first
	syncAfter  = time.Second            // from a write until it is durable
	quietAfter = time.Second            // without an event, until the session is quiet
	retryAfter = time.Second            // from a failed write until the next try
	lastTries  = 3                      // of a write that fails when the Writer is closed,
	lastWait   = 200 * time.Millisecond // so far apart
	stuckAfter = 5 * time.Second        // Close waits so long for a write that does not return

	// syncLimit is how many bytes Close makes durable: somebody waits for the prompt. The system writes
	// more than that in its own time.
	syncLimit = 1 << 20
)

var (
	// ErrStuck says that a write does not return.
	ErrStuck = errors.New("the disk does not take it")
	errFull  = errors.New("the disk is too slow")
)

// Options say what to write, and where.
type Options struct {
	Folder  string          // is made, 0700, where it is missing
	Session session.Session // its ID must not have a journal in Folder
	// Closed is called when a file was closed that others may store elsewhere, in a goroutine of its own;
	// optional. Close waits for it.
	Closed func()
}

// Writer writes the journal of a session. Put never waits for the disk. Its methods may be used concurrently.
type Writer struct {
	opt   Options
	seed  uint32
	ready chan struct{} // gets a value when there is a first event to write, much to write, or somebody waits
	done  chan struct{}
	steps atomic.Int64 // writes that returned
	after sync.WaitGroup

	mu     sync.Mutex    // guards the fields below
	queue  [][]byte      // whole frames, in chunks
	spare  []byte        // a chunk to use again
	sealed bool          // nothing is added to the first: it is being written
	queued int           // bytes of queue
	next   int64         // number of the next event
	offset int64         // output bytes before it
	at     time.Duration // of the event before it
	lost   int64         // bytes of output
	err    error         // the first
	closed bool
	asked  []chan struct{} // each is closed when what was put before was written, or could not be

	// These belong to run.
	reserve  *os.File // of the disk, for the session's end; nil: there is none
	file     *os.File
	number   int   // of the file
	written  int64 // bytes of the file
	head     int   // bytes of queue[0] that were written
	unsynced atomic.Int64
	syncing  *time.Timer
}

// Create begins the journal of a session. The Writer must be closed.
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

// makeFolder makes the folder, whatever the umask. Another's folder, or a link, will not do.
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

// begin makes the next file the one that is written. Its first event has the given place. It gets its name when it is
// locked: before, others would take it for one that is complete.
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
	_ = bytelock.Lock(f, writerByte) // without locks the session counts as interrupted while it runs
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

// Put queues the next event, with a copy of its data. It never waits: what finds no room is lost, and counted. Time
// does not go back: an event that seems to come before the last one comes at the same time.
func (w *Writer) Put(e session.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = max(w.at, e.At)
	e.At = w.at
	placed := Event{Number: w.next, Offset: w.offset, Event: e}
	w.next++
	size := headSize + dataSize(e)
	if e.Kind == session.Output {
		w.offset += int64(len(e.Data))
	}
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
	if e.Kind == session.Output {
		w.lost += w.offset - e.Offset
	}
}

// room returns a chunk with room for size bytes more.
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

// notify wakes the one who waits on ch, now or when it comes to wait.
func notify(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Settle returns when what was put before can be read, or could not be written.
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

// Close writes what is queued, and waits for it as long as the disk takes anything. It returns how many bytes
// of output are missing in the journal, and the first error, which wraps fs.ErrNotExist where the journal was
// removed. Further calls return the same.
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

// Discard closes the Writer and removes what it has written.
func (w *Writer) Discard() error {
	_, _ = w.Close() // nobody misses it
	var err error
	for ; w.number > 0; w.number-- {
		if removeErr := os.Remove(w.name()); !errors.Is(removeErr, os.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return err
}

// Lost returns what Close would, so far.
func (w *Writer) Lost() (lost int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost, w.err
}

// run is the writer's goroutine. It wakes up only where there is something to do.
func (w *Writer) run() {
	defer close(w.done)
	w.keepReserve()
	var due, quiet <-chan time.Time
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
		}
	}
}

// hasty reports whether what is queued is to be written at once.
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

// writeAll writes what is queued. After an error it can be called again.
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
		w.syncSoon(n)
		w.drop(chunk)
	}
}

// oldest returns the first chunk, to which nothing is added any more; nil where nothing is queued.
func (w *Writer) oldest() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return nil
	}
	w.sealed = true
	return w.queue[0]
}

// drop forgets the first chunk, which was written.
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

// guarded takes a panic as an error.
func guarded(fn func() (int, error)) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the journal failed: %v", p)
		}
	}()
	return fn()
}

// syncSoon makes what was written durable after a while, beside the writing.
func (w *Writer) syncSoon(n int) {
	if w.unsynced.Add(int64(n)) > int64(n) {
		return
	}
	f := w.file
	w.syncing = time.AfterFunc(syncAfter, func() {
		w.unsynced.Store(0)
		_ = syncData(f) // a disk that fails fails the next write, too
	})
}

// stopSync returns how many bytes were not made durable.
func (w *Writer) stopSync() int64 {
	if w.syncing != nil {
		w.syncing.Stop()
	}
	return w.unsynced.Swap(0)
}

// rotate closes the file, if it has at least so many bytes, and begins another. The last write went well.
func (w *Writer) rotate(limit int64) {
	if w.written < limit {
		return
	}
	old := w.file
	if w.begin(w.place()) != nil {
		return // the file grows on
	}
	w.stopSync()
	w.after.Go(func() {
		_ = syncData(old)
		_ = old.Close() // and with it the lock
		if w.opt.Closed != nil {
			w.opt.Closed()
		}
	})
}

// place returns the number of the next event that is written, and the output bytes before it.
func (w *Writer) place() (number, offset int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return w.next, w.offset
	}
	e, _, _ := decodeHead(w.queue[0])
	return e.Number, e.Offset
}

// finish ends the journal: what cannot be written now is lost.
func (w *Writer) finish() {
	for range lastTries {
		if w.writeAll() == nil {
			break
		}
		time.Sleep(lastWait)
	}
	w.release()
	w.writeEnd()
	if w.stopSync() <= syncLimit {
		_ = syncData(w.file)
	}
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

// reserveSize is what is kept of the disk for the session's end, in bytes.
const reserveSize = 8 << 10

// keepReserve takes room on the disk, in a file without a name.
func (w *Writer) keepReserve() {
	f, err := os.CreateTemp(w.opt.Folder, ".reserve-*")
	if err != nil {
		return
	}
	noise := make([]byte, reserveSize) // zeros take no room on some file systems
	_, _ = rand.Read(noise)
	_, err = f.Write(noise)
	if os.Remove(f.Name()) != nil || err != nil {
		_ = f.Close()
		return
	}
	w.reserve = f
}

// release returns the reserve to the disk.
func (w *Writer) release() {
	if w.reserve != nil {
		_ = w.reserve.Close()
		w.reserve = nil
	}
}

// writeEnd writes the session's end where there is no room for what comes before it, in place of what is torn.
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
		_, _ = w.file.Write(end) // the disk may be fuller still
	}
}

// isRemoved reports whether the file has no name any more.
func (w *Writer) isRemoved() bool {
	info, err := w.file.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}

// waiting returns the bytes of output in the queue, but for the frames that lie in its first written bytes.
func (w *Writer) waiting(written int) (n int64) {
	for _, chunk := range w.queue {
		for at := 0; at < len(chunk); {
			e, size, _ := decodeHead(chunk[at:])
			if at += headSize + size; at > written && e.Kind == session.Output {
				n += int64(size)
			}
		}
		written = 0
	}
	return n
}
