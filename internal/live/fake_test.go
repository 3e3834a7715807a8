//go:build linux

package live_test

import (
	"bufio"
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// fake is a session without a command.
type fake struct {
	t    testing.TB
	host *live.Host
	news chan struct{} // gets a value when typed or sizes has grown

	mu     sync.Mutex // guards the fields below
	typed  []byte     // what the command got
	labels [][]byte
	notes  []string
	stuck  bool // the command takes no keys
	dies   bool // the command ends at the keys
	secret bool
	sizes  [][2]int
	sigs   []int
	ended  bool
	late   string // output that was written, but not yet read
}

func newFake(t testing.TB, o live.Options) *fake {
	t.Helper()
	f := &fake{t: t, news: make(chan struct{}, 1)}
	o.Command, o.Record, o.Notify = f, f, f.Notify
	if o.Session.Cols == 0 {
		o.Session = session.Session{ID: "fake", Command: []string{"fake"}, Cols: 40, Rows: 6}
	}
	f.host = live.New(o)
	t.Cleanup(f.end)
	return f
}

func (f *fake) end() {
	if f.mu.Lock(); f.ended {
		f.mu.Unlock()
		return
	}
	f.ended = true
	f.mu.Unlock()
	f.host.Finish()
	f.host.Event(session.Event{Kind: session.Exit, Status: 5})
	f.host.Close()
}

func (f *fake) output(text string) {
	f.host.Event(session.Event{Kind: session.Output, Data: []byte(text)})
}

// types is the user at the session's own terminal. It returns what the command gets of it.
func (f *fake) types(keys string) (pass string, wait time.Duration) {
	b, wait := f.host.Typed([]byte(keys))
	return string(b), wait
}

func (f *fake) Type(ctx context.Context, keys []byte, shown func([]byte)) error {
	f.mu.Lock()
	stuck, secret, dies := f.stuck, f.secret, f.dies
	f.mu.Unlock()
	if secret {
		shown(nil)
	} else {
		shown(keys)
	}
	if stuck {
		<-ctx.Done()
		return ctx.Err()
	}
	if dies {
		f.host.Event(session.Event{Kind: session.Exit, Status: 5})
		time.Sleep(50 * time.Millisecond) // enough for an end that does not wait for the answer
	}
	f.mu.Lock()
	f.typed = append(f.typed, keys...)
	f.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
	return nil
}

// Drained writes what is late, and says that it was not there before.
func (f *fake) Drained() bool {
	f.mu.Lock()
	late := f.late
	f.late = ""
	f.mu.Unlock()
	if late != "" {
		f.output(late)
	}
	return late == ""
}

func (f *fake) Resize(cols, rows int) error {
	f.mu.Lock()
	f.sizes = append(f.sizes, [2]int{cols, rows})
	f.mu.Unlock()
	f.host.Event(session.Event{Kind: session.Resize, Cols: cols, Rows: rows})
	select {
	case f.news <- struct{}{}:
	default:
	}
	return nil
}

func (f *fake) Signal(sig int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sigs = append(f.sigs, sig)
}

func (f *fake) Mark(label []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.labels = append(f.labels, label)
	f.host.Event(session.Event{Kind: session.Marker, Data: label})
}

func (f *fake) Notify(text string, _ bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = append(f.notes, text)
}

func (f *fake) Settle(context.Context) error { return nil }

// set changes what the command does.
func (f *fake) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// asked returns the sizes and signals that were asked for, and what the user was told.
func (f *fake) asked() (sizes [][2]int, sigs []int, notes []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sizes), slices.Clone(f.sigs), slices.Clone(f.notes)
}

// got returns what the command got.
func (f *fake) got() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(f.typed)
}

// marks returns the control events that were recorded, in words.
func (f *fake) marks() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, l := range f.labels {
		event, data, ok := session.ReadControlMark(l)
		if !ok {
			f.t.Fatalf("no control event: %s", l)
		}
		words := []string{event}
		for _, k := range []string{"by", "kind", "text"} {
			if v, ok := data[k].(string); ok {
				words = append(words, v)
			}
		}
		if data["secret"] == true {
			words = append(words, "secret")
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// attach makes a viewer that sits at the other end of a pipe.
func (f *fake) attach(a protocol.Attach) *peer {
	f.t.Helper()
	here, there := socketPair(f.t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.host.ServeConn(there)
	}()
	f.t.Cleanup(func() {
		_ = here.Close()
		<-done
	})
	p := &peer{t: f.t, conn: here, in: protocol.NewReader(bufio.NewReader(here))}
	a.Version = protocol.Version
	p.send(protocol.TypeAttach, a)
	p.decode(p.await(protocol.TypeHello), &p.hello)
	return p
}

// socketPair returns the two ends of a unix socket.
func socketPair(t testing.TB) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", t.TempDir()+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("unix", l.Addr().String()); err == nil {
		b, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// ask sends a request and returns the code of its answer.
func (p *peer) ask(t protocol.Type, v any) string {
	p.t.Helper()
	p.send(t, v)
	return p.answer()
}

func (p *peer) types(keys string) string {
	p.t.Helper()
	p.write(protocol.Input(7, []byte(keys)))
	return p.answer()
}

func (p *peer) answer() string {
	p.t.Helper()
	var ack protocol.Ack
	p.decode(p.await(protocol.TypeAck), &ack)
	if ack.Error != nil {
		return ack.Error.Code
	}
	return "done"
}

func (p *peer) control() protocol.Control {
	p.t.Helper()
	var c protocol.Control
	p.decode(p.await(protocol.TypeControl), &c)
	return c
}

// screen returns the next screen that an observer gets.
func (p *peer) screen() protocol.Screen {
	p.t.Helper()
	var s protocol.Screen
	p.decode(p.await(protocol.TypeScreen), &s)
	return s
}

func human(name string, mode protocol.Mode) protocol.Attach {
	return protocol.Attach{Name: name, Kind: protocol.Human, Mode: mode}
}

func agent(mode protocol.Mode) protocol.Attach {
	return protocol.Attach{Name: "robot", Kind: protocol.Agent, Mode: mode}
}
