package client_test

import (
	"bufio"
	"context"
	"errors"
	"log"
	"math/rand"
	"net"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// TestMain runs the tests, and the examples, which have a session of their own.
func TestMain(m *testing.M) {
	var err error
	if dir, err = os.MkdirTemp("", "pr"); err != nil {
		log.Fatal(err)
	}
	p := &peer{dir: dir, output: []byte("hello\n"), ends: true, fail: func(a ...any) { log.Fatal(a...) }}
	stop, err := p.listen()
	if err != nil {
		log.Fatal(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		stop()
		_ = os.RemoveAll(dir)
		os.Exit(status)
	}), goleak.IgnoreCurrent())
}

// peer is a session that follows a script: it has written all its output before anybody comes.
type peer struct {
	fail   func(...any)
	dir    string
	id     string
	output []byte
	cut    func() int // ends a connection after so many bytes of output; nil: never
	ends   bool       // the session ends behind its output
	deny   *protocol.Error

	mu      sync.Mutex // guards the fields below
	typed   []byte
	asked   []protocol.Type
	attachs []protocol.Attach
	conns   int
}

const peerID = "019a0000-0000-7000-8000-000000000001"

// start returns a client that knows the peer.
func (p *peer) start(tb testing.TB) *client.Client {
	tb.Helper()
	p.fail = tb.Error
	if p.dir == "" {
		p.dir = shortDir(tb)
	}
	stop, err := p.listen()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
	c, err := client.Dial(context.Background(), "", client.Options{Dir: p.dir})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// shortDir makes a folder whose path leaves room for a socket's.
func shortDir(tb testing.TB) string {
	dir, err := os.MkdirTemp("", "pr")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// listen serves viewers until stop is called.
func (p *peer) listen() (stop func(), err error) {
	if p.id == "" {
		p.id = peerID
	}
	listener, err := net.Listen("unix", rundir.Socket(p.dir, p.id))
	if err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.serve(conn) })
		}
	})
	return func() { _ = listener.Close(); wg.Wait() }, nil
}

// serve plays the session's side on one connection.
func (p *peer) serve(conn net.Conn) {
	defer conn.Close()
	r := protocol.NewReader(bufio.NewReader(conn))
	f, err := r.Next()
	var a protocol.Attach
	if err != nil || f.Decode(&a) != nil {
		return
	}
	p.mu.Lock()
	p.attachs = append(p.attachs, a)
	p.conns++
	p.mu.Unlock()
	p.send(conn, protocol.TypeHello, protocol.Hello{Version: 1, Viewer: "v", Seq: int64(len(p.output)), Cols: 80, Rows: 24,
		Session: session.Session{ID: p.id, Command: []string{"sh"}}})
	if a.Mode != protocol.ModeNone && !p.play(conn, a) {
		return
	}
	if p.ends && a.Mode != protocol.ModeNone {
		p.send(conn, protocol.TypeExit, protocol.Exit{Status: 3, Seq: int64(len(p.output))})
		return
	}
	p.answer(conn, r)
}

// play sends the output from where it was asked for.
func (p *peer) play(conn net.Conn, a protocol.Attach) bool {
	at := 0
	if a.From != nil {
		at = int(*a.From)
	}
	end := len(p.output)
	if p.cut != nil {
		end = min(end, at+p.cut())
	}
	for at < end {
		n := min(end-at, 1+rand.Intn(5000))
		back := rand.Intn(min(at, 100) + 1) // some of it was told before
		if protocol.Write(conn, protocol.Output(int64(at-back), p.output[at-back:at+n])) != nil {
			return false
		}
		at += n
	}
	return end == len(p.output)
}

// answer does as it is told.
func (p *peer) answer(conn net.Conn, r *protocol.Reader) {
	for {
		f, err := r.Next()
		if err != nil {
			return
		}
		var id struct {
			ID uint32 `json:"id"`
		}
		p.mu.Lock()
		p.asked = append(p.asked, f.Type)
		switch f.Type {
		case protocol.TypeInput:
			var keys []byte
			id.ID, keys, err = f.Input()
			p.typed = append(p.typed, keys...)
		case protocol.TypePing:
			p.mu.Unlock()
			continue
		default:
			err = f.Decode(&id)
		}
		p.mu.Unlock()
		if err != nil {
			p.fail(err)
			return
		}
		p.send(conn, protocol.TypeAck, protocol.Ack{ID: id.ID, Error: p.deny})
	}
}

func (p *peer) send(conn net.Conn, t protocol.Type, v any) {
	f, err := protocol.JSON(t, v)
	if err != nil {
		p.fail(err)
		return
	}
	if err := protocol.Write(conn, f); err != nil && !errors.Is(err, net.ErrClosed) {
		return // the viewer is gone
	}
}

func (p *peer) saw() (typed string, asked []protocol.Type, attachs []protocol.Attach) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.typed), append([]protocol.Type{}, p.asked...), append([]protocol.Attach{}, p.attachs...)
}
