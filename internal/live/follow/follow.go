// Package follow serves a session that another process records from its raw log, in the way in
// which package live serves one of this process. Viewers use the same protocol, but cannot type.
//
// It is used for the commands that programs run, because their hosts only record.
package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/vterm"
)

// Options are the options of Connect. Store and Reader are required.
type Options struct {
	Store  *sqlite.Store
	Reader func(s session.Session) Reader
	Server string // "ptyrec 1.2.3"
}

const (
	poll      = 100 * time.Millisecond // interval at which the raw log is read
	lookShare = 4                      // reading takes at most 1/lookShare of the time
	entryTime = 500 * time.Millisecond // interval at which changed entries are sent
)

// watched is the error for a viewer that wants to type.
const watched = "the input of a command belongs to the program that runs it"

// Connect returns a connection to a session that is being recorded, for frames of package protocol.
// The caller sends first, and must close it. ref is the session's id or the start of it. The error
// wraps session.ErrNotFound if no running command has it.
func Connect(ctx context.Context, o Options, ref string) (io.ReadWriteCloser, error) {
	info, err := o.Store.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	if info.Status != store.Live || info.Process == "" {
		return nil, fmt.Errorf("live %w: %s", session.ErrNotFound, ref)
	}
	ctx = context.WithoutCancel(ctx)
	t := &feeder{Options: o, info: info}
	if info.Piped() {
		t.offset = info.RawBytes // earlier output is in the raw log
	}
	t.paint(ctx)
	t.host = live.New(live.Options{
		Session: info.Session, Server: o.Server, Screen: t.screen, Before: t.offset, Watched: watched, Past: t.past,
		Entries: t.entries,
	})
	if !info.Piped() { // the size of a window is known from its changes
		t.output(ctx)
	}
	return Serve(ctx, t.host, t.follow), nil
}

// Serve returns the connection of the only viewer of a host, as Connect does. feed feeds the host
// until ctx ends, when the viewer leaves, or until the session ends; it reports whether it has seen
// that end. Otherwise the connection is closed.
func Serve(ctx context.Context, host *live.Host, feed func(ctx context.Context) (over bool)) io.ReadWriteCloser {
	ctx, cancel := context.WithCancel(ctx)
	near, far := net.Pipe()
	var feeding sync.WaitGroup
	feeding.Go(func() {
		if !feed(ctx) {
			_ = far.Close()
		}
	})
	c := &conn{Conn: near}
	c.serving.Go(func() {
		host.ServeConn(far)
		cancel()
		feeding.Wait()
		host.Close()
	})
	return c
}

// conn is the viewer's end. Close waits until it is no longer served.
type conn struct {
	net.Conn
	serving sync.WaitGroup
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.serving.Wait()
	return err
}

// feeder feeds a Host with what is new in a raw log.
type feeder struct {
	Options
	host   *live.Host
	info   *store.Info
	offset int64 // offset of the next output for the Host, in bytes

	term *vterm.Term // the screen before the Host began; does not change after paint
	seen int64       // number of output bytes that it shows

	event int64         // with a PTY: number of the next event
	start int64         // number of output bytes before it
	at    time.Duration // time of the last event that was fed

	mu   sync.Mutex // guards the fields below
	said *Entries   // nil if the viewer wants no entries
	sent time.Time  // time when entries were last sent
}

// screenful is how much of the end of a pipe's output the screen shows, in bytes.
const screenful = 64 << 10

// paint draws the screen as it was before the Host began.
func (t *feeder) paint(ctx context.Context) {
	t.term = vterm.New(vterm.Options{Cols: t.info.Cols, Rows: t.info.Rows})
	if t.info.Piped() {
		t.seen = max(0, t.offset-screenful)
	}
	_ = t.past(ctx, t.seen, func(seq int64, e session.Event) error { // gaps are skipped
		data := e.Data
		switch {
		case e.Kind == session.Resize:
			t.term.Resize(e.Cols, e.Rows)
			return nil
		case t.info.Piped():
			if seq >= t.offset {
				return nil
			}
			data = session.TerminalLines(data[:min(int64(len(data)), t.offset-seq)])
			t.seen = seq + min(int64(len(e.Data)), t.offset-seq)
		default:
			t.seen = seq + int64(len(data))
		}
		_, _ = t.term.Write(data) // never fails
		return nil
	})
}

// follow feeds the Host until the session is over or the viewer has left. It returns true if the
// session is over.
func (t *feeder) follow(ctx context.Context) (ended bool) {
	for ctx.Err() == nil {
		begun := time.Now()
		info, err := t.Store.Find(ctx, t.info.ID) // before reading events, so that none is missed at the end
		over := err == nil && info.Status != store.Live || errors.Is(err, session.ErrNotFound)
		if err == nil && (over || info.RawBytes > t.offset || info.Duration > t.at) {
			t.output(ctx)
			t.at = info.Duration
		}
		t.update(ctx, over)
		if over {
			t.end(info)
			return true
		}
		select {
		case <-time.After(max(poll, lookShare*time.Since(begun))):
		case <-ctx.Done():
		}
	}
	return false
}

// end feeds the Host with the end of the session.
func (t *feeder) end(info *store.Info) {
	status := -1 // unknown
	if info != nil && info.ExitCode != nil {
		status = *info.ExitCode
	}
	t.host.Finish()
	t.host.Event(session.Event{Kind: session.Exit, Status: status})
}

// output feeds the Host with new output and sizes. After a read error, the next call tries again.
func (t *feeder) output(ctx context.Context) {
	if t.info.Piped() {
		for e, err := range t.Store.OutputFrom(ctx, t.info.ID, t.offset) {
			if isDamage(err) {
				continue // the offset of the next one shows the gap
			}
			if err != nil {
				return
			}
			t.feed(e)
		}
		return
	}
	for e, err := range t.Store.EventsFrom(ctx, t.info.ID, store.From{Event: t.event}) {
		if d := (*store.Damage)(nil); errors.As(err, &d) {
			t.event, t.start = d.EndEvent, d.EndByte
			continue
		}
		if err != nil {
			return
		}
		t.event++
		switch e.Kind {
		case session.Output:
			t.feed(store.Placed{Offset: t.start, Event: e})
			t.start += int64(len(e.Data))
		case session.Resize:
			t.host.Event(e)
		}
	}
}

// feed feeds the Host with output. Lost bytes before it become NUL, which a terminal ignores,
// because viewers count all bytes.
func (t *feeder) feed(e store.Placed) {
	for t.offset < e.Offset {
		lost := make([]byte, min(e.Offset-t.offset, maxLost))
		t.host.Event(session.Event{Kind: session.Output, At: e.At, Data: lost})
		t.offset += int64(len(lost))
	}
	t.host.Event(e.Event)
	t.offset += int64(len(e.Data))
}

// maxLost is the maximum number of lost bytes to feed at a time.
const maxLost = 1 << 20

func isDamage(err error) bool {
	var d *store.Damage
	return errors.As(err, &d)
}

// past implements live.Options.Past.
func (t *feeder) past(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error {
	for e, err := range t.Store.OutputFrom(ctx, t.info.ID, from) {
		if isDamage(err) {
			continue // the offset of the next one shows the gap
		}
		if err != nil {
			return err
		}
		if err := fn(e.Offset, e.Event); err != nil {
			return err
		}
	}
	return nil
}

// entries implements live.Options.Entries. After it, the viewer receives the entries that change.
func (t *feeder) entries(ctx context.Context, after int) ([]*session.Entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.said == nil {
		t.said = NewEntries(t.Store, t.info.ID, t.Reader(t.info.Session))
	}
	_, _, err := t.said.Read(ctx, false)
	return t.said.After(after), err
}

// update sends the entries that have changed, if the viewer wants them.
func (t *feeder) update(ctx context.Context, over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.said == nil || !over && time.Since(t.sent) < entryTime {
		return
	}
	changed, gone, err := t.said.Read(ctx, over)
	if err != nil || len(changed)+len(gone) == 0 {
		return // the next call tries again
	}
	t.sent = time.Now()
	t.host.Update(protocol.Entries{Entries: changed, Gone: gone, Title: t.info.Title, Agents: t.info.Agents})
}

// screen implements live.Options.Screen.
func (t *feeder) screen(read live.ReadScreen) bool {
	read(t.term, t.seen)
	return true
}
