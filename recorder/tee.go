package recorder

import (
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// tee hands copies of the raw events to the log writer and to the follower. Handing over never waits for either, and
// afterwards the data is the giver's again.
type tee struct {
	started  time.Time
	spool    *spool
	feed     *feed
	writer   *logWriter // nil: no log
	follower *follower  // nil: no index
	host     Host       // nil: nobody else sees the session

	stuck bool // the follower never ended

	mu   sync.Mutex // guards the fields below, and keeps the events in one order in both queues
	last time.Duration
	seen int64 // bytes of output
	end  time.Duration

	closed bool // the last event was put
}

func newTee(o Options, c *child) *tee {
	t := &tee{started: o.Started}
	if o.Log != nil {
		t.spool = newSpool(o.Spool)
		t.writer = startLogWriter(o.Log, t.spool)
	}
	if o.Index != nil {
		t.feed = newFeed()
		t.follower = startFollower(o, c, t.feed, t.writer)
	}
	return t
}

// now is the recording's clock, to the microsecond: what is finer is noise, and takes room.
func (t *tee) now() time.Duration { return time.Since(t.started).Truncate(time.Microsecond) }

// output records what the child wrote, and when it was read.
func (t *tee) output(at time.Duration, data []byte) {
	t.put(session.Event{At: at, Kind: session.Output, Data: data})
}

// place returns the moment, and the number of bytes of output before it.
func (t *tee) place() (at time.Duration, seq int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(t.last, t.now()), t.seen
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
	if e.Kind == session.Output {
		t.seen += int64(len(e.Data))
	}
	if t.spool != nil {
		t.spool.put(e)
	}
	if t.feed != nil {
		t.feed.put(e)
	}
	if t.host != nil {
		t.host.Event(e)
	}
}

// settleKeys records what is still waiting to be seen on the screen.
func (t *tee) settleKeys(limit time.Duration) {
	if t.follower != nil {
		_, seq := t.place()
		t.follower.settleKeys(seq, limit)
	}
}

// finish records the last event and waits until all of it is in the log, and for the follower until it is done, or catchUp has passed.
func (t *tee) finish(e session.Event, catchUp time.Duration) {
	e.At = t.now()
	t.put(e)
	t.end = t.last
	if t.feed != nil {
		t.feed.close()
	}
	if t.spool != nil {
		t.spool.close()
		t.writer.wait()
	}
	if t.follower != nil {
		t.stuck = !t.follower.wait(catchUp)
	}
}

func (t *tee) lostBytes() int64 {
	if t.writer == nil {
		return 0
	}
	return t.writer.lostBytes()
}

func (t *tee) logErr() error {
	if t.writer == nil {
		return nil
	}
	return t.writer.firstErr()
}

func (t *tee) indexErr() error {
	if t.follower == nil {
		return nil
	}
	if t.stuck {
		return errStuck
	}
	return t.follower.err
}

func (t *tee) behind() bool { return t.follower != nil && (t.stuck || !t.follower.complete) }
