// Package follow shows a session that another process records, from its raw log, as package live
// shows one of this process. Viewers speak the same protocol, but nobody can type.
//
// The commands that programs run are followed so: their hosts only record.
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

// Options say how to follow a session. Store and Reader are required.
type Options struct {
	Store  *sqlite.Store
	Reader func(s session.Session) Reader
	Server string // "ptyrec 1.2.3"
}

const (
	poll      = 100 * time.Millisecond // how often the raw log is looked at,
	lookShare = 4                      // but looking takes at most 1/lookShare of the time
	entryTime = 500 * time.Millisecond // how often entries that change are sent
)

// watched is what a viewer is told who wants to type.
const watched = "the input of a command belongs to the program that runs it"

// Connect returns a connection to a session that is being recorded, on which frames of package
// protocol go both ways; the caller speaks first, and must close it. ref is its id or a beginning
// of it. The error wraps session.ErrNotFound if no command of a program has that and runs.
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
		t.offset = info.RawBytes // what came before is in the raw log
	}
	t.paint(ctx)
	t.host = live.New(live.Options{
		Session: info.Session, Server: o.Server, Screen: t.screen, Before: t.offset, Watched: watched, Past: t.past, Entries: t.entries,
	})
	if !info.Piped() { // a window's size is known from its changes
		t.output(ctx)
	}
	return Serve(ctx, t.host, t.follow), nil
}

// Serve returns the connection of the only viewer of a host, as Connect does. feed feeds the host
// until ctx ends, which the viewer's leaving does, or the session, and reports whether it has seen
// that end. Otherwise the connection is cut.
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

// conn is the viewer's end. Close waits until nobody serves it any more.
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
	offset int64 // of the output that the Host gets next

	term *vterm.Term // the screen before the Host began; after paint it does not change
	seen int64       // output that it shows, in bytes

	event int64         // with a PTY: number of the event that comes next
	start int64         // output before that, in bytes
	at    time.Duration // of the last event that is fed

	mu   sync.Mutex // guards the fields below
	said *Entries   // nil: the viewer wants none
	sent time.Time  // of the newest entries
}

// screenful is how much of the end of a pipe's output makes the screen, in bytes.
const screenful = 64 << 10

// paint makes the screen as it is before the Host begins.
func (t *feeder) paint(ctx context.Context) {
	t.term = vterm.New(vterm.Options{Cols: t.info.Cols, Rows: t.info.Rows})
	if t.info.Piped() {
		t.seen = max(0, t.offset-screenful)
	}
	_ = t.past(ctx, t.seen, func(seq int64, e session.Event) error { // what is missing is left out
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

// follow feeds the Host until the session is over, which it reports, or the viewer has left.
func (t *feeder) follow(ctx context.Context) (ended bool) {
	for ctx.Err() == nil {
		begun := time.Now()
		info, err := t.Store.Find(ctx, t.info.ID) // before the events: none at its end is missed
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
	status := -1 // nobody knows
	if info != nil && info.ExitCode != nil {
		status = *info.ExitCode
	}
	t.host.Finish()
	t.host.Event(session.Event{Kind: session.Exit, Status: status})
}

// output feeds the Host with the output and sizes that are new. If the log cannot be read now, the
// next look tries again.
func (t *feeder) output(ctx context.Context) {
	if t.info.Piped() {
		for e, err := range t.Store.OutputFrom(ctx, t.info.ID, t.offset) {
			if isDamage(err) {
				continue // the next one's place shows it
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

// feed feeds the Host with output. Bytes that are lost before it become NUL, which a terminal
// ignores: viewers count all bytes.
func (t *feeder) feed(e store.Placed) {
	for t.offset < e.Offset {
		lost := make([]byte, min(e.Offset-t.offset, maxLost))
		t.host.Event(session.Event{Kind: session.Output, At: e.At, Data: lost})
		t.offset += int64(len(lost))
	}
	t.host.Event(e.Event)
	t.offset += int64(len(e.Data))
}

// maxLost is how many lost bytes are fed at a time.
const maxLost = 1 << 20

func isDamage(err error) bool {
	var d *store.Damage
	return errors.As(err, &d)
}

// past implements live.Options.Past.
func (t *feeder) past(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error {
	for e, err := range t.Store.OutputFrom(ctx, t.info.ID, from) {
		if isDamage(err) {
			continue // the next one's place shows it
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

// entries implements live.Options.Entries. From then on the viewer gets those that change.
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
		return // the next look tries again
	}
	t.sent = time.Now()
	t.host.Update(protocol.Entries{Entries: changed, Gone: gone, Title: t.info.Title, Agents: t.info.Agents})
}

// screen implements live.Options.Screen.
func (t *feeder) screen(read live.ReadScreen) bool {
	read(t.term, t.seen)
	return true
}
