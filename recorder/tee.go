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
	log     Log         // may be nil: nothing is recorded
	queue   *indexQueue // may be nil: no index
	indexer *indexer    // nil if queue is
	host    Host        // may be nil: nobody else sees the session

	// Valid after finish has returned.
	end    time.Duration
	stuck  bool // the indexer did not end
	lost   int64
	logErr error

	read atomic.Int64 // bytes of output read from the child; they may not have been put yet

	mu     sync.Mutex // guards last and closed, and keeps the order of events the same everywhere
	last   time.Duration
	closed bool // the last event has been put
}

func newTee(ctx context.Context, o Options, c *child) *tee {
	t := &tee{started: o.Started, log: o.Log}
	if o.Index != nil {
		t.queue = newIndexQueue()
		t.indexer = startIndexer(ctx, o, c, t.queue)
	}
	return t
}

// setHost makes h get the events from now on. The Controls may have put some already.
func (t *tee) setHost(h Host) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.host = h
}

// now is the recording's clock, to the microsecond: what is finer is noise, and takes room.
func (t *tee) now() time.Duration { return time.Since(t.started).Truncate(time.Microsecond) }

// output records what the child wrote, and when it was read.
func (t *tee) output(at time.Duration, data []byte) {
	t.put(session.Event{At: at, Kind: session.Output, Data: data})
}

// place returns the moment, and the number of bytes of output before it. What the user may have
// seen is among them.
func (t *tee) place() (at time.Duration, seq int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(t.last, t.now()), t.read.Load()
}

// input records what was typed.
func (t *tee) input(keys []byte) {
	if len(keys) == 0 {
		return
	}
	t.put(session.Event{At: t.now(), Kind: session.Input, Data: keys})
}

// resize records the window's new size, in cells.
func (t *tee) resize(cols, rows int) {
	t.put(session.Event{At: t.now(), Kind: session.Resize, Cols: cols, Rows: rows})
}

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
	if t.queue != nil {
		t.queue.put(e)
	}
	if t.host != nil {
		t.host.Event(e)
	}
}

// settleKeys records the keys that are still waiting to be seen on the screen.
func (t *tee) settleKeys(limit time.Duration) {
	if t.indexer != nil {
		_, seq := t.place()
		t.indexer.settleKeys(seq, limit)
	}
}

// finish puts the last event. It waits until the indexer has processed it, or until catchUp is
// over, and then until the log has stored everything.
func (t *tee) finish(e session.Event, catchUp time.Duration) {
	e.At = t.now()
	t.put(e)
	t.end = t.last
	if t.queue != nil {
		t.queue.close()
	}
	if t.indexer != nil {
		t.stuck = !t.indexer.wait(catchUp)
	}
	if t.log != nil {
		t.lost, t.logErr = t.log.Close()
	}
}

func (t *tee) indexErr() error {
	if t.indexer == nil {
		return nil
	}
	if t.stuck {
		return errStuck
	}
	return t.indexer.err
}

func (t *tee) behind() bool { return t.indexer != nil && (t.stuck || !t.indexer.complete) }
