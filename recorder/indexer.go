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
	tickMargin   = 20 * time.Millisecond  // waiting time for an event in transit when the Processor is due
	stopPatience = 5 * time.Second        // waiting time for an extractor that does not return
	updateEvery  = 200 * time.Millisecond // shortest time between updates while there is output
	updateShare  = 4                      // updates take at most this fraction (1/n) of the time
	takeAfter    = 20 * time.Millisecond  // waiting time for more events, so that the terminal gets the output first
)

// A flood is output of at least floodBytes in floodTime. The indexer waits for its end: recording
// needs the CPU, and most of the output leaves the screen at once.
const (
	floodBytes = 64 << 10
	floodTime  = 300 * time.Millisecond
	readSpeed  = 2 << 20 // bytes that can be read from the log in a second, at least
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
	mu     sync.Mutex // guards processor (against screen) and broken
	broken bool       // the processor has missed events

	telling sync.Mutex // held while callers learn about their keys; locked before mu

	processor *transcript.Processor
	echo      *echo.Echo
	seq       atomic.Int64  // bytes of output processed
	progress  chan struct{} // receives a value when seq has grown
	queue     *indexQueue
	log       Log // nil if there is nothing to catch up from
	index     Index
	catchUp   time.Duration // limit of how far it may be behind at the child's end
	counted   time.Time     // time of before
	before    int64         // bytes of output at counted, see outwait
	updated   time.Time
	took      time.Duration   // duration of the last update
	state     string          // state of the agent in it
	waits     bool            // changes wait for the next update
	unsaved   bool            // the index wants to be called again
	last      time.Duration   // time of the last event in the recording,
	seen      time.Time       // and when it was processed
	ctx       context.Context // done when the indexer must stop
	stop      context.CancelFunc
	done      chan struct{}
	err       error // first error; valid when done is closed
	complete  bool  // likewise: whether all events were processed
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

// wait waits until the indexer has ended, and stops it after limit. It reports whether all events
// were processed, and returns the first error, which is errStuck if the indexer does not stop.
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

// follow processes events until the recording has ended and all events are processed.
func (f *indexer) follow() error {
	for {
		select {
		case <-f.ctx.Done():
			return errStopped
		case <-f.next():
			if !f.queue.waiting() { // queued events come first
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

// next returns a channel that receives when tick is due without an event, or nil if it never is.
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

// due returns when the processor is due without an event.
func (f *indexer) due() (at time.Duration, ok bool) {
	f.locked(func() { at, ok = f.processor.Due() })
	return at, ok
}

// now returns the time in the recording, or a little less.
func (f *indexer) now() time.Duration { return f.last + time.Since(f.seen) }

// tick processes what is due without an event.
func (f *indexer) tick() {
	if at, ok := f.due(); ok && at+tickMargin <= f.now() {
		f.locked(func() { f.processor.Tick(at) })
	}
	f.carry()
}

// takeAll processes the queued events until there are none left.
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

// outwait waits for the end of a flood. It returns errStopped if the recording has ended and there
// is no time to read the rest.
func (f *indexer) outwait() error {
	total, missed := f.queue.total()
	if time.Since(f.counted) >= floodTime {
		f.counted, f.before = time.Now(), total
	}
	for flood := missed || total-f.before >= floodBytes; flood &&
		!isClosed(f.queue.ended); flood = total-f.before >= floodBytes {
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

// readOn processes the events from to to-1 of the log.
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
		if err := f.outwait(); err != nil { // the flood may continue
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

// leaveOut records that some events will not be processed.
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

// carry updates the index if the agent's state has changed or the last update is old enough.
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

// settleKeys decides about all keys that were typed before output byte seq. It waits at most limit
// until the processor reaches that byte. Keys undecided after that are not recorded.
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

// tellKeys calls the callers back with those of their keys that were shown, in order.
func (f *indexer) tellKeys() {
	f.telling.Lock()
	defer f.telling.Unlock()
	var judged []*echo.Keys
	f.locked(func() { judged = f.echo.Take() })
	f.echo.Tell(judged)
}

// screen calls read with the processor's screen and the number of output bytes that it shows. It
// returns false if the processor has missed events.
func (f *indexer) screen(read func(t *vterm.Term, seq int64)) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return false
	}
	read(f.processor.Screen(), f.processor.Offset())
	return true
}

// locked calls work while the processor is locked.
func (f *indexer) locked(work func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	work()
}

// update passes the changes to the index.
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
	err := f.index.Put(context.WithoutCancel(f.ctx), u) // even after stop: the changes were found in time
	if f.unsaved = errors.Is(err, session.ErrBusy); !f.unsaved {
		f.fail(err)
	}
}
