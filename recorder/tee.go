package recorder

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// tee copies the raw events to the log and to the indexer. It never waits for either and does not
// keep the caller's data.
type tee struct {
	started time.Time
	log     Log      // nil without a recording
	indexer *indexer // nil without an index
	host    Host     // nil without viewers

	read atomic.Int64 // bytes of output read from the child; they may not have been put yet

	mu     sync.Mutex // guards last and closed, and keeps the order of events the same everywhere
	last   time.Duration
	closed bool // the last event has been put
}

func newTee(ctx context.Context, o Options, c *child) *tee {
	t := &tee{started: o.Started, log: o.Log}
	if o.Index != nil {
		t.indexer = startIndexer(ctx, o, c)
	}
	return t
}

// setHost makes h receive events from now on. The Controls may have added some already.
func (t *tee) setHost(h Host) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.host = h
}

// now returns the recording's time, in microseconds: a finer resolution is noise, and takes space.
func (t *tee) now() time.Duration { return time.Since(t.started).Truncate(time.Microsecond) }

// place returns the current time, and the number of output bytes before it, including all that the
// user may have seen.
func (t *tee) place() (at time.Duration, seq int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(t.last, t.now()), t.read.Load()
}

// input records keys.
func (t *tee) input(keys []byte) {
	if len(keys) == 0 {
		return
	}
	t.put(session.Event{At: t.now(), Kind: session.Input, Data: keys})
}

// put adds an event. The first one that is an Exit is the last.
func (t *tee) put(e session.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = e.Kind == session.Exit
	t.last = max(t.last, e.At)
	e.At = t.last
	if t.log != nil {
		t.log.Put(e)
	}
	if t.indexer != nil {
		t.indexer.queue.put(e)
	}
	if t.host != nil {
		t.host.Event(e)
	}
}

// finish adds the last event. It waits until the indexer has processed it or catchUp is over, and
// then until the log has stored everything.
func (t *tee) finish(status int, catchUp time.Duration) Result {
	t.put(session.Event{At: t.now(), Kind: session.Exit, Status: status})
	r := Result{Status: status, Duration: t.last}
	if t.indexer != nil {
		t.indexer.queue.close()
		var complete bool
		complete, r.IndexErr = t.indexer.wait(catchUp)
		r.Behind = !complete
	}
	if t.log != nil {
		r.Lost, r.LogErr = t.log.Close()
	}
	return r
}
