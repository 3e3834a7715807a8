package recorder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// flushAfter is how long an event waits at most before it is made durable.
const flushAfter = time.Second

// takeBytes is how much is taken from the spool at once, in bytes.
const takeBytes = 256 << 10

// When the child is gone a log that fails is asked so often more, and so far apart.
const (
	lastTries = 3
	lastWait  = 200 * time.Millisecond
)

// stuckAfter is how long the log may take for one event when the child is gone: somebody waits for the prompt.
const stuckAfter = 5 * time.Second

// ErrLogStuck says that the log does not return. It must not be used any more.
var ErrLogStuck = errors.New("the log does not take it")

// logWriter carries events from the spool to the log. It wakes up only where there is something to write.
type logWriter struct {
	log      Log
	spool    *spool
	progress chan struct{}      // gets a value when committed has grown
	asked    chan chan struct{} // of those who want all to be durable; each is closed when that was tried
	done     chan struct{}

	written int64        // events that the log has; belongs to run
	steps   atomic.Int64 // calls of the log that returned

	mu        sync.Mutex // guards the fields below
	pending   int64      // bytes of output that were taken from the spool and may not be durable
	committed int64      // events that are durable
	lost      int64      // bytes of output given up
	err       error      // the first
}

func startLogWriter(log Log, s *spool) *logWriter {
	w := &logWriter{log: log, spool: s, progress: make(chan struct{}, 1), asked: make(chan chan struct{}), done: make(chan struct{})}
	go w.run()
	return w
}

func (w *logWriter) run() {
	defer close(w.done)
	var due <-chan time.Time // when the log is to be flushed
	for {
		flush := false
		var asker chan struct{}
		select {
		case asker = <-w.asked:
			flush = true
		case <-w.spool.ready:
		case <-due:
			due, flush = nil, true
		}
		if flush || w.spool.plenty() {
			if closed := w.takeAll(); closed {
				w.finish()
				answer(asker)
				return
			}
		}
		done := flush && w.flush() == nil
		answer(asker)
		if done {
			continue
		}
		if due == nil {
			due = time.After(flushAfter)
		}
	}
}

func answer(asker chan struct{}) {
	if asker != nil {
		close(asker)
	}
}

// settle makes durable what was put before, if the log takes it.
func (w *logWriter) settle(ctx context.Context) error {
	ask := make(chan struct{})
	select {
	case w.asked <- ask:
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-ask:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// takeAll carries all that there is. It is not called for each event: most can wait until the log is flushed, and whoever
// wakes up for them takes time from their way to the terminal.
func (w *logWriter) takeAll() (closed bool) {
	for more := true; more; {
		var b *batch
		if b, more, closed = w.spool.take(); b != nil {
			w.write(b.events)
			w.spool.giveBack(b)
		}
	}
	return closed
}

func (w *logWriter) write(events []session.Event) {
	w.mu.Lock()
	w.pending += outputBytes(events)
	w.mu.Unlock()
	for _, e := range events {
		w.fail(guarded(func() error { return w.log.Write(e) }))
		w.steps.Add(1)
	}
	w.written += int64(len(events))
}

// flush makes durable what was written. After session.ErrKept it is not lost, but not yet to be read.
func (w *logWriter) flush() error {
	err := guarded(w.log.Flush)
	w.steps.Add(1)
	w.fail(err)
	if err != nil && !errors.Is(err, session.ErrKept) {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = 0
	if err == nil {
		w.committed = w.written
		notify(w.progress)
	}
	return err
}

// finish makes all durable that there is. The child is gone, so this may wait a little, but not for ever.
func (w *logWriter) finish() {
	for range lastTries {
		if err := w.flush(); err == nil || errors.Is(err, session.ErrKept) {
			return
		}
		time.Sleep(lastWait)
	}
}

func (w *logWriter) fail(err error) {
	if err == nil || errors.Is(err, session.ErrKept) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// guarded takes a panic of the log as an error of it.
func guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the log failed: %v", p)
		}
	}()
	return fn()
}

// wait waits until all is written, as long as there is progress.
func (w *logWriter) wait() {
	for steps := w.steps.Load(); ; {
		select {
		case <-w.done:
			return
		case <-time.After(stuckAfter):
		}
		before := steps
		if steps = w.steps.Load(); steps == before {
			w.giveUp()
			return
		}
	}
}

func (w *logWriter) giveUp() {
	queued := w.spool.queued()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost += w.pending + queued
	w.err = errors.Join(ErrLogStuck, w.err)
}

// reached waits until n events are durable. It gives false where they never will be, or their numbers are others in the log, because
// the spool lost some.
func (w *logWriter) reached(n int64, stop <-chan struct{}) bool {
	for {
		over := isClosed(w.done)
		if lost, _ := w.spool.losses(); lost > 0 {
			return false
		}
		w.mu.Lock()
		ok := w.committed >= n
		w.mu.Unlock()
		if ok || over {
			return ok
		}
		select {
		case <-w.progress:
		case <-w.done:
		case <-stop:
			return false
		}
	}
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func (w *logWriter) lostBytes() int64 {
	lost, _ := w.spool.losses()
	w.mu.Lock()
	defer w.mu.Unlock()
	return lost + w.lost
}

func (w *logWriter) firstErr() error {
	_, err := w.spool.losses()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	return err
}
