package recorder

import (
	"fmt"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// When the log writer commits: at so many bytes, or so long after the first of them, whichever comes first.
const (
	commitBytes = 256 << 10
	commitAfter = time.Second
)

// What the log writer does about errors: it tries again after a while, and when the child is gone only so often.
const (
	retryAfter = time.Second
	lastTries  = 3
	lastWait   = 200 * time.Millisecond
)

// logWriter carries events from the spool to the log. It wakes up only where there is something to commit.
type logWriter struct {
	log      Log
	spool    *spool
	progress chan struct{} // gets a value when committed has grown, or the writer is done
	done     chan struct{}

	batch []session.Event // belongs to run
	size  int

	mu        sync.Mutex // guards the fields below
	committed int64      // events in the log
	lost      int64      // bytes of output given up
	err       error      // the first
}

func startLogWriter(log Log, s *spool) *logWriter {
	w := &logWriter{log: log, spool: s, progress: make(chan struct{}, 1), done: make(chan struct{})}
	go w.run()
	return w
}

func (w *logWriter) run() {
	defer notify(w.progress)
	defer close(w.done)
	var due <-chan time.Time // when the batch is to be committed
	for {
		select {
		case <-w.spool.ready:
		case <-due:
			due = w.commitDue()
		}
		closed := false
		for more := true; more && !w.stuck(); {
			more, closed = w.fill()
			if w.size >= commitBytes {
				due = w.commitDue()
			}
		}
		if closed = closed || w.spoolClosed(); closed {
			w.finish()
			return
		}
		if due == nil && len(w.batch) > 0 {
			due = time.After(commitAfter)
		}
	}
}

// stuck tells that the batch is full and could not be committed: what comes waits in the spool.
func (w *logWriter) stuck() bool { return w.size >= commitBytes }

func (w *logWriter) fill() (more, closed bool) {
	events, more, closed := w.spool.take(commitBytes - w.size)
	for _, e := range events {
		w.size += eventSize(e)
	}
	w.batch = append(w.batch, events...)
	return more, closed && !more
}

func (w *logWriter) spoolClosed() bool {
	w.spool.mu.Lock()
	defer w.spool.mu.Unlock()
	return w.spool.closed
}

// commitDue commits the batch; what it returns fires when it is to be tried again.
func (w *logWriter) commitDue() <-chan time.Time {
	if w.commit() {
		return nil
	}
	return time.After(retryAfter)
}

func (w *logWriter) commit() bool {
	if len(w.batch) == 0 {
		return true
	}
	err := w.append()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return false
	}
	w.committed += int64(len(w.batch))
	clear(w.batch)
	w.batch, w.size = w.batch[:0], 0
	notify(w.progress)
	return true
}

// append takes a panic of the log as an error of it.
func (w *logWriter) append() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the log failed: %v", p)
		}
	}()
	return w.log.Append(w.batch)
}

// finish commits all that there is. The child is gone, so this may wait a little, but not for ever.
func (w *logWriter) finish() {
	for tries := 0; ; {
		more, _ := w.fill()
		if w.commit() {
			if !more {
				return
			}
			continue
		}
		if tries++; tries == lastTries {
			break
		}
		time.Sleep(lastWait)
	}
	w.mu.Lock()
	w.lost += outputBytes(w.batch)
	w.mu.Unlock()
	w.spool.drop()
}

func (w *logWriter) wait() { <-w.done }

// reached waits until n events are in the log. It gives false where they never will be: the numbers of the
// events in the log hold only while none was lost.
func (w *logWriter) reached(n int64, stop <-chan struct{}) bool {
	for {
		w.mu.Lock()
		ok := w.committed >= n
		w.mu.Unlock()
		switch {
		case w.lostBytes() > 0:
			return false
		case ok:
			return true
		case isClosed(w.done):
			return false
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
