package library

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// Past reads stored sessions for servers. It limits how many requests replay a raw log at the same
// time. Its methods may be called concurrently.
type Past struct {
	*Library
	patience time.Duration // how long Page waits for an extraction

	turns chan struct{} // limits the requests that replay a raw log and wait for it
	slots chan struct{} // limits the extractions

	ctx     context.Context // of the extractions
	stop    context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex             // guards the fields below
	readings map[string]*background // by session id
	readOut  chan struct{}          // closed when ReadOut is done; nil if it was never called
	readAt   time.Time              // when that started
}

// background is an extraction that continues when no request waits for it.
type background struct {
	*reading
	done chan struct{}
	err  error // valid once done is closed
	size int64 // output bytes of the raw log at its start
	used time.Time
}

// NewPast returns a Past that reads from l. The caller must Close it.
func NewPast(l *Library) *Past {
	cached := *l
	cached.masks = &masks{limit: masksSize}
	v := &Past{
		Library: &cached, patience: readPatience, turns: make(chan struct{}, runtime.NumCPU()),
		slots:    make(chan struct{}, runtime.NumCPU()),
		readings: map[string]*background{},
	}
	v.ctx, v.stop = context.WithCancel(context.Background())
	return v
}

// Close stops the extractions.
func (v *Past) Close() error {
	v.stop()
	v.running.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	var err error
	for _, r := range v.readings {
		err = errors.Join(err, r.Close())
	}
	clear(v.readings)
	return err
}

// Turn waits until the caller may replay a raw log. leave must be called afterwards.
func (v *Past) Turn(ctx context.Context) (leave func(), err error) {
	select {
	case v.turns <- struct{}{}:
		return func() { <-v.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readPatience is how long Page usually waits for a session to be read.
const readPatience = time.Second

// Page implements server.Past. If the session is not completely extracted, it does that first. If
// that takes long, it returns the entries extracted so far.
func (v *Past) Page(ctx context.Context, info *store.Info, span store.Span) (store.Page, *store.Reading, error) {
	switch {
	case info.Status == store.Live && info.Process != "":
		t, err := v.Transcript(ctx, info)
		if err != nil {
			return store.Page{}, nil, err
		}
		return store.PageOf(t.Entries, span), nil, nil
	case info.Beside || info.Unread && info.Status != store.Live:
		r, err := v.read(ctx, info)
		if err != nil {
			return store.Page{}, nil, err
		}
		if r == nil {
			break
		}
		page, state, kept, err := r.wait(ctx, v.patience, span)
		if kept || err != nil && !errors.Is(err, session.ErrCorrupt) {
			return page, state, err
		}
	}
	page, err := v.Store.Page(ctx, info.ID, span)
	if errors.Is(err, session.ErrCorrupt) {
		var t *session.Transcript
		if t, err = v.Transcript(ctx, info); err == nil {
			return store.PageOf(t.Entries, span), nil, nil
		}
		return store.Page{}, nil, err
	}
	r, _ := v.Redact.Of(info.Command)
	page.Entries = r.Entries(page.Entries, nil)
	return page, nil, err
}

// read returns the extraction of a session, and starts it if necessary. It returns nil if the
// session was extracted meanwhile.
func (v *Past) read(ctx context.Context, info *store.Info) (*background, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.readings[info.ID]; r != nil && (r.size == info.RawBytes || !r.finished()) {
		r.used = time.Now()
		return r, nil
	}
	info, err := v.Store.Find(ctx, info.ID)
	if err != nil || !info.Beside && !info.Unread {
		return nil, err
	}
	copied := *info
	x, err := v.newReading(&copied)
	if err != nil {
		return nil, err
	}
	v.trim()
	r := &background{reading: x, done: make(chan struct{}), size: info.RawBytes, used: time.Now()}
	v.readings[info.ID] = r
	v.running.Go(func() {
		defer close(r.done)
		select {
		case v.slots <- struct{}{}:
			r.err = r.readOut(v.ctx)
			<-v.slots
		case <-v.ctx.Done():
			r.err = v.ctx.Err()
		}
		if r.err != nil || !copied.Unread {
			v.forget(r) // the next request reads the database
		}
	})
	return r, nil
}

// forget drops an extraction. Its file is freed when no request reads it any more.
func (v *Past) forget(r *background) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.readings[r.info.ID] == r {
		delete(v.readings, r.info.ID)
	}
}

// mostReadings is the maximum number of extractions to keep that could not be saved in the
// database.
const mostReadings = 16

// trim drops the extraction that was not used for the longest time, if there are too many. mu must
// be held.
func (v *Past) trim() {
	var oldest *background
	for _, r := range v.readings {
		if r.finished() && (oldest == nil || r.used.Before(oldest.used)) {
			oldest = r
		}
	}
	if len(v.readings) >= mostReadings && oldest != nil {
		delete(v.readings, oldest.info.ID)
	}
}

// finished reports whether everything has been extracted and saved.
func (r *background) finished() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// wait returns a page once everything is extracted, or what there is after patience. kept is false
// if the page is in the database.
func (r *background) wait(ctx context.Context, patience time.Duration, span store.Span) (page store.Page,
	state *store.Reading, kept bool, err error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-r.done:
		if r.err != nil || !r.info.Unread {
			return store.Page{}, nil, false, r.err
		}
	case <-r.over:
	case <-late.C:
	case <-ctx.Done():
		return store.Page{}, nil, true, ctx.Err()
	}
	page, state, err = r.page(span)
	return page, state, true, err
}

// readAgain is the minimum interval between two searches of ReadOut.
const readAgain = 2 * time.Second

// ReadOut implements mcp.Past. The extraction continues if the caller stops waiting.
func (v *Past) ReadOut(ctx context.Context) error {
	done := v.startReadOut()
	late := time.NewTimer(v.patience)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// startReadOut starts to extract the sessions that have ended. It returns a channel that is closed
// when that is done.
func (v *Past) startReadOut() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.readOut != nil {
		select {
		case <-v.readOut:
			if time.Since(v.readAt) < readAgain {
				return v.readOut
			}
		default:
			return v.readOut
		}
	}
	done := make(chan struct{})
	v.readOut, v.readAt = done, time.Now()
	v.running.Go(func() {
		defer close(done)
		sys.LowestPriority() // recorders have priority

		_ = v.ReadOutAll(v.ctx, store.Filter{}) // Page repeats what was not saved; an unreadable session has no entries
	})
	return done
}

// Screen implements server.Past.
func (v *Past) Screen(ctx context.Context, info *store.Info, at float64) (screen.Screen, int64, error) {
	if err := Recorded(info); err != nil {
		return screen.Screen{}, 0, err
	}
	leave, err := v.Turn(ctx)
	if err != nil {
		return screen.Screen{}, 0, err
	}
	defer leave()
	source, err := v.Masked(ctx, info)
	if err != nil {
		return screen.Screen{}, 0, err
	}
	defer source.Stop()
	counted := &countingSource{EventSource: source, until: at}
	s, err := archive.ScreenAt(counted, vterm.Options{Cols: info.Cols, Rows: info.Rows},
		(&human.Moment{Given: true, Seconds: at}).Duration())
	return s, counted.bytes, err
}

// countingSource counts the output up to a moment, in seconds.
type countingSource struct {
	archive.EventSource
	until float64
	bytes int64
}

// Next returns the next event.
func (c *countingSource) Next() (session.Event, error) {
	e, err := c.EventSource.Next()
	if err == nil && e.Kind == session.Output && e.At.Seconds() <= c.until {
		c.bytes += int64(len(e.Data))
	}
	return e, err
}
