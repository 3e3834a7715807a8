package main

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/screen"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// past reads stored sessions for the server, as export and screen do. Only so many at a time replay
// a raw log.
type past struct {
	a     *app
	db    *store.Store
	turns chan struct{}
}

func newPast(a *app, db *store.Store) *past {
	return &past{a: a, db: db, turns: make(chan struct{}, runtime.NumCPU())}
}

// turn waits for its turn; leave must be called.
func (v *past) turn(ctx context.Context) (leave func(), err error) {
	select {
	case v.turns <- struct{}{}:
		return func() { <-v.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Page implements server.Past. A session that was cut off is read out first.
func (v *past) Page(ctx context.Context, info *store.Info, span store.Span) (store.Page, error) {
	if !info.Beside && (!info.Unread || info.Status == store.Live && info.Process == "") {
		page, err := v.db.Page(ctx, info.ID, span)
		if !errors.Is(err, session.ErrCorrupt) {
			r, redactErr := v.a.redaction()
			r, _ = r.of(info.Command)
			page.Entries = r.entries(page.Entries, nil)
			return page, errors.Join(err, redactErr)
		}
	}
	leave, err := v.turn(ctx)
	if err != nil {
		return store.Page{}, err
	}
	defer leave()
	if info, err = v.db.Find(ctx, info.ID); err != nil { // it may have been read out meanwhile
		return store.Page{}, err
	}
	t, err := storedTranscript(ctx, v.a, v.db, info)
	if err != nil {
		return store.Page{}, err
	}
	return store.PageOf(t.Entries, span), nil
}

// Screen implements server.Past.
func (v *past) Screen(ctx context.Context, info *store.Info, at float64) (screen.Screen, int64, error) {
	leave, err := v.turn(ctx)
	if err != nil {
		return screen.Screen{}, 0, err
	}
	defer leave()
	source, err := newOutgoing(ctx, v.a, v.db, info)
	if err != nil {
		return screen.Screen{}, 0, err
	}
	defer source.stop()
	o := screenOptions{widths: "graphemes"}
	counted := &countingSource{eventSource: source, until: at}
	s, err := o.play(info.Cols, info.Rows, counted, (&cli.Moment{Given: true, Seconds: at}).Duration())
	return s, counted.bytes, err
}

// Export implements server.Past.
func (v *past) Export(ctx context.Context, w io.Writer, format string, info *store.Info) error {
	if !slices.Contains(formatNames(), format) {
		return errors.New("unknown format " + format)
	}
	leave, err := v.turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return exporter{v.a, v.db, cli.Moment{}, archive.Ref{}}.write(ctx, w, format, info)
}

// countingSource counts the output up to a moment, in seconds.
type countingSource struct {
	eventSource
	until float64
	bytes int64
}

// Next returns the next event.
func (c *countingSource) Next() (session.Event, error) {
	e, err := c.eventSource.Next()
	if err == nil && e.Kind == session.Output && e.At.Seconds() <= c.until {
		c.bytes += int64(len(e.Data))
	}
	return e, err
}
