//go:build linux

package live_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/recorder/notify"
	"github.com/ptyrec/ptyrec/session"
)

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// memoryLog is a recorder.Log in memory, of which only what was settled can be read.
type memoryLog struct {
	mu      sync.Mutex // guards the fields below
	events  []session.Event
	settled int
}

func (l *memoryLog) Put(e session.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Data = bytes.Clone(e.Data)
	l.events = append(l.events, e)
}

func (l *memoryLog) Settle(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settled = len(l.events)
	return nil
}

func (l *memoryLog) Close() (int64, error) { return 0, l.Settle(context.Background()) }

func (l *memoryLog) snapshot() []session.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.events[:l.settled]
}

func (l *memoryLog) Replay(_ context.Context, from int64, fn func(int64, session.Event) error) error {
	for i, e := range l.snapshot()[from:] {
		if err := fn(from+int64(i), e); err != nil {
			return err
		}
	}
	return nil
}

// past is live.Options.Past.
func (l *memoryLog) past(_ context.Context, from int64, fn func(int64, session.Event) error) error {
	seq := int64(0)
	for _, e := range l.snapshot() {
		at := seq
		if e.Kind == session.Output {
			seq += int64(len(e.Data))
			if seq <= from {
				continue
			}
			if at < from {
				e.Data, at = e.Data[from-at:], from
			}
		}
		if seq < from || e.Kind != session.Output && e.Kind != session.Resize {
			continue
		}
		if err := fn(at, e); err != nil {
			return err
		}
	}
	return nil
}

// output is all that the child wrote.
func (l *memoryLog) output() []byte {
	var b []byte
	for _, e := range l.snapshot() {
		if e.Kind == session.Output {
			b = append(b, e.Data...)
		}
	}
	return b
}

// user sits before the session's own terminal.
type user interface {
	Type(t testing.TB, keys string)
	Await(t testing.TB, text string)
}

// real is a session that runs.
type real struct {
	t    testing.TB
	user user
	log  *memoryLog
	host *live.Host
	path string
	done chan recorder.Result
}

// start runs a command with a user before it, and lets it be joined.
func start(t testing.TB, command ...string) *real {
	t.Helper()
	u := ptytest.New(t)
	return startAt(t, u, u.TTY, command...)
}

func startAt(t testing.TB, u user, tty *os.File, command ...string) *real {
	t.Helper()
	dir := socketFolder(t)
	r := &real{t: t, user: u, log: &memoryLog{}, done: make(chan recorder.Result, 1)}
	ready := make(chan struct{})
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() {
		stop()
		r.wait()
	})
	id := "01a00000-0000-7000-8000-000000000000"
	go func() {
		result, err := recorder.Run(ctx, recorder.Options{
			Command: command, SessionID: id, Stdin: tty, Stdout: tty, Log: r.log, Index: discard{},
			Host: func(c *recorder.Controls) recorder.Host {
				r.host = live.New(live.Options{
					Session: session.Session{ID: id, Command: command, Cols: 80, Rows: 24}, Server: "test", Past: r.log.past,
					Command: c, Record: c, Processes: c, Screen: c.Screen,
					Notify: func(text string, ring bool) { c.Alert(notify.Message(text, ring)) },
					Events: func(ctx context.Context, from int64, fn func(int64, session.Event) error) error {
						return r.log.Replay(ctx, from, fn)
					},
					Linger: time.Minute, // the machine may be busy
				})
				r.path = rundir.Socket(dir, id)
				l, err := live.Listen(dir, "", id)
				if err != nil {
					t.Error(err)
				} else {
					go func() { _ = r.host.Serve(l) }()
				}
				close(ready)
				return r.host
			},
		})
		if err != nil {
			t.Error(err)
			close(ready)
		} else {
			r.host.Close()
		}
		r.done <- result
	}()
	<-ready
	return r
}

// wait waits for the end of the session.
func (r *real) wait() recorder.Result {
	r.t.Helper()
	select {
	case result := <-r.done:
		r.done <- result
		return result
	case <-time.After(patience):
		r.t.Fatal("the session does not end")
	}
	panic("not reached")
}

// peer is a viewer.
type peer struct {
	t     testing.TB
	conn  net.Conn
	in    *protocol.Reader
	hello protocol.Hello
}

func (r *real) attach(a protocol.Attach) *peer {
	r.t.Helper()
	conn, err := net.Dial("unix", r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	p := &peer{t: r.t, conn: conn, in: protocol.NewReader(bufio.NewReader(conn))}
	a.Version = protocol.Version
	p.send(protocol.TypeAttach, a)
	f := p.next()
	if f.Type != protocol.TypeHello {
		r.t.Fatalf("the first frame is %q: %s", f.Type, f.Payload)
	}
	p.decode(f, &p.hello)
	return p
}

func (p *peer) send(t protocol.Type, v any) {
	p.t.Helper()
	f, err := protocol.JSON(t, v)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(f)
}

func (p *peer) write(f protocol.Frame) {
	p.t.Helper()
	if err := protocol.Write(p.conn, f); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) next() protocol.Frame {
	p.t.Helper()
	f, err := p.read()
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

func (p *peer) read() (protocol.Frame, error) {
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	return p.in.Next()
}

func (p *peer) decode(f protocol.Frame, v any) {
	p.t.Helper()
	if err := f.Decode(v); err != nil {
		p.t.Fatal(err)
	}
}

// await returns the next frame of a type, over others.
func (p *peer) await(t protocol.Type) protocol.Frame {
	p.t.Helper()
	for {
		if f := p.next(); f.Type == t {
			return f
		}
	}
}

// bytes reads output up to the end of the session or of the connection, and checks that none is
// missing.
func (p *peer) bytes(from int64) (data []byte, exited bool) {
	p.t.Helper()
	for {
		f, err := p.read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.t.Log(err)
			}
			return data, false
		}
		switch f.Type {
		case protocol.TypeOutput:
			seq, b, err := f.Output()
			if err != nil || seq != from+int64(len(data)) {
				p.t.Fatalf("output at %d, want %d: %v", seq, from+int64(len(data)), err)
			}
			data = append(data, b...)
		case protocol.TypeGap:
			p.t.Fatalf("a gap: %s", f.Payload)
		case protocol.TypeExit:
			return data, true
		}
	}
}

// discard is an Index that keeps nothing.
type discard struct{}

func (discard) Put(context.Context, recorder.Update) error { return nil }
