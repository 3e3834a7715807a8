package recorder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/recorder/echo"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

const (
	tickMargin   = 20 * time.Millisecond  // for an event that is on its way when the Processor's time seems to have come
	stopPatience = 5 * time.Second        // with an extractor that does not return
	updateEvery  = 200 * time.Millisecond // at most, while the output goes on
	updateShare  = 4                      // updates take at most one part in this many of the time
	takeAfter    = 20 * time.Millisecond  // an event waits for others: it is on its way to the terminal, which comes first
)

// A flood is output of at least floodBytes within floodTime. The indexer waits for its end: during
// a flood, recording needs the CPU, and most of what could be read leaves the screen at once.
const (
	floodBytes = 64 << 10
	floodTime  = 300 * time.Millisecond
	readSpeed  = 2 << 20 // bytes that are surely read from the log in a second
)

var (
	errStopped   = errors.New("stopped")
	errLeftOut   = errors.New("a part of the output was not extracted: the log does not have it")
	errCaughtUp  = errors.New("caught up")
	errStuck     = errors.New("the extraction does not end")
	errExtractor = errors.New("the extraction failed")
)

// indexer runs the Processor on a live session and writes its updates to the Index. An error or a
// panic in the Processor or the Index ends the indexer, not the recording.
type indexer struct {
	mu     sync.Mutex // guards processor against screen, and broken
	broken bool       // the processor has not seen all

	telling sync.Mutex // held while callers are told about their keys; locked before mu

	processor *transcript.Processor
	echo      *echo.Echo
	seq       atomic.Int64  // bytes of output processed
	progress  chan struct{} // receives a value when seq has grown
	queue     *indexQueue
	log       Log // may be nil: nothing to catch up from
	index     Index
	catchUp   time.Duration // what is behind the child's end by more is not begun
	counted   time.Time     // when before was
	before    int64         // bytes of output then, see outwait
	updated   time.Time
	took      time.Duration   // duration of the last update
	state     string          // what the agent did then
	waits     bool            // changes wait for the next one
	unsaved   bool            // the index wants to be called again
	last      time.Duration   // when the last event was, in the session's time,
	seen      time.Time       // and when it was processed
	ctx       context.Context // done when the indexer must stop
	stop      context.CancelFunc
	done      chan struct{}
	err       error // the first; holds when done is closed
	complete  bool  // likewise: all events were processed
}

func startIndexer(ctx context.Context, o Options, c *child) *indexer {
	cols, rows := o.window()
	f := &indexer{
		processor: transcript.NewProcessor(transcript.ProcessorOptions{
			Cols: cols, Rows: rows, Started: o.Started, SessionID: o.SessionID, Command: o.Command,
		}),
		echo: echo.New(c.foreground), progress: make(chan struct{}, 1),
		queue: newIndexQueue(), log: o.Log, index: o.Index, catchUp: o.CatchUp, done: make(chan struct{}),
	}
	f.ctx, f.stop = context.WithCancel(ctx)
	go f.run()
	return f
}

// wait waits for the indexer, and after limit stops it. It reports whether all events were
// processed, and returns the first error, which is errStuck if the indexer does not even stop.
func (f *indexer) wait(limit time.Duration) (complete bool, err error) {
	for _, patience := range []time.Duration{limit, stopPatience} {
		select {
		case <-f.done:
			return f.complete, f.err
		case <-time.After(patience):
		}
		f.stop()
	}
	return false, errStuck
}

func (f *indexer) run() {
	defer close(f.done)
	defer func() {
		if p := recover(); p != nil {
			f.locked(func() { f.broken = true })
			f.fail(fmt.Errorf("%w: %v", errExtractor, p))
		}
	}()
	err := f.follow()
	if err == nil {
		f.processor.Close(f.last)
		f.update()
		f.complete = f.err == nil
	}
	if !errors.Is(err, errStopped) {
		f.fail(err)
	}
}

func (f *indexer) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// follow returns nil when it has processed all there is.
func (f *indexer) follow() error {
	for {
		select {
		case <-f.ctx.Done():
			return errStopped
		case <-f.next():
			if !f.queue.waiting() { // what is queued came before
				f.tick()
			}
			continue
		case <-f.queue.ready:
		}
		for late := time.After(takeAfter); late != nil && !f.queue.plenty(); {
			select {
			case <-f.queue.ready:
			case <-late:
				late = nil
			}
		}
		if closed, err := f.takeAll(); err != nil || closed {
			return err
		}
		f.seen = time.Now()
	}
}

// next returns when to call tick if no event comes; nil: not at all.
func (f *indexer) next() <-chan time.Time {
	at, ok := f.due()
	wait := at - f.now() + tickMargin
	if change := f.pause() - time.Since(f.updated); (f.waits || f.unsaved) && (!ok || change < wait) {
		wait, ok = change, true
	}
	if !ok {
		return nil
	}
	return time.After(wait)
}

// due returns when the processor has something to do if no event comes.
func (f *indexer) due() (at time.Duration, ok bool) {
	f.locked(func() { at, ok = f.processor.Due() })
	return at, ok
}

// now returns the session's time, or one shortly before it.
func (f *indexer) now() time.Duration { return f.last + time.Since(f.seen) }

// tick does what has become due without an event.
func (f *indexer) tick() {
	if at, ok := f.due(); ok && at+tickMargin <= f.now() {
		f.locked(func() { f.processor.Tick(at) })
	}
	f.carry()
}

// takeAll processes what there is, until nothing is left.
func (f *indexer) takeAll() (closed bool, err error) {
	for {
		if err := f.outwait(); err != nil {
			return false, err
		}
		events, from, to, closed := f.queue.take()
		for _, e := range events {
			if err := f.process(e); err != nil {
				return closed, err
			}
		}
		if from < to {
			if err := f.readOn(from, to); err != nil {
				return closed, err
			}
		} else if len(events) == 0 {
			return closed, nil
		}
	}
}

// outwait returns when there is no flood. It returns errStopped if the recording has ended and the
// rest cannot be read in time.
func (f *indexer) outwait() error {
	total, missed := f.queue.total()
	if time.Since(f.counted) >= floodTime {
		f.counted, f.before = time.Now(), total
	}
	for flood := missed || total-f.before >= floodBytes; flood && !isClosed(f.queue.ended); flood = total-f.before >= floodBytes {
		select {
		case <-f.ctx.Done():
			return errStopped
		case <-f.queue.ended:
		case <-time.After(floodTime):
		}
		f.counted, f.before = time.Now(), total
		total, _ = f.queue.total()
	}
	if isClosed(f.queue.ended) && float64(total-f.seq.Load()) > f.catchUp.Seconds()*readSpeed {
		return errStopped
	}
	return nil
}

// readOn processes the events [from, to) from the log.
func (f *indexer) readOn(from, to int64) error {
	if f.log == nil {
		f.leaveOut()
		return nil
	}
	if f.log.Settle(f.ctx) != nil {
		return errStopped
	}
	err := f.log.Replay(f.ctx, from, func(number int64, e session.Event) error {
		if number > from {
			f.leaveOut()
		}
		if from = number + 1; number >= to {
			return errCaughtUp
		}
		if err := f.outwait(); err != nil { // it may go on
			return err
		}
		return f.process(e)
	})
	if err == nil && from < to {
		f.leaveOut()
	}
	switch {
	case errors.Is(err, errCaughtUp):
		return nil
	case err != nil && f.ctx.Err() != nil:
		return errStopped
	}
	return err
}

// leaveOut records that some events will never be processed.
func (f *indexer) leaveOut() {
	f.fail(errLeftOut)
	f.locked(func() { f.broken = true })
}

func (f *indexer) process(e session.Event) error {
	if f.ctx.Err() != nil {
		return errStopped
	}
	f.locked(func() { f.echo.Feed(f.processor, e) })
	f.tellKeys()
	f.seq.Store(f.processor.Offset())
	notify(f.progress)
	f.last = e.At
	f.carry()
	return nil
}

// carry carries the changes to the index, at once if the agent's state has changed, otherwise if
// the last time was not just now.
func (f *indexer) carry() {
	var state string
	f.locked(func() { state = f.processor.State() })
	f.waits = state == f.state && time.Since(f.updated) < f.pause()
	if !f.waits {
		f.update()
	}
}

// pause is how long the next update waits for more changes.
func (f *indexer) pause() time.Duration { return max(updateEvery, updateShare*f.took) }

// settleKeys judges all keys that were typed before byte seq of the output. It waits at most limit
// for the processor to reach that byte. Keys still pending then are not recorded.
func (f *indexer) settleKeys(seq int64, limit time.Duration) {
	late := time.After(limit)
	for f.echo.Waiting() && f.seq.Load() < seq {
		select {
		case <-f.progress:
		case <-f.done:
			return
		case <-late:
			return
		}
	}
	f.locked(func() { f.echo.Close(f.processor) })
	f.tellKeys()
}

// tellKeys tells callers which of their keys were shown, in the order in which the keys were
// judged.
func (f *indexer) tellKeys() {
	f.telling.Lock()
	defer f.telling.Unlock()
	var judged []*echo.Keys
	f.locked(func() { judged = f.echo.Take() })
	f.echo.Tell(judged)
}

// screen calls read with the processor's screen and the number of bytes that it has seen. It
// returns false if that is not the session's screen.
func (f *indexer) screen(read func(t *vterm.Term, seq int64)) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return false
	}
	read(f.processor.Screen(), f.processor.Offset())
	return true
}

// locked works with the processor.
func (f *indexer) locked(work func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	work()
}

// update carries the changes to the index.
func (f *indexer) update() {
	began := time.Now()
	defer func() { f.updated, f.took = time.Now(), time.Since(began) }()
	var u Update
	f.locked(func() {
		f.state = f.processor.State()
		u.Entries, u.Gone = f.processor.Changes()
		f.processor.Forget()
		u.Agents, u.Title, u.Usage = f.processor.Agents(), f.processor.Title(), f.processor.Usage()
	})
	if len(u.Entries)+len(u.Gone) == 0 && !f.unsaved {
		return
	}
	err := f.index.Put(context.WithoutCancel(f.ctx), u) // also after stop: it was found in time
	if f.unsaved = errors.Is(err, session.ErrBusy); !f.unsaved {
		f.fail(err)
	}
}
